namespace CoAP.NET.Dtls;

/// <summary>Why a DTLS handshake gave no session.</summary>
public enum CoapDtlsHandshakeFailure
{
    /// <summary>Something else; the message says what.</summary>
    Other,

    /// <summary>Nothing at all came from the peer in time.</summary>
    NoAnswer,

    /// <summary>The peer's host said that nobody listens at its port (ICMP port unreachable).</summary>
    PortUnreachable,

    /// <summary>The peer answered, and fell silent before the handshake was done.</summary>
    TimedOut,

    /// <summary>The peer fell silent where it does so over a pre-shared key that is not its own (RFC 4279 section 2).</summary>
    PreSharedKey,

    /// <summary>The peer refused the handshake by an alert (RFC 5246 section 7.2.2).</summary>
    Refused,

    /// <summary>The peer's certificate or raw public key is not trusted, or is of another name.</summary>
    NotTrusted,

    /// <summary>The peer wants credentials that this endpoint does not have.</summary>
    NoCredentials,

    /// <summary>Both ends have no cipher suite, version or curve in common.</summary>
    NothingInCommon,

    /// <summary>The endpoint stops.</summary>
    Stopped,
}
