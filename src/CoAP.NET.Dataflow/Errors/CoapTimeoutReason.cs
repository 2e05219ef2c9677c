namespace CoAP.NET.Errors;

/// <summary>The progress of a request when its time expired; <see cref="CoapTimeoutStep"/> has the details.</summary>
internal enum CoapTimeoutReason
{
    /// <summary>
    /// The request was not sent: it waited for its host name, for a connection or handshake, or in the queue (NSTART, RFC 7252 section
    /// 4.7).
    /// </summary>
    NotSent,

    /// <summary>
    /// The request was sent; the peer neither acknowledged nor answered it (RFC 7252 section 4.2), nor sent anything on its connection.
    /// </summary>
    NotAcknowledged,

    /// <summary>
    /// The request was acknowledged, sent on a connection that the peer uses, or needs no acknowledgement, but no response followed (RFC
    /// 7252 section 5.2.2).
    /// </summary>
    NoResponse,
}
