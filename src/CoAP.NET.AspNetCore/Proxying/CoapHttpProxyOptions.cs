using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.Proxy;

namespace CoAP.NET.AspNetCore;

/// <summary>How a path of a web application works as a proxy between HTTP and CoAP (RFC 8075).</summary>
public sealed class CoapHttpProxyOptions : CoapHttpExchangeOptions
{
    /// <summary>
    /// Whom clients may ask for. Default: nobody. Names are checked as they stand in the target and by the address that they resolve to
    /// just before the request is sent; loopback, link-local and private addresses have to be named, groups are never asked.
    /// </summary>
    public CoapProxyTargets Targets { get; } = new();

    /// <summary>
    /// Where the target stands behind the path of the proxy (RFC 8075 section 5.4). Default <c>{+tu}</c>: all of it, as in
    /// <c>/hc/coap://s.example.com/light</c>. With a query in the template, such as <c>?target_uri={+tu}</c>, the pattern of the path needs
    /// no catch-all.
    /// </summary>
    /// <exception cref="ArgumentException">It is no template of RFC 8075.</exception>
    public string Template
    {
        get;
        set
        {
            Parsed = new TargetTemplate(value);
            field = value;
        }
    } = "{+tu}";

    /// <summary>
    /// The scheme of targets that have none, where clients and this proxy agree on it (RFC 8075 section 5.3.1). Default null: they are
    /// answered 400.
    /// </summary>
    public string? DefaultScheme { get; set; }

    /// <summary>
    /// Whether the application may start although nothing says who may use the proxy. Default false: RFC 8075 section 10 wants all requests
    /// authenticated, so that <c>RequireAuthorization</c>, or a fallback policy, is asked for.
    /// </summary>
    public bool AllowAnonymous { get; set; }

    /// <summary>
    /// Whether clients that came by plain HTTP may ask for secured targets (<c>coaps</c> and its like). Default false: they are answered
    /// 403 (RFC 8075 section 10.3).
    /// </summary>
    public bool AllowSecuredTargetsToAnyone { get; set; }

    /// <summary>
    /// A cache for the responses. Default null. With one, bodies of responses are put together before they are handed over, of
    /// <see cref="CoapLimits.MaxResponseBodySize"/> at most, and a GET goes on to fill the cache when its client has gone (RFC 8075 section
    /// 8.1), in the place of that client.
    /// </summary>
    public CoapCache? Cache { get; set; }

    /// <summary>
    /// The Hop-Limit of requests (RFC 8768 section 5). 1 to 255; default 16. A request with the header field <c>CoAP-Hop-Limit</c>, which
    /// our proxies between CoAP and HTTP send, has what that leaves.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int HopLimit
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 255);
            field = value;
        }
    } = 16;

    /// <summary>
    /// Changes how the proxy's own client works: credentials, transports, limits. Its <see cref="CoapEndpointOptions.ResolveHost"/> is
    /// wrapped afterwards, so that names lead to allowed addresses only. Default null.
    /// </summary>
    public Action<CoapEndpointOptions>? ConfigureClient { get; set; }

    internal TargetTemplate Parsed { get; private set; } = new("{+tu}");
}
