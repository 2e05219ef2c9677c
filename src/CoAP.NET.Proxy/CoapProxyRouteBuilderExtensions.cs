using CoAP.NET.Proxy.Forwarding;
using CoAP.NET.Proxy.Upstreams;
using CoAP.NET.Resources;

namespace CoAP.NET.Proxy;

/// <summary>Maps proxies to servers and route groups.</summary>
public static class CoapProxyRouteBuilderExtensions
{
    // The maximum that block numbers can express (RFC 7959 section 2.2).

    /// <summary>
    /// The methods whose bodies pass while they arrive. The body of a FETCH is part of the question and must be complete to find an answer
    /// to it.
    /// </summary>
    internal static readonly CoapMethod[] PassingMethods = [CoapMethod.Post, CoapMethod.Put, CoapMethod.Patch, CoapMethod.IPatch];

    private static readonly CoapMethod[] s_methods =
    [
        CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch,
    ];

    /// <summary>Maps the forward proxy: requests with Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.7.2).</summary>
    /// <remarks>
    /// <see cref="CoapProxyOptions.Targets"/> allows the targets; by default there are none. The routes of the server answer requests that
    /// name this server itself.
    /// </remarks>
    /// <param name="routes">The server, or a group whose filters, rate limits and security rules apply to the route.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="InvalidOperationException">The server already has a handler for such requests.</exception>
    public static CoapRouteHandlerBuilder MapForwardProxy(this ICoapRouteBuilder routes, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        CoapRouteHandlerBuilder? route = null;
        route = routes.MapProxy(proxy.Names, (request, cancellationToken) =>
            proxy.ForwardAsync(request, Volatile.Read(ref route), cancellationToken));

        // The client names the target, which may be secured.
        return Finish(route.WithClientDependence(true), proxy);
    }

    /// <summary>Maps a path and everything below it to another server (RFC 7252 section 5.7.3), which stays invisible to clients.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/floor1/{*path}</c>; the value of the catch-all is appended to the target. Without a
    /// catch-all the path is one resource.</param>
    /// <param name="target">The URI that the path maps to, such as <c>coap://[2001:db8::5]/</c>. The proxy must have an upstream for its
    /// scheme. <see cref="CoapProxyOptions.Targets"/> does not apply.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template or the URI is not valid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    public static CoapRouteHandlerBuilder MapReverseProxy(this ICoapRouteBuilder routes, string template, string target, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(proxy);
        return MapTo(routes, template, target, proxy.UpstreamOf(target), proxy);
    }

    /// <inheritdoc cref="MapReverseProxy(ICoapRouteBuilder, string, string, CoapProxy)"/>
    public static CoapRouteHandlerBuilder MapReverseProxy(this ICoapRouteBuilder routes, string template, CoapUri target, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(target);
        return MapReverseProxy(routes, template, target.ToString(), proxy);
    }

    /// <summary>Maps a path and everything below it to another server with an upstream of its own (RFC 7252 section 5.7.3).</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/floor1/{*path}</c>; the value of the catch-all is appended to the target.</param>
    /// <param name="target">The URI that the path maps to.</param>
    /// <param name="upstream">Sends the requests, regardless of <c>Use</c>; disposed with the proxy.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template or the URI is not valid, or the upstream does not support its scheme.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    internal static CoapRouteHandlerBuilder MapReverseProxy(
        this ICoapRouteBuilder routes, string template, string target, UpstreamClient upstream, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(upstream);
        ArgumentNullException.ThrowIfNull(proxy);
        int colon = target.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0 || !upstream.Schemes.Contains(target[..colon].ToLowerInvariant()))
        {
            throw new ArgumentException($"'{target}' is not a URI of the upstream, which supports "
                + $"{string.Join(", ", upstream.Schemes)}.", nameof(target));
        }

        CoapRouteHandlerBuilder route = MapTo(routes, template, target, upstream, proxy);
        proxy.Own(upstream);
        return route;
    }

    /// <summary>
    /// Maps a path and everything below it to a peer that has a connection or session with this server, such as a device behind a NAT.
    /// </summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/devices/{id}/{*path}</c>; the value of the catch-all is the path at the peer.</param>
    /// <param name="find">Finds the peer for a request, for example by its route values. Null means that no peer is connected; the client
    /// gets 5.02.</param>
    /// <param name="proxy">The proxy.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is not valid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    public static CoapRouteHandlerBuilder MapReverseProxy(
        this ICoapRouteBuilder routes, string template, Func<CoapRequestContext, CoapPeer?> find, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(find);
        ArgumentNullException.ThrowIfNull(proxy);
        return Map(
            routes, template, proxy, new ReverseProxyTargetMapper(null), request =>
                find(request) is { } peer ? new CoapUpstreamClient(peer) : null);
    }

    // The same rule as that of the forwarder: what depends on the client, or comes over a secured transport, is for one client.
    private static CoapRouteHandlerBuilder MapTo(
        ICoapRouteBuilder routes, string template, string target, UpstreamClient upstream, CoapProxy proxy) =>
        Map(routes, template, proxy, new ReverseProxyTargetMapper(target), _ => upstream)
            .WithClientDependence(upstream.DependsOnClient || upstream.IsSecure(CoapProxy.SchemeOf(target)));

    private static CoapRouteHandlerBuilder Map(
        ICoapRouteBuilder routes, string template, CoapProxy proxy, ReverseProxyTargetMapper target, Func<CoapRequestContext,
            UpstreamClient?> find)
    {
        CoapRouteHandlerBuilder? route = null;
        route = routes.Map(template, s_methods, async (CoapRequestContext request, CancellationToken cancellationToken) =>
        {
            proxy.CountRequest();
            if (find(request) is not { } upstream)
            {
                return CoapResults.Status(CoapCode.BadGateway, "The peer that serves this resource is not connected.");
            }

            CoapResult result = await proxy.Forwarder.SendAsync(
                request, target.For(request.Options), upstream, null, Volatile.Read(ref route), cancellationToken).ConfigureAwait(false);
            result = target.Relocate(result, request.Options);
            return proxy.Options.RewritesLinks ? target.RewriteLinks(result, request.Options) : result;
        });
        target.Template = route.Template;
        return Finish(route.AllowForwarding(), proxy);
    }

    private static CoapRouteHandlerBuilder Finish(CoapRouteHandlerBuilder route, CoapProxy proxy)
    {
        CoapProxyOptions options = proxy.Options;
        route.AllowAnyAccept().WithMaxBodySize(options.Limits.MaxBodySize).Observable(observe => observe.MaxAge = TimeSpan.FromSeconds(60));
        return options.Limits.StreamsAbove < options.Limits.MaxBodySize
            ? route.WithStreamedBody(Math.Min(options.Limits.MaxStreamedBodySize, CoapProxyLimits.MaxBlockwise), [.. PassingMethods])
            : route;
    }
}
