namespace CoAP.NET.Errors;

/// <summary>What a request waited for when its time expired, in the order of its steps.</summary>
/// <remarks>See <see cref="CoapTimeoutException.Awaited"/>.</remarks>
internal enum CoapTimeoutStep
{
    /// <summary>The addresses of the host name (<see cref="CoapTransportOptions.ResolveHost"/>).</summary>
    NameResolution,

    /// <summary>A connection: the TCP handshake, or the pause after failed attempts.</summary>
    Connect,

    /// <summary>The TLS handshake of <c>coaps+tcp</c> or <c>coaps+ws</c> (RFC 8323 section 8).</summary>
    TlsHandshake,

    /// <summary>The DTLS handshake of <c>coaps</c> (RFC 7252 section 9.1).</summary>
    DtlsHandshake,

    /// <summary>The response of the web server that upgrades the connection to a WebSocket (RFC 8323 section 4.1).</summary>
    WebSocketHandshake,

    /// <summary>The peer's CSM, the first message on each connection (RFC 8323 section 5.3): the peer sent nothing on it.</summary>
    Capabilities,

    /// <summary>
    /// Its turn in the queue: other messages to the peer had to end first (NSTART and PROBING_RATE, RFC 7252 section 4.7).
    /// </summary>
    Turn,

    /// <summary>An acknowledgement, or the Reset that answers a ping: the peer sent nothing back (RFC 7252 section 4.2).</summary>
    Acknowledgement,

    /// <summary>
    /// The response: the request was acknowledged, or is Non-confirmable, or was sent on a connection on which the peer has sent something.
    /// </summary>
    Response,

    /// <summary>The response to a further block of a body, in either direction (RFC 7959).</summary>
    NextBlock,

    /// <summary>The Pong that answers a Ping on a connection (RFC 8323 section 5.4).</summary>
    Pong,
}
