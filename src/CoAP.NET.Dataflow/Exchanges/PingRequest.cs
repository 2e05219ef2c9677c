using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

/// <summary>An Empty Confirmable message of ours that waits for its Reset (RFC 7252 section 4.3).</summary>
internal sealed class PingRequest : PendingRequest
{
    private readonly long _startedAt;

    public PingRequest(ExchangeLayer layer, CoapChannel channel, long now)
        : base(layer, channel, new CoapMessage { Type = CoapMessageType.Confirmable }, null) => _startedAt = now;

    public TaskCompletionSource<TimeSpan> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override bool IsCompleted => Completion.Task.IsCompleted;

    public void OnEvent(CoapInboundKind kind, long now)
    {
        switch (kind)
        {
            // A Reset is the answer; whoever acknowledges instead is there as well.
            case CoapInboundKind.Reset or CoapInboundKind.Acknowledged:
                Completion.TrySetResult(TimeSpan.FromTicks(now - _startedAt));
                StopWatchingCancellation();
                break;
            case CoapInboundKind.Unreachable:
                Fail(new CoapUnreachableException(Target));
                break;
            case CoapInboundKind.SendFailed:
                Fail(new CoapSendException(Target, Transmission.SendError));
                break;
            case CoapInboundKind.NotSent:
                Fail(new CoapBusyException(Target, Channel.Parameters.MaxQueuedRequests));
                break;
            default:
                Fail(new CoapTimeoutException(CoapTimeoutReason.NotAcknowledged, CoapCode.Empty, Target));
                break;
        }
    }

    protected override void SetException(Exception exception) => Completion.TrySetException(exception);

    protected override void SetCanceled(CancellationToken cancellationToken) => Completion.TrySetCanceled(cancellationToken);
}
