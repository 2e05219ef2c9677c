namespace CoAP.NET.Oscore;

/// <summary>OSCORE requirements of routes.</summary>
public static class OscoreRouteExtensions
{
    /// <summary>
    /// Serves routes only to requests protected by OSCORE; others get 4.01 before the handler runs, and a body in blocks at its first
    /// block.
    /// </summary>
    /// <typeparam name="TSelf">The type of the routes.</typeparam>
    /// <param name="routes">The routes.</param>
    /// <param name="allows">Decides which peers to serve; null for all that have the keys of a security context of the endpoint.</param>
    /// <returns>The routes.</returns>
    /// <remarks>
    /// <see cref="CoapRouteConventions{TSelf}.RequireTransportSecurity"/> requires a secured transport instead: OSCORE protects across
    /// proxies, a transport only to the next hop. If the server also listens on a secured transport and OSCORE alone is sufficient, call
    /// <see cref="CoapRouteConventions{TSelf}.AllowInsecureTransport"/> too.
    /// </remarks>
    public static TSelf RequireOscore<TSelf>(this CoapRouteConventions<TSelf> routes, Func<OscoreIdentity, bool>? allows = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.AddFilterFactory(
            (_, next) => (request, cancellationToken) =>
                request.Peer?.Identity is not OscoreIdentity peer
                    ? new ValueTask<CoapResult>(CoapResults.Unauthorized("This resource is served with OSCORE only (RFC 8613)."))
                    : allows is null || allows(peer)
                        ? next(request, cancellationToken)
                        : new ValueTask<CoapResult>(CoapResults.Forbidden()),
            beforeBody: true);
    }
}
