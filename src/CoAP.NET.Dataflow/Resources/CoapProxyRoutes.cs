namespace CoAP.NET.Resources;

/// <summary>Maps the handler of proxy requests; the package CoAP.NET.Proxy has one.</summary>
internal static class CoapProxyRoutes
{
    private static readonly CoapMethod[] s_methods =
    [
        CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch,
    ];

    /// <summary>Maps the handler of requests with Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.10.2), for all methods.</summary>
    /// <remarks>
    /// Without one they are answered 5.05 Proxying Not Supported. The server handles requests for its own names as plain requests, without
    /// the handler. The handler receives all elective options, and unrecognized critical options that are safe to forward. It must refuse
    /// unsafe ones (RFC 7252 section 5.7.1). Filters, rate limits, body sizes and other settings apply as to any other route.
    /// </remarks>
    /// <param name="routes">The server, or a group whose filters and settings apply; the prefix of the group is ignored.</param>
    /// <param name="names">The names of the server itself.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="InvalidOperationException">There is already such a handler.</exception>
    public static CoapRouteHandlerBuilder MapProxy(this ICoapRouteBuilder routes, CoapProxyNames names, CoapHandler handler)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(names);
        ArgumentNullException.ThrowIfNull(handler);
        CoapRouteGroup group = routes.Routes;
        Route route = new(group.Table, group, RouteTemplate.Root, s_methods, handler.Invoke);
        group.Table.Add(new ProxyHandlerRoute(route, names));
        return new CoapRouteHandlerBuilder(group.Table, route);
    }
}
