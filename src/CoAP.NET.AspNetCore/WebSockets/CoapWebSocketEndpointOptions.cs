using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore;

/// <summary>
/// How CoAP over WebSockets is served at a path of a web application (RFC 8323 section 4). Bounds of connections and messages are those of
/// the server's <see cref="CoapLimits"/>, times those of its <see cref="CoapStreamOptions"/>.
/// </summary>
public sealed class CoapWebSocketEndpointOptions
{
    /// <summary>
    /// The origins of web pages that may open WebSockets, such as <c>https://app.example.net</c>; <c>*</c> for any. Requests without an
    /// Origin header are not of web pages and always may. Default empty: pages of the application's own origin (RFC 6455 section 10.2).
    /// </summary>
    public ISet<string> AllowedOrigins { get; } = new HashSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Decides about an origin in place of <see cref="AllowedOrigins"/>; called with the value of the Origin header. Default null.
    /// </summary>
    public Func<HttpContext, string, bool>? IsOriginAllowed { get; set; }

    /// <summary>
    /// Says who the peer is: what <see cref="CoapPeer.Identity"/> gives. Default null: <see cref="HttpContext.User"/> where it is
    /// authenticated, otherwise a <see cref="Transports.CoapTlsIdentity"/> with the client certificate where there is TLS, otherwise
    /// nobody. A principal that is not authenticated is nobody, too: <see cref="CoapPeer.IsKnown"/> is false, and authorization answers
    /// 4.01.
    /// </summary>
    public Func<HttpContext, object?>? Identity { get; set; }

    /// <summary>
    /// Whether the connection counts as protected by TLS, so that its scheme is <c>coaps+ws</c>. Default null: when the request came by
    /// <c>https</c>, also as a trusted proxy says it by forwarded headers.
    /// </summary>
    public Func<HttpContext, bool>? IsSecure { get; set; }
}
