using System.ComponentModel;

namespace CoAP.NET;

/// <summary>
/// Overloads that report a missing package at compile time, for handlers of other forms than those of
/// <see cref="CoapRouteBuilderExtensions"/>.
/// </summary>
/// <remarks>
/// The overloads of the package <c>CoAP.NET.Hosting</c> bind parameters and convert results of any type. With a reference to that package,
/// the compiler prefers its overloads and never chooses these.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapUnboundRouteExtensions
{
    private const string Text =
        "This handler has parameters or a result that only the package CoAP.NET.Hosting binds: reference it, and AddCoapServer or a plain "
            + "CoapServer take such handlers. Without it a handler takes nothing, "
        + "a CoapRequest, or a CoapRequest and a CancellationToken, and returns a CoapResult, or a string or byte[] as a lambda, now or as "
        + "a task.";

    /// <summary>Always fails to compile: names the package that binds handlers of GET.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of POST.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of PUT.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of DELETE.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of FETCH.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of PATCH.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapPatch(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of iPATCH.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder MapIPatch(this ICoapRouteBuilder routes, string template, object handler) =>
        throw new NotSupportedException(Text);

    /// <summary>Always fails to compile: names the package that binds handlers of several methods.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="methods">The methods.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>Nothing; it does not compile.</returns>
    [Obsolete(Text, error: true)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        object handler) => throw new NotSupportedException(Text);
}
