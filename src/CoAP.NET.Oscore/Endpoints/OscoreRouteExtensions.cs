namespace CoAP.NET.Oscore;

/// <summary>What routes demand of OSCORE.</summary>
public static class OscoreRouteExtensions
{
    /// <summary>
    /// Serves routes only to requests that are protected by OSCORE; others are answered 4.01 before the handler runs, and of a body in
    /// blocks at the first one. Beside <see cref="CoapRouteConventions{TSelf}.RequireTransportSecurity"/>, which asks for a secured
    /// transport: OSCORE holds across proxies, a transport to the next one. Where the server listens on a secured transport as well, say
    /// <see cref="CoapRouteConventions{TSelf}.AllowInsecureTransport"/> too if OSCORE alone will do.
    /// </summary>
    /// <typeparam name="TSelf">The routes.</typeparam>
    /// <param name="routes">The routes.</param>
    /// <param name="allows">Which peers may; null for all that have the keys of a security context of the endpoint.</param>
    /// <returns>The routes.</returns>
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
