using System.Runtime.CompilerServices;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Maps handlers of GET and FETCH to paths of a server or group; see <see cref="CoapRouteBuilderExtensions"/>.</summary>
// The priorities only settle which overload a lambda takes that fits several.
public static class CoapReadRoutes
{
    /// <summary>Maps a handler of GET (RFC 7252 section 5.8.1) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer, or the text of a 2.05 Content, at once or later. It may take the request, and a token that
    /// is cancelled when nobody waits for the answer any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, Func<CoapResult> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, Func<string> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, Func<ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, Func<Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapGet(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapGet(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapGet(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapGet(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapGet(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapGet(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Get, RouteHandlers.From(handler));

    /// <summary>Maps a handler of FETCH (RFC 8132 section 2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer, or the text of a 2.05 Content, at once or later. It may take the request, and a token that
    /// is cancelled when nobody waits for the answer any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, Func<CoapResult> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, Func<string> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, Func<ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, Func<Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapFetch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapFetch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapFetch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapFetch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapFetch(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapFetch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Fetch, RouteHandlers.From(handler));
}
