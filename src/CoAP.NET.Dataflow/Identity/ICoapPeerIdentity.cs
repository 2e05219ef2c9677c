using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET;

/// <summary>The common part of the identities of secured transports, for authorization that does not depend on the protocol.</summary>
/// <remarks>See <see cref="CoapPeer.Identity"/>.</remarks>
public interface ICoapPeerIdentity
{
    /// <summary>The certificate that the peer presented; null without one.</summary>
    /// <remarks>It lives as long as the peer's connection or session.</remarks>
    X509Certificate2? Certificate { get; }

    /// <summary>The identity of the pre-shared key that the peer proved (RFC 4279); null without one.</summary>
    string? PskIdentity { get; }

    /// <summary>The ID of the peer; null if it proved nothing that distinguishes it from others.</summary>
    CoapPeerId? Id { get; }

    /// <summary>Whether the peer has proven its identity.</summary>
    /// <remarks>False for a peer without credentials of its own, such as a typical HTTPS client.</remarks>
    bool IsKnown { get; }
}
