namespace CoAP.NET;

/// <summary>How far a request had come when its time was over; <see cref="CoapAwaited"/> says it in detail.</summary>
public enum CoapTimeoutReason
{
    /// <summary>It never left: it waited for its host name, for a connection or handshake, or for its turn (NSTART, RFC 7252 section
    /// 4.7).</summary>
    NotSent,

    /// <summary>It was sent, and nobody acknowledged it or answered (RFC 7252 section 4.2), or said anything on its connection.</summary>
    NotAcknowledged,

    /// <summary>It was acknowledged, sent on a connection that the peer uses, or needs no acknowledgement, but no response followed (RFC
    /// 7252 section 5.2.2).</summary>
    NoResponse,
}
