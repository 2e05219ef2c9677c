using System.Runtime.CompilerServices;
using CoAP.NET.Resources;

namespace CoAP.NET;

// Handlers of several methods. The priorities only settle which overload a lambda takes that fits several.
public static partial class CoapRouteBuilderExtensions
{
    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapResult> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the text of the answer: 2.05 Content, 2.04 Changed or 2.02 Deleted, as the method of the request asks for.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<string> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<ValueTask<CoapResult>> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<Task<CoapResult>> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer to a request.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, CoapResult> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer to a request.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, ValueTask<CoapResult>> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer to a request.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, Task<CoapResult>> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer to a request; the token is cancelled when nobody waits for it any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(3)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, CancellationToken, CoapResult> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer to a request; the token is cancelled when nobody waits for it any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(2)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));

    /// <summary>Maps a handler of several methods to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Get, CoapMethod.Put]</c>.</param>
    /// <param name="handler">Makes the answer to a request; the token is cancelled when nobody waits for it any more.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of that method already.</exception>
    [OverloadResolutionPriority(1)]
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods, Func<CoapRequest, CancellationToken, Task<CoapResult>> handler) =>
        Add(routes, template, [.. methods], RouteHandlers.From(handler));
}
