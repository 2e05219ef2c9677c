namespace CoAP.NET;

/// <summary>Why a connection could not be opened, or has ended (RFC 8323).</summary>
public enum CoapConnectionError
{
    /// <summary>It could not be opened: nobody listens, no route, or the time was over.</summary>
    ConnectFailed,

    /// <summary>
    /// The TLS handshake failed: a certificate, a name, the protocol version, or no ALPN <c>coap</c> (RFC 8323 section 8.2).
    /// </summary>
    HandshakeFailed,

    /// <summary>The peer closed it in order.</summary>
    Closed,

    /// <summary>It broke: reset, or the peer is silent and does not answer a Ping.</summary>
    Lost,

    /// <summary>The peer sent Abort, or we did because the peer broke a rule (RFC 8323 section 5.6).</summary>
    Aborted,

    /// <summary>The peer asked for an orderly end by Release (RFC 8323 section 5.5).</summary>
    Released,

    /// <summary>A bound of this endpoint does not allow it.</summary>
    Refused,

    /// <summary>The peer took too long: for its CSM, for a frame, or for what we sent.</summary>
    TooSlow,

    /// <summary>This endpoint closed it: it was idle, or the endpoint was stopped.</summary>
    ClosedByUs,

    /// <summary>
    /// Another process goes on with it, as with a DTLS session that is kept; the peer does not notice. A request under way may have taken
    /// effect.
    /// </summary>
    HandedOver,
}
