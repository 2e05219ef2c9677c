using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>
/// What identities of secured transports have in common, by whatever protocol they were proven: what authorization asks without knowing the
/// protocol. See <see cref="CoapPeer.Identity"/>.
/// </summary>
public interface ICoapPeerIdentity
{
    /// <summary>
    /// The certificate that the peer showed; null when it showed none. It lives as long as the peer's connection or session.
    /// </summary>
    X509Certificate2? Certificate { get; }

    /// <summary>
    /// Whether the peer has shown who it is. False of one that was served without credentials of its own, as clients of HTTPS are: it has
    /// proven nothing of itself.
    /// </summary>
    bool IsKnown { get; }
}
