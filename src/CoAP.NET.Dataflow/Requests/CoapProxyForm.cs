namespace CoAP.NET;

/// <summary>How a request names its target to a forward proxy (RFC 7252 section 5.10.2). Both mean the same; some proxies know one of them
/// only.</summary>
public enum CoapProxyForm
{
    /// <summary>By Proxy-Uri, which takes URIs of up to 1,034 bytes; longer ones go by <see cref="Scheme"/>.</summary>
    Uri,

    /// <summary>By Proxy-Scheme beside Uri-Host, Uri-Port, Uri-Path and Uri-Query, as proxies such as that of aiocoap want it.</summary>
    Scheme,
}
