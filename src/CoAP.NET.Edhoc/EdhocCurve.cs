namespace CoAP.NET.Edhoc;

/// <summary>An elliptic curve, by its number in COSE (RFC 9053 section 7.1).</summary>
public enum EdhocCurve
{
    /// <summary>P-256, for ECDH and ES256.</summary>
    P256 = 1,

    /// <summary>P-384, for ECDH and ES384.</summary>
    P384 = 2,

    /// <summary>X25519, for ECDH. Needs OpenSSL.</summary>
    X25519 = 4,

    /// <summary>X448, for ECDH. Needs OpenSSL.</summary>
    X448 = 5,

    /// <summary>Ed25519, for EdDSA. Needs OpenSSL.</summary>
    Ed25519 = 6,

    /// <summary>Ed448, for EdDSA. Needs OpenSSL.</summary>
    Ed448 = 7,
}
