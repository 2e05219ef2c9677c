using System.Runtime.CompilerServices;
using CoAP.NET.Resources;

namespace CoAP.NET;

// Handlers of POST (RFC 7252 section 5.8.2). The priorities only settle which overload a lambda takes that fits several.
public static partial class CoapRouteBuilderExtensions
{
    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapResult> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the text of a 2.04 Changed.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<string> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<ValueTask<CoapResult>> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<Task<CoapResult>> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer to a request.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapResult> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer to a request.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer to a request.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, Task<CoapResult>> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer to a request; the token is cancelled when nobody waits for it any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer to a request; the token is cancelled when nobody waits for it any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Makes the answer to a request; the token is cancelled when nobody waits for it any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        Add(routes, template, [CoapMethod.Post], RouteHandlers.From(handler));
}
