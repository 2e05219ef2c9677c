namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Why a handshake with a client failed; the metric counts by it.</summary>
internal enum HandshakeFault
{
    /// <summary>None of the others, such as a forged or malformed message.</summary>
    Other,

    /// <summary>The client did not finish in time.</summary>
    TimedOut,

    /// <summary>The key store does not know the identity.</summary>
    UnknownIdentity,

    /// <summary>The client has another key than the key store.</summary>
    WrongKey,

    /// <summary>Both ends have no cipher suite, version or required extension in common.</summary>
    NothingInCommon,

    /// <summary>The server does not accept the certificate or the raw public key of the client.</summary>
    CertificateRefused,

    /// <summary>The client presented no certificate, and the server requires one.</summary>
    NoCertificate,

    /// <summary>Code of the application threw an exception, such as a key store.</summary>
    CallbackFailed,
}
