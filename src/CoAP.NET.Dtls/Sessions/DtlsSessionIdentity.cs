namespace CoAP.NET.Dtls.Sessions;

/// <summary>The identity that the peer of a session proved in its handshake.</summary>
internal static class DtlsSessionIdentity
{
    /// <summary>Returns who proved an identity; null for a peer without credentials.</summary>
    public static CoapPeerId? IdOf(DtlsSession session) =>
        CoapDtlsPeerIdentity.OfProof(session.PskIdentity, session.PeerCertificate, session.PeerPublicKey.Span);

    /// <summary>Returns the identity of the peer.</summary>
    /// <param name="session">The session.</param>
    /// <param name="id">What <see cref="IdOf"/> returned for it.</param>
    public static CoapDtlsPeerIdentity From(DtlsSession session, CoapPeerId? id) =>
        new(id, session.Suite.Name, session.HasConnectionId)
        {
            PskIdentity = session.PskIdentity,
            Certificate = session.PeerCertificate,
            PublicKey = session.PeerPublicKey,
        };
}
