namespace CoAP.NET.Dtls.Sessions;

/// <summary>Reads the identity that the peer of a session proved in its handshake.</summary>
internal static class DtlsPeerIdentityReader
{
    /// <summary>Reads the id of the peer; null for a peer without credentials.</summary>
    public static CoapPeerId? ReadId(DtlsSession session) =>
        CoapDtlsPeerIdentity.OfProof(session.PskIdentity, session.PeerCertificate, session.PeerPublicKey.Span);

    /// <summary>Reads the identity of the peer.</summary>
    /// <param name="session">The session.</param>
    /// <param name="id">The result of <see cref="ReadId"/> for the session.</param>
    public static CoapDtlsPeerIdentity Read(DtlsSession session, CoapPeerId? id) =>
        new(id, session.Suite.Name, session.HasConnectionId)
        {
            PskIdentity = session.PskIdentity,
            Certificate = session.PeerCertificate,
            PublicKey = session.PeerPublicKey,
        };
}
