namespace CoAP.NET.Errors;

/// <summary>The stages of an attempt to open a connection or a session (<see cref="CoapConnectProgress"/>).</summary>
/// <remarks>Later stages have higher values.</remarks>
internal enum CoapConnectPhase
{
    /// <summary>The attempt has not sent anything yet: it waits for another attempt, for a key or for a thread.</summary>
    Waiting,

    /// <summary>The peer has not answered.</summary>
    NoAnswer,

    /// <summary>The peer answered, and the handshake continues.</summary>
    Handshaking,

    /// <summary>
    /// This end has sent its identity (the name of a pre-shared key, or a certificate), and the peer has not confirmed it yet.
    /// </summary>
    Authenticating,

    /// <summary>
    /// The connection is open, but the peer's required first message (such as a CSM, RFC 8323 section 5.3) has not arrived.
    /// </summary>
    Opened,
}
