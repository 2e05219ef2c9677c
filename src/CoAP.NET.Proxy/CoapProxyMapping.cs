using CoAP.NET.Proxy.Forwarding;
using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy;

/// <summary>Maps proxies to servers and groups of routes.</summary>
public static class CoapProxyMapping
{
    // As far as blocks can number (RFC 7959 section 2.2).

    /// <summary>The methods whose bodies pass while they come. That of a FETCH says what is asked for, so all of it must be here to know
    /// an answer to it.</summary>
    internal static readonly CoapMethod[] PassingMethods = [CoapMethod.Post, CoapMethod.Put, CoapMethod.Patch, CoapMethod.IPatch];

    private static readonly CoapMethod[] s_methods =
    [
        CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch,
    ];

    /// <summary>
    /// Serves requests that ask for a proxy by Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.7.2). Whom they may ask for is said by
    /// <see cref="CoapProxyOptions.Targets"/>, and is nobody by default. Requests that name this server itself are served by its routes.
    /// </summary>
    /// <param name="routes">The server, or a group whose filters, rate limits and rules of security shall hold.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="InvalidOperationException">The server serves such requests already.</exception>
    public static CoapRouteHandlerBuilder MapForwardProxy(this ICoapRouteBuilder routes, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        CoapRouteHandlerBuilder? route = null;
        route = routes.MapProxy(proxy.Names, (request, cancellationToken) =>
            proxy.ForwardAsync(request, Volatile.Read(ref route), cancellationToken));
        return Finish(route, proxy);
    }

    /// <summary>
    /// Serves a path and everything below it by asking another server (RFC 7252 section 5.7.3), which clients do not see.
    /// </summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/floor1/{*path}</c>: what stands for the catch-all is appended to the target. Without
    /// one the path is that of one resource.</param>
    /// <param name="target">The URI that the path stands for, such as <c>coap://[2001:db8::5]/</c>, of a scheme that the proxy has an
    /// upstream for. <see cref="CoapProxyOptions.Targets"/> does not apply.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template or the URI is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapReverseProxy(this ICoapRouteBuilder routes, string template, string target, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(proxy);
        CoapProxyUpstream upstream = proxy.UpstreamOf(target);
        return Map(routes, template, proxy, new ReverseTarget(target), _ => upstream);
    }

    /// <summary>
    /// Serves a path and everything below it by asking another server in a way of this path's own (RFC 7252 section 5.7.3).
    /// </summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/floor1/{*path}</c>: what stands for the catch-all is appended to the target.</param>
    /// <param name="target">The URI that the path stands for.</param>
    /// <param name="upstream">What asks it, whatever <see cref="CoapProxy.Use"/> says; disposed with the proxy.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template or the URI is wrong, or the upstream does not know its scheme.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapReverseProxy(
        this ICoapRouteBuilder routes, string template, string target, CoapProxyUpstream upstream, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(upstream);
        ArgumentNullException.ThrowIfNull(proxy);
        int colon = target.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0 || !upstream.Schemes.Contains(target[..colon].ToLowerInvariant()))
        {
            throw new ArgumentException($"'{target}' is no URI of {string.Join(", ", upstream.Schemes)}.", nameof(target));
        }

        CoapRouteHandlerBuilder route = Map(routes, template, proxy, new ReverseTarget(target), _ => upstream);
        proxy.Own(upstream);
        return route;
    }

    /// <summary>
    /// Serves a path and everything below it by asking a peer that has a connection or session with this server, such as a device behind
    /// an address translator that connected to it.
    /// </summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}/{*path}</c>: what stands for the catch-all is the path that the peer is
    /// asked for.</param>
    /// <param name="find">Finds the peer for a request, by its route values for instance; null when there is none, which is answered
    /// 5.02.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The template is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapReverseProxy(
        this ICoapRouteBuilder routes, string template, Func<CoapRequest, CoapPeer?> find, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(find);
        ArgumentNullException.ThrowIfNull(proxy);
        return Map(routes, template, proxy, new ReverseTarget(null), request => find(request) is { } peer ? new CoapUpstream(peer) : null);
    }

    private static CoapRouteHandlerBuilder Map(
        ICoapRouteBuilder routes, string template, CoapProxy proxy, ReverseTarget target, Func<CoapRequest, CoapProxyUpstream?> find)
    {
        CoapRouteHandlerBuilder? route = null;
        route = routes.Map(template, s_methods, async (request, cancellationToken) =>
        {
            proxy.CountRequest();
            if (find(request) is not { } upstream)
            {
                return CoapResults.Status(CoapCode.BadGateway, "Nobody is connected who serves that.");
            }

            CoapResult result = await proxy.Forwarder.SendAsync(
                request, target.For(request.Options), upstream, null, Volatile.Read(ref route), cancellationToken).ConfigureAwait(false);
            result = target.Relocate(result, request.Options);
            return proxy.Options.RewritesLinks ? target.RewriteLinks(result, request.Options) : result;
        });
        target.Template = route.Template;
        return Finish(route.Forwards(), proxy);
    }

    private static CoapRouteHandlerBuilder Finish(CoapRouteHandlerBuilder route, CoapProxy proxy)
    {
        CoapProxyOptions options = proxy.Options;
        route.IgnoreAccept().MaxBodySize(options.MaxBodySize).Observable(TimeSpan.FromSeconds(60));
        return options.StreamsAbove < options.MaxBodySize
            ? route.StreamBody(Math.Min(options.MaxStreamedBodySize, CoapProxyOptions.MaxBlockwise), [.. PassingMethods])
            : route;
    }
}
