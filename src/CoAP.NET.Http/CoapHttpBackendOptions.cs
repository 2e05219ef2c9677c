using CoAP.NET.Proxy;

namespace CoAP.NET.Http;

/// <summary>How a proxy asks HTTP servers for CoAP clients. Read when <see cref="CoapHttpBackend.UseHttp"/> is called, but for the
/// tables.</summary>
public sealed class CoapHttpBackendOptions
{
    /// <summary>The tables of methods, codes and media types.</summary>
    public CoapHttpTranslator Translator { get; } = new();

    /// <summary>
    /// What sends requests to targets that were configured
    /// (<see cref="CoapHttpBackend.MapHttpBackend(ICoapRouteBuilder, string, string, CoapProxy)"/>), such as a client of
    /// <c>IHttpClientFactory</c>; asked for each request. It should not follow redirects: those are followed here. Default null: a client
    /// of the proxy's own. Targets that clients chose are asked by the proxy's own client only, which checks the address of each
    /// connection.
    /// </summary>
    public Func<HttpClient>? Client { get; set; }

    /// <summary>How many redirects of a GET are followed. 0 to 20; default 5.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxRedirects
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 20);
            field = value;
        }
    } = 5;

    /// <summary>The largest body of a response, in bytes; beyond it the client gets 5.02. 1 or more; default 1 MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = 1024 * 1024;

    /// <summary>
    /// Who the device is, for the back end: of a PSK identity, a certificate, or a session, by <see cref="CoapRequest.Peer"/>. Null is a
    /// device without an identity. Default null: the back end is told nothing. Configured targets only.
    /// </summary>
    public Func<CoapRequest, string?>? Identity { get; set; }

    /// <summary>
    /// The key that signs what <see cref="Identity"/> says: at least 32 bytes, shared with the back end. The device stands in
    /// <see cref="IdentityHeader"/> as a JSON Web Token with HS256 (RFC 7519), with the claims <c>sub</c>, <c>iat</c>, <c>exp</c> and
    /// <c>aud</c>, which is the origin of the back end. Required with <see cref="Identity"/>.
    /// </summary>
    public ReadOnlyMemory<byte> IdentityKey { get; set; }

    /// <summary>The header field of the token. Default <c>Authorization</c>, as <c>Bearer</c>.</summary>
    public string IdentityHeader { get; set; } = "Authorization";

    /// <summary>The clock. Default that of the system.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;
}
