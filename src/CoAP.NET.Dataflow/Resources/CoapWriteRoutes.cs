using System.Runtime.CompilerServices;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// Extension methods that map handlers of POST, PUT and DELETE to paths of a server or group; see <see cref="CoapRouteBuilderExtensions"/>.
/// </summary>
// The priorities only decide which overload a lambda uses if several fit.
public static class CoapWriteRoutes
{
    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response, or the text of a 2.04 Changed, synchronously or asynchronously. It may have parameters
    /// for the request and for a token that is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapResult> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<string> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPost(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPost(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPost(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPost(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPost(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPost(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Post, RouteHandlers.From(handler));

    /// <summary>Maps a handler of PUT (RFC 7252 section 5.8.3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response, or the text of a 2.04 Changed, synchronously or asynchronously. It may have parameters
    /// for the request and for a token that is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, Func<CoapResult> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, Func<string> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, Func<ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, Func<Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPut(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPut(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPut(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPut(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapPut(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPut(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Put, RouteHandlers.From(handler));

    /// <summary>Maps a handler of DELETE (RFC 7252 section 5.8.4) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response, or the text of a 2.02 Deleted, synchronously or asynchronously. It may have parameters
    /// for the request and for a token that is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, Func<CoapResult> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, Func<string> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, Func<ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, Func<Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapDelete(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapDelete(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapDelete(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapDelete(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapDelete(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));

    /// <inheritdoc cref="MapDelete(ICoapRouteBuilder, string, Func{CoapResult})"/>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapDelete(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        routes.Add(template, CoapMethod.Delete, RouteHandlers.From(handler));
}
