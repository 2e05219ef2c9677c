using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// Maps handlers to paths on a server or a group. A literal segment wins over a parameter <c>{id}</c>, and that over a catch-all
/// <c>{*rest}</c>, which takes all segments that are left. Segments are compared byte by byte; <c>/a</c> and <c>/a/</c> are two paths; a
/// request without a path and one with a single empty segment mean <c>/</c>. Uri-Host and Uri-Port are not looked at: every name leads to
/// the same routes. Routes may be mapped and removed while the server runs. Handlers are mapped by the methods of
/// <see cref="CoapReadRoutes"/>, <see cref="CoapWriteRoutes"/>, <see cref="CoapPatchRoutes"/> and <see cref="CoapMethodRoutes"/>.
/// </summary>
public static class CoapRouteBuilderExtensions
{
    private static readonly CoapMethod[] s_allMethods = [.. Enumerable.Range(1, 31).Select(detail => (CoapMethod)detail)];

    /// <summary>Makes a group of routes whose paths begin alike.</summary>
    /// <param name="routes">The server or the group around it.</param>
    /// <param name="prefix">The common beginning, such as <c>/admin</c>; it may have parameters. A route <c>/</c> in the group is the
    /// prefix itself.</param>
    /// <returns>The group.</returns>
    /// <exception cref="ArgumentException">The prefix is wrong.</exception>
    public static CoapRouteGroup MapGroup(this ICoapRouteBuilder routes, string prefix)
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.Routes.AddGroup(prefix);
    }

    /// <summary>Maps a resource that is a class, with all methods: those it does not override are answered 4.05.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="resource">The resource.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">Its path is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
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

    /// <summary>
    /// Maps a resource that is a class, of which each request gets its instance from a function, such as one that asks a container. Its
    /// path and link attributes are given here; what the instance says of them is not looked at. Methods that it does not override are
    /// answered 4.05.
    /// </summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/lock</c>.</param>
    /// <param name="factory">Gives the instance that answers a request; may give the same one many times.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
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

    /// <summary>What all overloads come to.</summary>
    internal static CoapRouteHandlerBuilder Add(
        this ICoapRouteBuilder routes,
        string template,
        ReadOnlySpan<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.Routes.Add(template, methods, handler);
    }

    /// <summary>The same for one method.</summary>
    internal static CoapRouteHandlerBuilder Add(
        this ICoapRouteBuilder routes,
        string template,
        CoapMethod method,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler) => routes.Add(template, [method], handler);
}
