using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace CoAP.NET.Generators.Reading;

/// <summary>Finds the calls to replace and reads their handlers.</summary>
internal static class CallReader
{
    // The class of the methods whose calls are replaced.
    private const string Owner = "CoAP.NET.CoapRouteBuilderExtensions";
    private const string CborBinding = "CoAP.NET.Binding.CoapCborHandlerBinding";

    /// <summary>Whether the syntax of a node allows such a call.</summary>
    public static bool IsCandidate(SyntaxNode node) =>
        node is InvocationExpressionSyntax { ArgumentList.Arguments.Count: >= 2 and <= 4 } call
        && NameOf(call.Expression) is "MapGet" or "MapPost" or "MapPut" or "MapDelete" or "MapFetch" or "MapPatch" or "MapIPatch" or "Map";

    /// <summary>Reads a call.</summary>
    /// <returns>The result; null for another method, and for a call that is not typed to its end.</returns>
    public static CallReadResult? Read(InvocationExpressionSyntax node, SemanticModel model, CancellationToken cancellationToken)
    {
        if (node.ContainsDiagnostics && HasError(node.GetDiagnostics()))
        {
            return null;
        }

        if (model.GetOperation(node, cancellationToken) is not IInvocationOperation call)
        {
            return UntypedLambdaDiagnostic.Find(node, model, cancellationToken) is { } untyped ? new CallReadResult(null, [untyped]) : null;
        }

        IMethodSymbol target = call.TargetMethod.ReducedFrom ?? call.TargetMethod;
        if (!IsOfOwner(target)
            || target.Parameters[target.Parameters.Length - 1].Type.SpecialType != SpecialType.System_Delegate
            || Argument(call, "handler") is not { } handler || DirectDelegateShapes.Has(handler, model))
        {
            return null;
        }

        List<Diagnostic> diagnostics = [];
        InterceptedMapCall? bound = Read(node, call, handler, target, model, diagnostics, cancellationToken);
        return new CallReadResult(HasError(diagnostics) ? null : bound, diagnostics);
    }

    /// <summary>Whether a method is one of those whose calls are replaced.</summary>
    public static bool IsOfOwner(ISymbol method) => method.ContainingType?.ToDisplayString() == Owner;

    /// <summary>Whether there is an error among diagnostics, of the compiler or of this package.</summary>
    public static bool HasError(IEnumerable<Diagnostic> diagnostics) =>
        diagnostics.Any(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);

    private static InterceptedMapCall? Read(
        InvocationExpressionSyntax node, IInvocationOperation call, IOperation argument, IMethodSymbol target, SemanticModel model,
        List<Diagnostic> diagnostics, CancellationToken cancellationToken)
    {
        Location place = NameSyntaxOf(node.Expression).GetLocation();
        if (!MayIntercept(node.SyntaxTree.Options))
        {
            diagnostics.Add(Diagnostic.Create(Descriptors.NoInterceptors, place));
            return null;
        }

        if (HandlerReader.Read(argument, model) is not { } handler)
        {
            diagnostics.Add(Diagnostic.Create(Descriptors.UnknownHandler, argument.Syntax.GetLocation()));
            return null;
        }

        if (handler.IsUnresolved)
        {
            return null;
        }

        List<string> routeNames = [];
        if (Argument(call, "template") is { ConstantValue: { HasValue: true, Value: string template } } text
            && RouteTemplateReader.Read(template, out routeNames) is { } problem)
        {
            diagnostics.Add(Diagnostic.Create(Descriptors.BadTemplate, text.Syntax.GetLocation(), template, problem));
        }

        MappedMethodBodies bodies = MappedMethodBodies.Of(target.Name, Argument(call, "methods"));
        List<BoundParameter> parameters = ReadParameters(handler, new ParameterReader(routeNames, bodies, place, diagnostics),
            model.Compilation, place, diagnostics);
        BoundResult answer = ReadAnswer(handler, model.Compilation, place, diagnostics);
        CheckNames(routeNames, parameters, place, diagnostics);
        CheckBodies(parameters, place, diagnostics);
        return model.GetInterceptableLocation(node, cancellationToken) is { } location
            ? new InterceptedMapCall(
                target.Name,
                location.GetInterceptsLocationAttributeSyntax(),
                PlaceOf(node),
                handler.Cast,
                new EquatableList<BoundParameter>(parameters),
                answer,
                model.Compilation.GetTypeByMetadataName(CborBinding) is not null)
            : null;
    }

    private static List<BoundParameter> ReadParameters(Handler handler, ParameterReader reader, Compilation compilation, Location place,
        List<Diagnostic> diagnostics)
    {
        List<BoundParameter> parameters = [];
        for (int i = 0; i < handler.Parameters.Count; i++)
        {
            ITypeSymbol type = handler.Types[i];
            if (TypeAccessibilityCheck.Find(type, compilation, place) is { } problem)
            {
                diagnostics.Add(problem);
            }
            else if (reader.Read(handler.Parameters[i], type) is { } parameter)
            {
                parameters.Add(parameter);
            }
        }

        return parameters;
    }

    private static BoundResult ReadAnswer(Handler handler, Compilation compilation, Location place, List<Diagnostic> diagnostics)
    {
        if (handler.ReturnsByReference)
        {
            diagnostics.Add(
                Diagnostic.Create(Descriptors.CannotAnswer, place, handler.Returns.Plain(), "it is returned by reference; return a value"));
        }

        if (TypeAccessibilityCheck.Find(handler.Returns, compilation, place) is { } hidden)
        {
            diagnostics.Add(hidden);
        }

        BoundResult answer = HandlerResultReader.Read(handler.Returns, out string? problem);
        if (problem is not null)
        {
            diagnostics.Add(Diagnostic.Create(Descriptors.CannotAnswer, place, handler.Returns.Plain(), problem));
        }

        return answer;
    }

    private static void CheckNames(List<string> routeNames, List<BoundParameter> parameters, Location place, List<Diagnostic> diagnostics)
    {
        // A handler with the request can read the route itself. A parameter with an error may be the missing one.
        if (HasError(diagnostics)
            || parameters.Any(parameter => parameter.Source == ParameterSource.Request))
        {
            return;
        }

        foreach (string name in routeNames.Where(
            name => !parameters.Any(parameter => parameter.Source == ParameterSource.Route && parameter.Name == name)))
        {
            diagnostics.Add(Diagnostic.Create(Descriptors.UnusedRouteParameter, place, name));
        }
    }

    private static void CheckBodies(List<BoundParameter> parameters, Location place, List<Diagnostic> diagnostics)
    {
        BoundParameter[] bodies = [.. parameters.Where(parameter => parameter.IsBody)];
        if (bodies.Length > 1)
        {
            diagnostics.Add(Diagnostic.Create(Descriptors.TwoBodies, place, bodies[0].ParameterName, bodies[1].ParameterName));
        }
    }

    private static IOperation? Argument(IInvocationOperation call, string name) =>
        call.Arguments.FirstOrDefault(argument => argument.Parameter?.Name == name)?.Value;

    // The value of the property InterceptorsNamespaces: the namespaces that may have interceptors, including nested ones.
    private static bool MayIntercept(ParseOptions options) =>
        options.Features.TryGetValue("InterceptorsNamespaces", out string? allowed)
        && allowed.Split(';').Select(space => space.Trim()).Any(space => space is "CoAP" or "CoAP.NET" or "CoAP.NET.Generated");

    // Only the name of the file: the code must be the same on every machine.
    private static string PlaceOf(InvocationExpressionSyntax node)
    {
        FileLinePositionSpan span = NameSyntaxOf(node.Expression).GetLocation().GetLineSpan();
        return $"{Path.GetFileName(span.Path)}, line {span.StartLinePosition.Line + 1}";
    }

    private static string? NameOf(ExpressionSyntax expression) => (NameSyntaxOf(expression) as SimpleNameSyntax)?.Identifier.ValueText;

    private static ExpressionSyntax NameSyntaxOf(ExpressionSyntax expression) => expression switch
    {
        MemberAccessExpressionSyntax access => access.Name,
        MemberBindingExpressionSyntax binding => binding.Name,
        _ => expression,
    };
}

/// <summary>The result of reading a call.</summary>
/// <param name="Call">The replacement; null if there is none.</param>
/// <param name="Diagnostics">The diagnostics to report.</param>
internal sealed record CallReadResult(InterceptedMapCall? Call, IReadOnlyList<Diagnostic> Diagnostics);
