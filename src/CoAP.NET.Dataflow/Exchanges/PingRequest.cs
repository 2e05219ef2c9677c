using CoAP.NET.Errors;

namespace CoAP.NET.Exchanges;

/// <summary>An Empty Confirmable message that waits for its Reset (RFC 7252 section 4.3).</summary>
internal sealed class PingRequest : PendingRequest
{
    private readonly long _startedAt;
    private int _isOver;

    public PingRequest(ExchangeLayer layer, CoapChannel channel, ClientRequestTimeLimit time, long now, bool passesQueue)
        : base(layer, channel, new CoapMessage { Type = CoapMessageType.Confirmable }, time, passesQueue)
    {
        _startedAt = now;
        Completion = new TaskCompletionSource<TimeSpan>(channel.Shard.Environment.CompletionOptions);
    }

    public TaskCompletionSource<TimeSpan> Completion { get; }

    /// <summary>Whether the outcome is known; <see cref="Completion"/> may end a little later.</summary>
    public override bool IsCompleted => Volatile.Read(ref _isOver) != 0;

    /// <inheritdoc/>
    public override void OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        if (!TryTake())
        {
            return;
        }

        // A receive loop keeps the time of its last datagram, which may be before another thread sent the Ping.
        long elapsed = Math.Max(0, Channel.Shard.Environment.Now - _startedAt);
        switch (fate)
        {
            // A Reset is the answer; a peer that acknowledges instead is there as well.
            case CoapInboundKind.Reset or CoapInboundKind.Acknowledged:
                End(() => Completion.TrySetResult(TimeSpan.FromTicks(elapsed)));
                StopWatchingCancellation();
                break;
            case CoapInboundKind.Unreachable:
                Fail(RequestErrors.Unreachable(Target));
                break;
            case CoapInboundKind.SendFailed:
                Fail(RequestErrors.SendFailed(Target, Transmission.SendError));
                break;
            case CoapInboundKind.NotSent:
                Fail(RequestErrors.Busy(Target, Channel.Parameters.MaxQueuedRequests));
                break;
            default:
                Fail(RequestTimeouts.GivenUp(Transmission));
                break;
        }
    }

    protected override void SetException(Exception exception) => End(() => Completion.TrySetException(exception));

    protected override void SetCanceled(CancellationToken cancellationToken) => End(() => Completion.TrySetCanceled(cancellationToken));

    private void End(Action complete)
    {
        if (Interlocked.Exchange(ref _isOver, 1) == 0)
        {
            Channel.Shard.Environment.Report(static complete => ((Action)complete!)(), complete);
        }
    }
}
