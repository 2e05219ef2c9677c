using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators;

/// <summary>The diagnostics of handlers with bound parameters and of names. A number never gets another meaning.</summary>
internal static class Descriptors
{
    private const string Category = "CoAP.NET.Binding";

    public static readonly DiagnosticDescriptor UnusedRouteParameter = Make(
        "COAP0001", DiagnosticSeverity.Info, "Parameter of the route is not used",
        "The template has {{{0}}}, but no parameter of the handler is called '{0}'");

    public static readonly DiagnosticDescriptor CannotBind = Make(
        "COAP0002", DiagnosticSeverity.Error, "Parameter cannot be bound", "The parameter '{0}' of type '{1}' cannot be bound: {2}");

    public static readonly DiagnosticDescriptor TwoBodies = Make(
        "COAP0003", DiagnosticSeverity.Error, "Two parameters are the body",
        "'{0}' and '{1}' are both bound to the body, but a request has one; mark one with CoapFromQuery or CoapFromServices, or put both "
            + "into one type");

    public static readonly DiagnosticDescriptor BadTemplate = Make(
        "COAP0004", DiagnosticSeverity.Error, "Route template is wrong", "The route template '{0}' cannot be used: {1}");

    public static readonly DiagnosticDescriptor ByReference = Make(
        "COAP0005", DiagnosticSeverity.Error, "Parameter is passed by reference",
        "The parameter '{0}' is passed by reference; handlers take values");

    public static readonly DiagnosticDescriptor OpenType = Make(
        "COAP0006", DiagnosticSeverity.Error, "Handler is generic",
        "'{0}' depends on the type parameter '{1}', which generated code cannot name; map with a type that is known here");

    public static readonly DiagnosticDescriptor UnknownHandler = Make(
        "COAP0007", DiagnosticSeverity.Warning, "Handler is not known while compiling",
        "The parameters of this handler cannot be seen here, so the call fails when it runs; pass a lambda or the name of a method");

    public static readonly DiagnosticDescriptor NoInterceptors = Make(
        "COAP0008",
        DiagnosticSeverity.Error,
        "Calls may not be replaced",
        "The parameters of this handler are bound by code that replaces the call, which this project does not allow yet; add "
            + "<InterceptorsNamespaces>$(InterceptorsNamespaces);CoAP.NET.Generated</InterceptorsNamespaces>");

    public static readonly DiagnosticDescriptor Inaccessible = Make(
        "COAP0009", DiagnosticSeverity.Error, "Type is not visible to generated code",
        "The handler uses the type '{0}', which generated code cannot name; make it internal or public, and not local to a file");

    public static readonly DiagnosticDescriptor CannotAnswer = Make(
        "COAP0010", DiagnosticSeverity.Error, "Result cannot be answered", "A handler cannot return '{0}': {1}");

    public static readonly DiagnosticDescriptor ForeignAttribute = Make(
        "COAP0011", DiagnosticSeverity.Warning, "Attribute of ASP.NET has no effect", "'{0}' means nothing to CoAP; use {1}");

    public static readonly DiagnosticDescriptor NoBody = Make(
        "COAP0012", DiagnosticSeverity.Error, "Method has no body",
        "The parameter '{0}' is the body, but a payload of {1} means nothing (RFC 7252 section 5.8); use FETCH or POST, or bind it to "
            + "something else");

    public static readonly DiagnosticDescriptor UntypedLambdaDiagnostic = Make(
        "COAP0013", DiagnosticSeverity.Error, "Lambda needs types",
        "This lambda is neither '(request, cancellationToken) => ...' with a ValueTask<CoapResult> nor 'request => ...' with a CoapResult; "
            + "write {0} to let its parameters bind and its result be converted");

    public static readonly DiagnosticDescriptor OtherLibraryName = Make(
        "COAP0014", DiagnosticSeverity.Warning, "Name belongs to another library", "CoAP.NET does not have '{0}'; use {1}");

    private static DiagnosticDescriptor Make(string id, DiagnosticSeverity severity, string title, string message) =>
        new(id, title, message, Category, severity, isEnabledByDefault: true, helpLinkUri: null);
}
