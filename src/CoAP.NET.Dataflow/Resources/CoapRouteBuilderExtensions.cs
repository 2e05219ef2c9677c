using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Extension methods that map handlers to paths on a server or a group.</summary>
/// <remarks>
/// A literal segment has priority over a parameter <c>{id}</c>, and a parameter over a catch-all <c>{*rest}</c>, which matches all
/// remaining segments. Segments are compared byte by byte; <c>/a</c> and <c>/a/</c> are two paths. A request without a path and one with a
/// single empty segment mean <c>/</c>. Uri-Host and Uri-Port are ignored: every name has the same routes. Routes may be mapped and removed
/// while the server runs. The methods for handlers are in <see cref="CoapReadRoutes"/>, <see cref="CoapWriteRoutes"/>,
/// <see cref="CoapPatchRoutes"/> and <see cref="CoapMethodRoutes"/>.
/// </remarks>
public static class CoapRouteBuilderExtensions
{
    private static readonly CoapMethod[] s_allMethods = [.. Enumerable.Range(1, 31).Select(detail => (CoapMethod)detail)];

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
        if (resource.Observable)
        {
            route.Observable(resource.ObservableMaxAge, resource.NotificationMode, probe: resource.NotificationProbe,
                confirmableEvery: resource.ConfirmableNotificationEvery);
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

    /// <summary>Maps a resource class whose instance for each request comes from a function, for example from a container.</summary>
    /// <remarks>
    /// Its path and link attributes are set here; those of the instance are ignored. Methods that it does not override are answered 4.05.
    /// </remarks>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/lock</c>.</param>
    /// <param name="factory">Returns the instance that handles a request; may return the same one many times.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    public static CoapRouteHandlerBuilder MapResource(this ICoapRouteBuilder routes, string template,
        Func<CoapRequest, CoapResource> factory)
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

    /// <summary>Maps a handler; all overloads call it.</summary>
    internal static CoapRouteHandlerBuilder Add(
        this ICoapRouteBuilder routes,
        string template,
        ReadOnlySpan<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.Routes.Add(template, methods, handler);
    }

    /// <summary>Maps a handler of one method.</summary>
    internal static CoapRouteHandlerBuilder Add(
        this ICoapRouteBuilder routes,
        string template,
        CoapMethod method,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) => routes.Add(template, [method], handler);
}
