namespace CoAP.NET.Errors;

/// <summary>The time limit that ended a request with a <see cref="CoapTimeoutException"/>.</summary>
/// <remarks>See <see cref="CoapTimeoutException.EndedBy"/>.</remarks>
internal enum CoapTimeLimitKind
{
    /// <summary>The timeout of the whole request: <see cref="CoapRequest.Timeout"/> or that of the client.</summary>
    RequestTimeout,

    /// <summary>All copies of the message were sent and MAX_TRANSMIT_WAIT is over, 93 s by default (RFC 7252 section 4.8.2).</summary>
    Retransmissions,

    /// <summary><see cref="CoapTransmissionParameters.ResponseTimeout"/>.</summary>
    /// <remarks>
    /// If it is not set: MAX_TRANSMIT_WAIT and 2 MAX_LATENCY after the acknowledgement, or NON_LIFETIME for a Non-confirmable request (RFC
    /// 7252 section 4.8.2).
    /// </remarks>
    ResponseTimeout,

    /// <summary>
    /// EXCHANGE_LIFETIME, 247 s by default (RFC 7252 section 4.8.2): the peer was silent while the request waited in the queue.
    /// </summary>
    ExchangeLifetime,

    PongTimeout,

    /// <summary>NON_RECEIVE_TIMEOUT, NON_MAX_RETRANSMIT times, of a Q-Block transfer (RFC 9177 section 7.2).</summary>
    QBlockRepeats,

    /// <summary>The limit of one search of an observation for the peer, including connecting, before it tries again.</summary>
    ObservationSearch,
}
