using System.Security.Cryptography.X509Certificates;
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

    /// <summary>The largest body of a response, in bytes; beyond it the client gets 5.02. 1 to 1 GiB, as much as blocks can number (RFC
    /// 7959 section 2.2); default 1 MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1 << 30);
            field = value;
        }
    } = 1024 * 1024;

    /// <summary>
    /// How many bytes of answers to GET are kept for later requests of any device, as long as they are fresh; 0 for none. Never kept:
    /// answers that depend on the device (<see cref="Identity"/>, <see cref="ClientCertificate"/>), answers of <c>https</c>, and what says
    /// <c>private</c>, <c>no-store</c> or <c>Vary: *</c>. 0 or more; default 8 MiB.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 0.</exception>
    public long CacheBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    } = 8 * 1024 * 1024;

    /// <summary>
    /// How often what devices observe is asked for again, as HTTP has no observations: whenever it has become stale, but not more often
    /// than once in this time, by a GET with <c>If-None-Match</c>, once for all devices that observe the same. Devices hear of it only when
    /// it has changed. 1 s to 1 day. Default null: nothing is polled, and devices get a plain answer.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public TimeSpan? PollInterval
    {
        get;
        set
        {
            if (value is { } interval)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(interval, TimeSpan.FromSeconds(1), nameof(value));
                ArgumentOutOfRangeException.ThrowIfGreaterThan(interval, TimeSpan.FromDays(1), nameof(value));
            }

            field = value;
        }
    }

    /// <summary>
    /// The certificate that the back end knows a device by, with its private key, for TLS of the connections to it; null for a device
    /// without one, whose requests go by <see cref="Client"/>. Each certificate has a client and connections of its own, so that no device
    /// is taken for another; answers are not shared between devices. Certificates stay the caller's. Default null. Configured targets of
    /// <c>https</c> only.
    /// </summary>
    public Func<CoapRequest, X509Certificate2?>? ClientCertificate { get; set; }

    /// <summary>
    /// How many certificates of devices may have connections at a time. One more takes the place of the one that is unused for longest;
    /// when all are in use the device gets 5.03. 1 or more; default 100.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxCertificateClients
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = 100;

    /// <summary>After how long without a request the connections of a certificate are closed. 1 s to 1 day; default 2 minutes.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public TimeSpan CertificateIdleTimeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromSeconds(1));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            field = value;
        }
    } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// Changes the handlers of the clients that <see cref="ClientCertificate"/> makes necessary, such as which authorities the back end's
    /// own certificate may come from. Default null.
    /// </summary>
    public Action<SocketsHttpHandler>? ConfigureCertificateHandler { get; set; }

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
