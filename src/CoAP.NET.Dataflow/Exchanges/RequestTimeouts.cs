using CoAP.NET.Errors;

namespace CoAP.NET.Exchanges;

/// <summary>Computes the timeouts of client requests, and the facts for their timeout exceptions.</summary>
internal static class RequestTimeouts
{
    /// <summary>
    /// Returns the time limit of a response after its request was acknowledged, or sent if no acknowledgement is expected (RFC 7252
    /// sections 4.8.2 and 5.2.2).
    /// </summary>
    public static TimeSpan ResponseTimeOf(CoapTransmissionParameters parameters, bool isConfirmable) =>
        parameters.ResponseTimeout ?? (isConfirmable ? parameters.MaxTransmitWait + (2 * parameters.MaxLatency) : parameters.NonLifetime);

    /// <summary>All copies of a message were sent without an answer.</summary>
    public static CoapTimeoutException GivenUp(CoapTransmission transmission) => new(
        new TimeoutFacts(
            CoapTimeoutStep.Acknowledgement, CoapTimeLimitKind.Retransmissions, transmission.Channel.Parameters.MaxTransmitWait,
            CoapTimeoutReason.NotAcknowledged)
        {
            Attempts = transmission.Attempts,
        },
        transmission.Message.Code,
        transmission.Peer.ToString());

    /// <summary>Describes the timeout of a request or ping. Under Shard.Gate.</summary>
    /// <param name="request">The request.</param>
    /// <param name="isInVain">Whether it waited for its turn at a silent peer, without a time limit of its own.</param>
    public static TimeoutFacts Over(PendingRequest request, bool isInVain) => request is PingRequest && request.Channel.IsReliable
        ? OverPing(request, request.Channel.Connection!.Progress.FramesReceived == 0)
        : Over(request.Transmission, request.IsAcknowledged, request.Time, isInVain);

    private static TimeoutFacts OverPing(PendingRequest ping, bool isSilent) => new(
        isSilent ? CoapTimeoutStep.Capabilities : CoapTimeoutStep.Pong,
        ping.Time.IsSet ? CoapTimeLimitKind.RequestTimeout : CoapTimeLimitKind.PongTimeout,
        ping.Time.IsSet ? ping.Time.Whole : ping.Channel.Shard.Environment.Streams.PongTimeout,
        isSilent ? CoapTimeoutReason.NotAcknowledged : CoapTimeoutReason.NoResponse);

    /// <summary>Describes the timeout of a message that expects a response.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="isAcknowledged">Whether it was acknowledged, or given to a connection.</param>
    /// <param name="time">The time limits of the whole request.</param>
    /// <param name="isInVain">Whether it waited for its turn at a silent peer, without a time limit of its own.</param>
    public static TimeoutFacts Over(CoapTransmission transmission, bool isAcknowledged, ClientRequestTimeLimit time, bool isInVain)
    {
        CoapChannel channel = transmission.Channel;
        CoapTransmissionParameters parameters = channel.Parameters;
        bool isReliable = channel.IsReliable;
        bool isConfirmable = isReliable || transmission.Message.Type == CoapMessageType.Confirmable;
        (CoapTimeLimitKind endedBy, TimeSpan limit) =
            time.IsFinite ? (CoapTimeLimitKind.RequestTimeout, time.Whole)
            : isInVain ? (CoapTimeLimitKind.ExchangeLifetime, parameters.ExchangeLifetime)
            : isConfirmable && !isAcknowledged ? (CoapTimeLimitKind.Retransmissions, parameters.MaxTransmitWait)
            : (CoapTimeLimitKind.ResponseTimeout, ResponseTimeOf(parameters, isConfirmable));

        // A message on a connection counts as acknowledged. But only received messages, first of all the CSM, show that the peer was there
        // to take it.
        (CoapTimeoutStep awaited, CoapTimeoutReason reason) =
            isReliable && channel.Connection!.Progress.FramesReceived == 0
                ? (CoapTimeoutStep.Capabilities, CoapTimeoutReason.NotAcknowledged)
            : isAcknowledged ? (CoapTimeoutStep.Response, CoapTimeoutReason.NoResponse)
            : transmission.Attempts == 0 ? (CoapTimeoutStep.Turn, CoapTimeoutReason.NotSent)
            : !isConfirmable ? (CoapTimeoutStep.Response, CoapTimeoutReason.NoResponse)
            : (CoapTimeoutStep.Acknowledgement, CoapTimeoutReason.NotAcknowledged);
        return new TimeoutFacts(awaited, endedBy, limit, reason)
        {
            Attempts = transmission.Attempts,
            IsReliable = isReliable,
            IsNonConfirmable = !isConfirmable,

            // With no message outstanding it was PROBING_RATE that held this one back, and not NSTART.
            IsPeerSilent = channel.Messaging.Sending is { Interactions: 0, Unheard: > 0 },
        };
    }
}
