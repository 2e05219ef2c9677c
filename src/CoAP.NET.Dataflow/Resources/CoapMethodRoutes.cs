using System.Runtime.CompilerServices;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// Extension methods that map handlers of several methods to paths of a server or group; see <see cref="CoapRouteBuilderExtensions"/>.
/// </summary>
// The priorities only decide which overload a lambda uses if several fit.
public static class CoapMethodRoutes
{
    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Returns the answer, or its text (2.05 Content, 2.04 Changed or 2.02 Deleted, depending on the method of the
    /// request), synchronously or asynchronously. It may have parameters for the request and for a token that is cancelled when the answer
    /// is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapResult> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<string> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<ValueTask<CoapResult>> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<Task<CoapResult>> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, CoapResult> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, Task<CoapResult>> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));

    /// <inheritdoc cref="Map(ICoapRouteBuilder, string, IEnumerable{CoapMethod}, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder Map(
        this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        routes.Add(template, [.. methods], RouteHandlers.From(handler));
}
