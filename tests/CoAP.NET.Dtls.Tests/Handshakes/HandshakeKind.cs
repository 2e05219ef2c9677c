namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>How both ends of a handshake prove their identity.</summary>
public enum HandshakeKind
{
    /// <summary>By a pre-shared key.</summary>
    Psk,

    /// <summary>By a pre-shared key, with ephemeral keys.</summary>
    EcdhePsk,

    /// <summary>The server by a certificate.</summary>
    Ecdsa,

    /// <summary>Both by certificates.</summary>
    EcdsaMutual,

    /// <summary>Both by raw public keys.</summary>
    RawPublicKeys,

    /// <summary>By an earlier session with a pre-shared key.</summary>
    Resumed,
}
