namespace CoAP.NET;

/// <summary>The reason why a connection could not be opened, or has ended (RFC 8323).</summary>
public enum CoapConnectionError
{
    /// <summary>The connection could not be opened: nothing listens, no route, or a timeout.</summary>
    ConnectFailed,

    /// <summary>
    /// The TLS handshake failed: a certificate, a name, the protocol version, or no ALPN <c>coap</c> (RFC 8323 section 8.2).
    /// </summary>
    HandshakeFailed,

    /// <summary>The peer closed it gracefully.</summary>
    Closed,

    /// <summary>The connection broke: reset, or the peer is silent and does not answer a Ping.</summary>
    Lost,

    /// <summary>The peer sent Abort, or this endpoint did because the peer violated a rule (RFC 8323 section 5.6).</summary>
    Aborted,

    /// <summary>The peer requested a graceful end with Release (RFC 8323 section 5.5).</summary>
    Released,

    /// <summary>A limit of this endpoint does not allow it.</summary>
    Refused,

    /// <summary>The peer took too long: for its CSM, for a frame, or for reading our data.</summary>
    TooSlow,

    /// <summary>This endpoint closed it: it was idle, or the endpoint was stopped.</summary>
    ClosedByUs,

    /// <summary>Another process took it over, for example a stored DTLS session; the peer does not notice.</summary>
    /// <remarks>A running request may have taken effect.</remarks>
    HandedOver,
}
