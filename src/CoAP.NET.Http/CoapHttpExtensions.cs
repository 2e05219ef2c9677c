using CoAP.NET.Cryptography;
using CoAP.NET.Http.Backends;
using CoAP.NET.Proxy;
using CoAP.NET.Settings;

namespace CoAP.NET.Http;

/// <summary>Connects CoAP proxies and servers to HTTP servers behind them (RFC 7252 section 10.1), and announces HTTP proxies.</summary>
public static class CoapHttpExtensions
{
    /// <summary>The header field that carries the Hop-Limit between proxies of this library: <c>CoAP-Hop-Limit</c>.</summary>
    internal const string HopLimitField = "CoAP-Hop-Limit";

    private const int MinKeyLength = 32;

    /// <summary>Adds HTTP servers as targets of a proxy.</summary>
    /// <remarks>
    /// The forward proxy reaches the servers that its <see cref="CoapProxy.Targets"/> allow, by name and by the address of each connection.
    /// Reverse proxies reach the targets of <see cref="MapHttpBackend(ICoapRouteBuilder, string, string, CoapProxy)"/>. Call it before you
    /// map the proxy.
    /// </remarks>
    /// <param name="proxy">The proxy.</param>
    /// <param name="configure">Configures the client, the identity of devices and the tables.</param>
    /// <returns>The proxy.</returns>
    /// <exception cref="ArgumentException">An identity is set without a key of at least 32 bytes to sign it.</exception>
    public static CoapProxy UseHttp(this CoapProxy proxy, Action<CoapHttpBackendOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        return proxy.Use(new HttpUpstreamClient(Make(configure, proxy.Client.Endpoint.TimeProvider), proxy.Targets));
    }

    /// <summary>Maps a path and everything below it to an HTTP server, which stays invisible to devices.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/telemetry/{*path}</c>; the value of the catch-all is appended to the target.</param>
    /// <param name="target">The URI that the path maps to, such as <c>https://api.example.com/devices</c>.</param>
    /// <param name="proxy">A proxy with <see cref="UseHttp"/>.</param>
    /// <returns>The route, for further configuration such as <c>RequireTransportSecurity</c>.</returns>
    /// <exception cref="ArgumentException">The target is not an HTTP URI, the template is not valid, or the proxy has no
    /// <see cref="UseHttp"/>.</exception>
    /// <exception cref="PlatformNotSupportedException">The target is <c>https</c>, on Linux without OpenSSL.</exception>
    public static CoapRouteHandlerBuilder MapHttpBackend(this ICoapRouteBuilder routes, string template, string target, CoapProxy proxy)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        Check(target);
        return routes.MapReverseProxy(template, target, proxy);
    }

    /// <summary>Maps a path and everything below it to an HTTP server, with options for this path alone.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/telemetry/{*path}</c>; the value of the catch-all is appended to the target.</param>
    /// <param name="target">The URI that the path maps to, such as <c>https://api.example.com/devices</c>.</param>
    /// <param name="proxy">The proxy; it does not need <see cref="UseHttp"/>.</param>
    /// <param name="configure">Configures the client, the identity of devices and the tables for this path only, independent of
    /// <see cref="UseHttp"/>.</param>
    /// <returns>The route, for further configuration such as <c>RequireTransportSecurity</c>.</returns>
    /// <exception cref="ArgumentException">The target is not an HTTP URI, the template is not valid, or an identity is set without a key of
    /// at least 32 bytes to sign it.</exception>
    /// <exception cref="PlatformNotSupportedException">The target is <c>https</c>, on Linux without OpenSSL.</exception>
    public static CoapRouteHandlerBuilder MapHttpBackend(
        this ICoapRouteBuilder routes, string template, string target, CoapProxy proxy, Action<CoapHttpBackendOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(proxy);
        ArgumentNullException.ThrowIfNull(configure);
        Check(target);
        HttpUpstreamClient upstream = new(Make(configure, routes.Routes.TimeProvider ?? proxy.Client.Endpoint.TimeProvider), proxy.Targets);
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

    /// <summary>Lists an HTTP-to-CoAP proxy in <c>/.well-known/core</c> of a CoAP server, next to a route.</summary>
    /// <remarks>
    /// The link has the type <c>core.hc</c> and the origin of the proxy as its anchor, such as
    /// <c>&lt;/hc/&gt;;anchor="https://p.example.com";rt="core.hc";hct="{+tu}"</c>.
    /// </remarks>
    /// <param name="route">The route next to the link; it must be listed itself.</param>
    /// <param name="proxy">The absolute URI of the proxy, such as <c>https://p.example.com/hc/</c>.</param>
    /// <param name="template">The position of the target in the URI (RFC 8075 section 5.4), such as <c>?target_uri={+tu}</c>. Null appends
    /// the whole target, as in <c>https://p.example.com/hc/coap://s.example.com/light</c>.</param>
    /// <returns>The route.</returns>
    /// <exception cref="ArgumentException">The URI is not an HTTP URI, or has a query or a fragment.</exception>
    public static CoapRouteHandlerBuilder AnnounceHttpProxy(this CoapRouteHandlerBuilder route, string proxy, string? template = null)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(proxy);
        if (!Uri.TryCreate(proxy, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https")
            || uri.Query.Length > 0 || uri.Fragment.Length > 0)
        {
            throw new ArgumentException($"'{proxy}' is not the URI of a proxy. Use an absolute HTTP URI without query and fragment, such "
                + "as https://p.example.com/hc/.", nameof(proxy));
        }

        List<CoapLinkAttribute> attributes =
        [
            new("anchor", uri.GetLeftPart(UriPartial.Authority)),
            new("rt", "core.hc"),
        ];
        if (template is not null)
        {
            attributes.Add(new CoapLinkAttribute("hct", template));
        }

        return route.WithLink(new CoapLink(uri.AbsolutePath, [.. attributes]));
    }

    private static void Check(string target)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (!Uri.TryCreate(target, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https"))
        {
            throw new ArgumentException($"'{target}' is not an HTTP URI. Use one such as https://api.example.com/devices.", nameof(target));
        }

        if (uri.Scheme == "https")
        {
            PlatformCryptographyAvailability.ThrowIfMissing("https");
        }
    }

    private static CoapHttpBackendOptions Make(Action<CoapHttpBackendOptions>? configure, TimeProvider clock)
    {
        CoapHttpBackendOptions options = new() { TimeProvider = clock };
        configure?.Invoke(options);
        if (options.Identity is not null && options.IdentityKey.Length < MinKeyLength)
        {
            throw new ArgumentException(
                $"The identity of devices needs a signature. Set {nameof(CoapHttpBackendOptions.IdentityKey)} to a secret of "
                + $"{MinKeyLength} bytes or more.",
                nameof(configure));
        }

        return options.MakeReadOnlyFor("a proxy");
    }
}
