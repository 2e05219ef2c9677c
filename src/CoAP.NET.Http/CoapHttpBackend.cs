using CoAP.NET.Http.Backends;
using CoAP.NET.Proxy;

namespace CoAP.NET.Http;

/// <summary>HTTP servers behind CoAP proxies (RFC 7252 section 10.1).</summary>
public static class CoapHttpBackend
{
    /// <summary>The header field that carries the Hop-Limit between proxies of this library: <c>CoAP-Hop-Limit</c>.</summary>
    public const string HopLimitField = "CoAP-Hop-Limit";

    private const int MinKeyLength = 32;

    /// <summary>
    /// Lets a proxy ask HTTP servers: as a forward proxy those that its <see cref="CoapProxy.Targets"/> allow, by name and by the address
    /// of each connection, and what is mapped by
    /// <see cref="MapHttpBackend(ICoapRouteBuilder, string, string, CoapProxy)"/>. Call it before the proxy is mapped.
    /// </summary>
    /// <param name="proxy">The proxy.</param>
    /// <param name="configure">The client, the identity of devices, the tables.</param>
    /// <returns>The proxy.</returns>
    /// <exception cref="ArgumentException">There is an identity, and no key of 32 bytes or more to sign it.</exception>
    public static CoapProxy UseHttp(this CoapProxy proxy, Action<CoapHttpBackendOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        return proxy.Use(new HttpUpstream(Make(configure), proxy.Targets));
    }

    /// <summary>Serves a path and what is below it by asking an HTTP server, which devices do not see.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/telemetry/{*path}</c>: what stands for the catch-all is appended to the target.</param>
    /// <param name="target">The URI that the path stands for, such as <c>https://api.example.com/devices</c>.</param>
    /// <param name="proxy">A proxy that <see cref="UseHttp"/> was called for.</param>
    /// <returns>The route, to say more about it, such as <c>RequireTransportSecurity</c>.</returns>
    /// <exception cref="ArgumentException">The target is no URI of HTTP, the template is wrong, or the proxy speaks no HTTP.</exception>
    public static CoapRouteHandlerBuilder MapHttpBackend(this ICoapRouteBuilder routes, string template, string target, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        Check(target);
        return routes.MapReverseProxy(template, target, proxy);
    }

    /// <summary>Serves a path and what is below it by asking an HTTP server, in a way of this path's own.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/telemetry/{*path}</c>: what stands for the catch-all is appended to the target.</param>
    /// <param name="target">The URI that the path stands for, such as <c>https://api.example.com/devices</c>.</param>
    /// <param name="proxy">The proxy; <see cref="UseHttp"/> need not be called for it.</param>
    /// <param name="configure">The client, the identity of devices, the tables, for this path only: nothing is taken from
    /// <see cref="UseHttp"/>.</param>
    /// <returns>The route, to say more about it, such as <c>RequireTransportSecurity</c>.</returns>
    /// <exception cref="ArgumentException">The target is no URI of HTTP, the template is wrong, or there is an identity, and no key of 32
    /// bytes or more to sign it.</exception>
    public static CoapRouteHandlerBuilder MapHttpBackend(
        this ICoapRouteBuilder routes, string template, string target, CoapProxy proxy, Action<CoapHttpBackendOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        ArgumentNullException.ThrowIfNull(configure);
        Check(target);
        HttpUpstream upstream = new(Make(configure), proxy.Targets);
        try
        {
            return routes.MapReverseProxy(template, target, upstream, proxy);
        }
        catch
        {
            upstream.Dispose();
            throw;
        }
    }

    private static void Check(string target)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (!Uri.TryCreate(target, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https"))
        {
            throw new ArgumentException($"'{target}' is no URI of HTTP, such as https://api.example.com/devices.", nameof(target));
        }
    }

    private static CoapHttpBackendOptions Make(Action<CoapHttpBackendOptions>? configure)
    {
        CoapHttpBackendOptions options = new();
        configure?.Invoke(options);
        if (options.Identity is not null && options.IdentityKey.Length < MinKeyLength)
        {
            throw new ArgumentException(
                $"The identity of devices is signed: set {nameof(CoapHttpBackendOptions.IdentityKey)} to a secret of {MinKeyLength} bytes "
                + "or more.",
                nameof(configure));
        }

        return options;
    }
}
