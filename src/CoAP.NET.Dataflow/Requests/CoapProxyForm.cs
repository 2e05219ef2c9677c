namespace CoAP.NET;

/// <summary>The options that name the target of a request to a forward proxy (RFC 7252 section 5.10.2).</summary>
/// <remarks>Both forms mean the same; some proxies support only one of them.</remarks>
public enum CoapProxyForm
{
    /// <summary>Proxy-Uri, for URIs of up to 1,034 bytes; longer ones use <see cref="Scheme"/>.</summary>
    Uri,

    /// <summary>Proxy-Scheme with Uri-Host, Uri-Port, Uri-Path and Uri-Query, which proxies such as that of aiocoap require.</summary>
    Scheme,
}
