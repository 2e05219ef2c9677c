using CoAP.NET.Settings;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore;

/// <summary>Options for CoAP over WebSockets at a path of a web application (RFC 8323 section 4).</summary>
/// <remarks>
/// The limits of connections and messages come from the server's <see cref="CoapLimits"/>, the times from its
/// <see cref="CoapStreamOptions"/>.
/// </remarks>
[HasSettings]
public sealed partial class CoapWebSocketEndpointOptions
{
    /// <summary>
    /// The origins of web pages that may open WebSockets, such as <c>https://app.example.net</c>; <c>*</c> for any. Default empty: only
    /// pages of the application's own origin (RFC 6455 section 10.2).
    /// </summary>
    /// <remarks>Requests without an Origin header do not come from web pages and are always allowed.</remarks>
    public ISet<string> AllowedOrigins { get; } = new SettingSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// The host names, without port, under which web pages may open WebSockets from this machine, beside addresses and <c>localhost</c>.
    /// Default empty: those of the setting <c>AllowedHosts</c> of the application.
    /// </summary>
    /// <remarks>
    /// Otherwise a page of another site could reach the server by a name of its own (DNS rebinding); it gets 403. Add the name of the site
    /// if a proxy on this machine forwards its requests without saying from whom they come.
    /// </remarks>
    public ISet<string> AllowedHosts { get; } = new SettingSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>Decides about an origin, in place of <see cref="AllowedOrigins"/>. Default null.</summary>
    /// <remarks>Its argument is the value of the Origin header.</remarks>
    public partial Func<HttpContext, string, bool>? IsOriginAllowed { get; set; }

    /// <summary>
    /// Returns the identity of the peer for <see cref="CoapPeer.Identity"/>. Default null: the authenticated
    /// <see cref="HttpContext.User"/>, otherwise with TLS a <see cref="CoapTlsPeerIdentity"/> with the client certificate, otherwise
    /// none.
    /// </summary>
    /// <remarks>
    /// An unauthenticated principal counts as no identity: <see cref="CoapPeer.IsKnown"/> is false, and authorization answers 4.01.
    /// </remarks>
    public partial Func<HttpContext, ICoapPeerIdentity?>? Identity { get; set; }

    /// <summary>
    /// Decides whether the connection counts as protected by TLS, with the scheme <c>coaps+ws</c>. Default null: true for requests over
    /// <c>https</c>, also according to the forwarded headers of a trusted proxy.
    /// </summary>
    public partial Func<HttpContext, bool>? IsSecure { get; set; }
}
