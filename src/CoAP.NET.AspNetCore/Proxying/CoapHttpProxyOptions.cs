using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.Caching;
using CoAP.NET.Proxy;
using CoAP.NET.Settings;

namespace CoAP.NET.AspNetCore;

/// <summary>Options of a path that is a proxy between HTTP and CoAP (RFC 8075).</summary>
[HasSettings]
public sealed partial class CoapHttpProxyOptions : CoapHttpToCoapOptions
{
    /// <summary>The targets that clients may use. Default: none.</summary>
    /// <remarks>
    /// The proxy checks a name as it is in the target, and by the address that it resolves to just before the request is sent. Loopback,
    /// link-local and private addresses must be named; groups are never allowed.
    /// </remarks>
    public CoapProxyTargets Targets { get; } = new();

    /// <summary>
    /// The position of the target after the path of the proxy (RFC 8075 section 5.4). Default <c>{+tu}</c>: the whole target, as in
    /// <c>/hc/coap://s.example.com/light</c>.
    /// </summary>
    /// <remarks>If the template is a query, such as <c>?target_uri={+tu}</c>, the pattern of the path needs no catch-all.</remarks>
    /// <exception cref="ArgumentException">The text is not a template of RFC 8075.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public string Template
    {
        get;
        set
        {
            ThrowIfReadOnly();
            Parsed = new UriMappingTemplate(value);
            field = value;
        }
    } = "{+tu}";

    /// <summary>
    /// The scheme of targets without one, if clients and this proxy agree on it (RFC 8075 section 5.3.1). Default null: such targets get
    /// 400.
    /// </summary>
    public partial string? DefaultScheme { get; set; }

    /// <summary>Whether the application may start without authorization for the proxy. Default false.</summary>
    /// <remarks>
    /// RFC 8075 section 10 requires that all requests are authenticated. By default the application therefore needs
    /// <c>RequireAuthorization</c> or a fallback policy.
    /// </remarks>
    public partial bool AllowAnonymous { get; set; }

    /// <summary>
    /// Whether clients on plain HTTP may use secured targets (<c>coaps</c> and similar). Default false: they get 403 (RFC 8075 section
    /// 10.3).
    /// </summary>
    public partial bool AllowSecuredTargetsToAnyone { get; set; }

    /// <summary>The cache for responses. Default null: no cache.</summary>
    /// <remarks>
    /// With a cache the proxy assembles response bodies before it sends them, at most
    /// <see cref="CoapBlockwiseLimits.MaxResponseBodySize"/>. A GET continues after its client has disconnected, to fill the cache (RFC
    /// 8075 section 8.1), and keeps the place of that client.
    /// </remarks>
    public partial CoapCache? Cache { get; set; }

    /// <summary>The Hop-Limit of requests (RFC 8768 section 5)</summary>
    /// <remarks>
    /// Proxies of this library between CoAP and HTTP send the header field <c>CoAP-Hop-Limit</c>. A request with this field gets the limit
    /// that remains.
    /// </remarks>
    [NumberRange(1, 255)]
    public partial int HopLimit { get; set; } = 16;

    /// <summary>Configures the proxy's own client: credentials, transports, limits. Default null.</summary>
    /// <remarks>
    /// The proxy wraps <see cref="CoapTransportOptions.ResolveHost"/> afterwards: names resolve to allowed addresses only.
    /// </remarks>
    public partial Action<CoapEndpointOptions>? ConfigureClient { get; set; }

    internal UriMappingTemplate Parsed { get; private set; } = new("{+tu}");
}
