using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Extension methods that map handlers to paths on a server or a group.</summary>
/// <remarks>
/// <para>
/// A literal segment has priority over a parameter <c>{id}</c>, and a parameter over a catch-all <c>{*rest}</c>, which matches all
/// remaining segments. Segments are compared byte by byte; <c>/a</c> and <c>/a/</c> are two paths. A request without a path and one with a
/// single empty segment mean <c>/</c>. Uri-Host and Uri-Port are ignored: every name has the same routes. Routes may be mapped and removed
/// while the server runs.
/// </para>
/// <para>
/// Each method has three overloads. The first takes <c>(request, cancellationToken) => ...</c> with a <see cref="ValueTask{TResult}"/>, the
/// second <c>request => ...</c> without waiting. The third takes every other lambda or method, such as
/// <c>(int id, IStore store) => ...</c>: a source generator, which the package contains, replaces the call at compile time by code that
/// binds the parameters and converts the result. It must see the handler: a lambda with the types of its parameters or the name of a
/// method, not a variable. There is no reflection.
/// </para>
/// </remarks>
public static class CoapRouteBuilderExtensions
{
    private static readonly CoapMethod[] s_allMethods = [.. Enumerable.Range(1, 31).Select(detail => (CoapMethod)detail)];

    /// <summary>Maps an asynchronous handler of GET (RFC 7252 section 5.8.1) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapGet(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.Get], handler);

    /// <summary>Maps a synchronous handler of GET (RFC 7252 section 5.8.1) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapGet(
        this ICoapRouteBuilder routes, string template, Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.Get], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.Get], handler);

    /// <summary>Maps an asynchronous handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapPost(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.Post], handler);

    /// <summary>Maps a synchronous handler of POST (RFC 7252 section 5.8.2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapPost(
        this ICoapRouteBuilder routes, string template, Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.Post], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.Post], handler);

    /// <summary>Maps an asynchronous handler of PUT (RFC 7252 section 5.8.3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapPut(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.Put], handler);

    /// <summary>Maps a synchronous handler of PUT (RFC 7252 section 5.8.3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapPut(
        this ICoapRouteBuilder routes, string template, Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.Put], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.Put], handler);

    /// <summary>Maps an asynchronous handler of DELETE (RFC 7252 section 5.8.4) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.Delete], handler);

    /// <summary>Maps a synchronous handler of DELETE (RFC 7252 section 5.8.4) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapDelete(this ICoapRouteBuilder routes, string template,
        Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.Delete], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.Delete], handler);

    /// <summary>Maps an asynchronous handler of FETCH (RFC 8132 section 2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapFetch(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.Fetch], handler);

    /// <summary>Maps a synchronous handler of FETCH (RFC 8132 section 2) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapFetch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.Fetch], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.Fetch], handler);

    /// <summary>Maps an asynchronous handler of PATCH (RFC 8132 section 3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapPatch(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.Patch], handler);

    /// <summary>Maps a synchronous handler of PATCH (RFC 8132 section 3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapPatch(
        this ICoapRouteBuilder routes, string template, Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.Patch], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.Patch], handler);

    /// <summary>Maps an asynchronous handler of iPATCH (RFC 8132 section 3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. Its token is cancelled when the response is no longer needed.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapIPatch(this ICoapRouteBuilder routes, string template, CoapHandler handler) =>
        routes.Add(template, [CoapMethod.IPatch], handler);

    /// <summary>Maps a synchronous handler of iPATCH (RFC 8132 section 3) to a path.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="handler">Returns the response. It must not block its thread.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler for that method.</exception>
    public static CoapRouteHandlerBuilder MapIPatch(this ICoapRouteBuilder routes, string template,
        Func<CoapRequestContext, CoapResult> handler) =>
        routes.Add(template, [CoapMethod.IPatch], RouteHandlerConverter.From(handler));

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
        routes.Add(template, [CoapMethod.IPatch], handler);

    /// <summary>Maps a handler of several methods to a path; its parameters bind to the request.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}</c>.</param>
    /// <param name="methods">The methods, such as <c>[CoapMethod.Put, CoapMethod.Post]</c>.</param>
    /// <param name="handler">
    /// A lambda with the types of its parameters, a method, or a <see cref="CoapHandler"/>. Its result becomes the answer.
    /// </param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid, or there is no method.</exception>
    /// <exception cref="InvalidOperationException">
    /// The path already has a handler of a method, or the source generator did not replace the call; the message says what to do.
    /// </exception>
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Delegate handler) => routes.Add(template, [.. methods], handler);

    /// <summary>Creates a group of routes with a common path prefix.</summary>
    /// <param name="routes">The server or the outer group.</param>
    /// <param name="prefix">The prefix, such as <c>/admin</c>; it may have parameters. A route <c>/</c> in the group is the prefix
    /// itself.</param>
    /// <returns>The group.</returns>
    /// <exception cref="ArgumentException">The prefix is invalid.</exception>
    public static CoapRouteGroup MapGroup(this ICoapRouteBuilder routes, string prefix)
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.Routes.AddGroup(prefix);
    }

    /// <summary>Maps a resource class with all methods: those that it does not override are answered 4.05.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="resource">The resource.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">Its path is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    public static CoapRouteHandlerBuilder Map(this ICoapRouteBuilder routes, CoapResource resource)
    {
        ArgumentNullException.ThrowIfNull(resource);
        CoapRouteHandlerBuilder route = routes.Add(resource.Path, s_allMethods, resource.InvokeAsync);
        resource.AddRoute(route);
        if (resource.Observable is { } observing)
        {
            route.Observe(observing);
        }

        if (resource.Title is not null)
        {
            route.WithTitle(resource.Title);
        }

        if (resource.ResourceTypes.Count != 0)
        {
            route.WithResourceType([.. resource.ResourceTypes]);
        }

        if (resource.Interfaces.Count != 0)
        {
            route.WithInterface([.. resource.Interfaces]);
        }

        if (resource.ContentFormats.Count != 0)
        {
            route.WithContentFormat([.. resource.ContentFormats]);
        }

        return resource.Size is { } size ? route.WithSize(size) : route;
    }

    /// <summary>
    /// Maps a resource class whose instance for each request comes from a function. Its path and link attributes are set here; those of
    /// the instance are ignored. Methods that it does not override are answered 4.05.
    /// </summary>
    internal static CoapRouteHandlerBuilder AddResource(this ICoapRouteBuilder routes, string template,
        Func<CoapRequestContext, CoapResource> factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        CoapRouteHandlerBuilder? route = null;
        return route = routes.Add(template, s_allMethods, (request, cancellationToken) =>
        {
            CoapResource resource = factory(request);
            if (Volatile.Read(ref route) is { } mapped)
            {
                resource.AddRoute(mapped);
            }

            return resource.InvokeAsync(request, cancellationToken);
        });
    }

    // A handler whose parameters bind to the request.
    private static CoapRouteHandlerBuilder Add(
        this ICoapRouteBuilder routes, string template, ReadOnlySpan<CoapMethod> methods, Delegate handler)
    {
        CoapRouteHandlerBuilder route = routes.Add(template, methods, RouteHandlerConverter.From(handler, template));
        return RouteHandlerConverter.DependsOnClient(handler) is { } depends ? route.WithClientDependence(depends) : route;
    }

    /// <summary>Maps a handler; all overloads call it.</summary>
    internal static CoapRouteHandlerBuilder Add(this ICoapRouteBuilder routes, string template, ReadOnlySpan<CoapMethod> methods,
        CoapHandler handler)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(handler);
        return routes.Routes.Add(template, methods, handler);
    }
}
