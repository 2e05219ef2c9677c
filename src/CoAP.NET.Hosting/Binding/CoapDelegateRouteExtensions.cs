namespace CoAP.NET;

/// <summary>Maps handlers whose parameters bind to the request: route, query, body, options, services.</summary>
/// <remarks>
/// A source generator, which this package contains, replaces each call at compile time; there is no reflection. It must see the handler: a
/// lambda or a method, not a variable.
/// </remarks>
public static class CoapDelegateRouteExtensions
{
    /// <summary>Maps a handler of GET (RFC 7252 section 5.8.1) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapGet", template);

    /// <summary>Maps a handler of POST (RFC 7252 section 5.8.2) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapPost", template);

    /// <summary>Maps a handler of PUT (RFC 7252 section 5.8.3) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapPut", template);

    /// <summary>Maps a handler of DELETE (RFC 7252 section 5.8.4) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapDelete", template);

    /// <summary>Maps a handler of FETCH (RFC 8132 section 2) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapFetch", template);

    /// <summary>Maps a handler of PATCH (RFC 8132 section 3) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapPatch(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapPatch", template);

    /// <summary>Maps a handler of iPATCH (RFC 8132 section 3) to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of that method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder MapIPatch(this ICoapRouteBuilder routes, string template, Delegate handler) =>
        throw NotReplaced("MapIPatch", template);

    /// <summary>Maps a handler of several methods to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Put, CoapMethod.Post]</c>.</param>
    /// <param name="handler">A lambda or a method. Its result becomes the answer.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of a method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Delegate handler) => throw NotReplaced("Map", template);

    private static InvalidOperationException NotReplaced(string method, string template) => new(
        $"The source generator did not replace the call of {method} for '{template}' at compile time, so its parameters do not bind. Pass "
            + "a lambda or the name of a method instead of a variable; look at the COAP warnings of the build; and see that the "
            + "project uses the package CoAP.NET.Hosting itself, or has CoAP.NET.Generated in the property InterceptorsNamespaces "
            + "and CoAP.NET.Hosting.Generators as an analyzer.");
}
