using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Proxy;
using CoAP.NET.Settings;

namespace CoAP.NET.Http;

/// <summary>Options of the HTTP servers behind a CoAP proxy.</summary>
/// <remarks><see cref="CoapHttpExtensions.UseHttp"/> reads them when it is called; only the tables can change later.</remarks>
[HasSettings]
public sealed partial class CoapHttpBackendOptions
{
    /// <summary>The tables of methods, codes and media types.</summary>
    public CoapHttpTranslator Translator { get; } = new();

    /// <summary>
    /// Returns the HTTP client for requests to configured targets
    /// (<see cref="CoapHttpExtensions.MapHttpBackend(ICoapRouteBuilder, string, string, CoapProxy)"/>), such as a client of
    /// <c>IHttpClientFactory</c>. Default null: a client of the proxy.
    /// </summary>
    /// <remarks>
    /// The proxy calls it for each request. The client should not follow redirects because the proxy follows them itself. Requests to
    /// targets that clients choose always use the proxy's own client, which checks the address of each connection.
    /// </remarks>
    public partial Func<HttpClient>? Client { get; set; }

    /// <summary>The maximum number of redirects that a GET follows</summary>
    [NumberRange(0, 20)]
    public partial int MaxRedirects { get; set; } = 5;

    /// <summary>The largest body of a response, in bytes, 1 byte to 1 GiB.</summary>
    /// <remarks>The client gets 5.02 for a larger one. Blocks cannot number more than 1 GiB (RFC 7959 section 2.2).</remarks>
    [NumberRange(1, 1 << 30, IsBytes = true)]
    public partial int MaxBodySize { get; set; } = 1024 * 1024;

    /// <summary>The maximum number of bytes of cached GET responses; 0 disables the cache.</summary>
    /// <remarks>
    /// Fresh responses serve later requests of any device. Never cached: responses that depend on the device (<see cref="Identity"/>,
    /// <see cref="ClientCertificate"/>), responses of <c>https</c>, and responses with <c>private</c>, <c>no-store</c> or <c>Vary: *</c>.
    /// </remarks>
    [NumberRange(0, IsBytes = true)]
    public partial long CacheBytes { get; set; } = 8 * 1024 * 1024;

    /// <summary>
    /// The minimum interval between two polls of a resource that devices observe. Default null: no polls, and devices get a
    /// response without an observation.
    /// </summary>
    /// <remarks>
    /// HTTP has no observations. The proxy therefore sends a GET with <c>If-None-Match</c> when the known representation has become stale,
    /// once for all devices that observe the same resource. It notifies devices only of changes.
    /// </remarks>
    [TimeRange(1, Seconds.Day)]
    public partial TimeSpan? PollInterval { get; set; }

    /// <summary>
    /// Returns the TLS client certificate of a device, with its private key; null for a device without one. Default null.
    /// </summary>
    /// <remarks>
    /// Applies to configured <c>https</c> targets only. Requests of devices without a certificate use <see cref="Client"/>. Each
    /// certificate has its own client and connections, so the back end never confuses devices, and devices do not share responses. The
    /// caller keeps ownership of the certificates.
    /// </remarks>
    public partial Func<CoapRequestContext, X509Certificate2?>? ClientCertificate { get; set; }

    /// <summary>The maximum number of device certificates with open connections.</summary>
    /// <remarks>A further certificate replaces the least recently used one. If all are in use, the device gets 5.03.</remarks>
    [NumberRange(1)]
    public partial int MaxCertificateClients { get; set; } = 100;

    /// <summary>The time without a request after which the proxy closes the connections of a certificate.</summary>
    [TimeRange(1, Seconds.Day)]
    public partial TimeSpan CertificateIdleTimeout { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// Configures the handlers of the clients for <see cref="ClientCertificate"/>, for example the authorities trusted for the back end's
    /// certificate. Default null.
    /// </summary>
    public partial Action<SocketsHttpHandler>? ConfigureCertificateHandler { get; set; }

    /// <summary>
    /// Returns the identity of a device for the back end, from the PSK identity, certificate or session of
    /// <see cref="CoapRequestContext.Peer"/>; null for a device without one.
    /// </summary>
    /// <remarks>Applies to configured targets only. Default null: the proxy sends no identity.</remarks>
    public partial Func<CoapRequestContext, string?>? Identity { get; set; }

    /// <summary>
    /// The key that signs <see cref="Identity"/>: at least 32 bytes, shared with the back end. Required with <see cref="Identity"/>.
    /// </summary>
    /// <remarks>
    /// <see cref="IdentityHeader"/> carries the device as a JSON Web Token with HS256 (RFC 7519), with the claims <c>sub</c>, <c>iat</c>,
    /// <c>exp</c> and <c>aud</c>. The latter is the origin of the back end.
    /// </remarks>
    public partial ReadOnlyMemory<byte> IdentityKey { get; set; }

    /// <summary>The header field of the token. Default <c>Authorization</c>, as <c>Bearer</c>.</summary>
    public partial string IdentityHeader { get; set; } = "Authorization";

    /// <summary>The clock. Default: that of the server with the path, or of the client of the proxy.</summary>
    public partial TimeProvider TimeProvider { get; set; } = TimeProvider.System;
}
