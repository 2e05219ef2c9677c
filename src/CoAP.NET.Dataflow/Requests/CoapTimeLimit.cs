namespace CoAP.NET;

/// <summary>Which time was over when a request failed by a <see cref="CoapTimeoutException"/>. See
/// <see cref="CoapTimeoutException.EndedBy"/>.</summary>
public enum CoapTimeLimit
{
    /// <summary>The time that the caller gave the whole request: <see cref="CoapRequest.Timeout"/> or that of the client.</summary>
    RequestTimeout,

    /// <summary>All copies of the message were sent and MAX_TRANSMIT_WAIT is over, 93 s by default (RFC 7252 section 4.8.2).</summary>
    Retransmissions,

    /// <summary>
    /// <see cref="CoapTransmissionParameters.ResponseTimeout"/>; where that is not set MAX_TRANSMIT_WAIT and 2 MAX_LATENCY after the
    /// acknowledgement, or NON_LIFETIME for a Non-confirmable request (RFC 7252 section 4.8.2).
    /// </summary>
    ResponseTimeout,

    /// <summary>EXCHANGE_LIFETIME, 247 s by default (RFC 7252 section 4.8.2), in which the peer was silent while the request waited for its
    /// turn.</summary>
    ExchangeLifetime,

    /// <summary><see cref="CoapStreamOptions.PongTimeout"/>.</summary>
    PongTimeout,

    /// <summary>NON_RECEIVE_TIMEOUT, NON_MAX_RETRANSMIT times, of a transfer by Q-Block (RFC 9177 section 7.2).</summary>
    QBlockRepeats,

    /// <summary>The time that an observation gives one search for the peer, with connecting to it, before it tries again.</summary>
    ObservationSearch,
}
