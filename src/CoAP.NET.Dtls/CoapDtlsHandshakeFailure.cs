namespace CoAP.NET.Dtls;

/// <summary>Why a DTLS handshake did not establish a session.</summary>
public enum CoapDtlsHandshakeFailure
{
    /// <summary>Another reason; the message describes it.</summary>
    Other,

    /// <summary>No answer came from the peer in time.</summary>
    NoAnswer,

    /// <summary>The peer's host reported that no process listens at its port (ICMP port unreachable).</summary>
    PortUnreachable,

    /// <summary>The peer answered, then fell silent before the handshake completed.</summary>
    TimedOut,

    /// <summary>The peer fell silent at the point where peers do so for a wrong pre-shared key (RFC 4279 section 2).</summary>
    PreSharedKey,

    /// <summary>The peer refused the handshake with an alert (RFC 5246 section 7.2.2).</summary>
    Refused,

    /// <summary>The endpoint does not trust the peer's certificate or raw public key, or it belongs to another name.</summary>
    NotTrusted,

    /// <summary>The peer wants credentials that this endpoint does not have.</summary>
    NoCredentials,

    /// <summary>The two ends have no cipher suite, version or curve in common.</summary>
    NothingInCommon,

    /// <summary>The endpoint is stopping.</summary>
    Stopped,

    /// <summary>DTLS is not available as configured: the platform lacks its cryptography, or a setting is not suitable.</summary>
    NotAvailable,
}
