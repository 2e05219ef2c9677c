namespace CoAP.NET.Transports;

/// <summary>
/// How far an attempt to open a connection or a session is (<see cref="CoapConnectProgress"/>). Later stages have higher values.
/// </summary>
public enum CoapConnectStage
{
    /// <summary>It has not sent anything yet: it waits for another attempt, for a key or for a thread.</summary>
    Waiting,

    /// <summary>Nothing has come from the peer.</summary>
    NoAnswer,

    /// <summary>The peer answered, and the handshake goes on.</summary>
    Handshaking,

    /// <summary>This end has told its identity (a pre-shared key's name, or a certificate) and the peer has not confirmed it yet.</summary>
    Authenticating,

    /// <summary>
    /// The connection stands, and the peer's first message that it needs (such as a CSM, RFC 8323 section 5.3) is missing.
    /// </summary>
    Opened,
}
