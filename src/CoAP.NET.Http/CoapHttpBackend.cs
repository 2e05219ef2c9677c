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
    /// of each connection, and what is mapped by <see cref="MapHttpBackend"/>. Call it before the proxy is mapped.
    /// </summary>
    /// <param name="proxy">The proxy.</param>
    /// <param name="configure">The client, the identity of devices, the tables.</param>
    /// <returns>The proxy.</returns>
    /// <exception cref="ArgumentException">There is an identity, and no key of 32 bytes or more to sign it.</exception>
    public static CoapProxy UseHttp(this CoapProxy proxy, Action<CoapHttpBackendOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        CoapHttpBackendOptions options = new();
        configure?.Invoke(options);
        if (options.Identity is not null && options.IdentityKey.Length < MinKeyLength)
        {
            throw new ArgumentException(
                $"The identity of devices is signed: set {nameof(CoapHttpBackendOptions.IdentityKey)} to a secret of {MinKeyLength} bytes "
                + "or more.",
                nameof(configure));
        }

        return proxy.Use(new HttpUpstream(options, proxy.Targets));
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
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(proxy);
        return Uri.TryCreate(target, UriKind.Absolute, out Uri? uri) && uri.Scheme is "http" or "https"
            ? routes.MapReverseProxy(template, target, proxy)
            : throw new ArgumentException($"'{target}' is no URI of HTTP, such as https://api.example.com/devices.", nameof(target));
    }
}
