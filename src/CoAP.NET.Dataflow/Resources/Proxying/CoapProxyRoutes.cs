using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Maps what serves requests that ask for a proxy; the package CoAP.NET.Proxy has one.</summary>
public static class CoapProxyRoutes
{
    private static readonly CoapMethod[] s_methods =
    [
        CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch,
    ];

    /// <summary>
    /// Maps the handler of requests with Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.10.2), whatever their method. Without one they are
    /// answered 5.05 Proxying Not Supported. What names this server itself is served as a plain request and does not come to the handler.
    /// </summary>
    /// <remarks>
    /// The handler is given options that the endpoint does not recognize if they are safe to forward, also critical ones, and all
    /// elective ones; it has to refuse those that are unsafe (RFC 7252
    /// section 5.7.1). Filters, rate limits, body sizes and what else can be said of a route hold as for any other.
    /// </remarks>
    /// <param name="routes">The server, or a group whose filters and rules shall hold; a prefix of the group means nothing here.</param>
    /// <param name="names">What the server itself is called.</param>
    /// <param name="handler">Answers.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="InvalidOperationException">There is such a handler already.</exception>
    public static CoapRouteHandlerBuilder MapProxy(this ICoapRouteBuilder routes, CoapProxyNames names, CoapHandler handler)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(names);
        ArgumentNullException.ThrowIfNull(handler);
        CoapRouteGroup group = routes.Routes;
        Route route = new(group.Table, group, RouteTemplate.Root, s_methods, handler.Invoke);
        group.Table.Add(new ProxyRoute(route, names));
        return new CoapRouteHandlerBuilder(group.Table, route);
    }
}
