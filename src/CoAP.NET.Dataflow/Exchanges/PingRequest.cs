using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

/// <summary>An Empty Confirmable message of ours that waits for its Reset (RFC 7252 section 4.3).</summary>
internal sealed class PingRequest
{
    private readonly long _startedAt;

    public PingRequest(CoapChannel channel, long now)
    {
        Channel = channel;
        _startedAt = now;
        Transmission = new CoapTransmission(channel, new CoapMessage { Type = CoapMessageType.Confirmable }, this);
    }

    public CoapChannel Channel { get; }

    public CoapTransmission Transmission { get; }

    public TaskCompletionSource<TimeSpan> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void OnEvent(CoapInboundKind kind, long now)
    {
        switch (kind)
        {
            // A Reset is the answer; whoever acknowledges instead is there as well.
            case CoapInboundKind.Reset or CoapInboundKind.Acknowledged:
                Completion.TrySetResult(TimeSpan.FromTicks(now - _startedAt));
                break;
            case CoapInboundKind.Unreachable:
                Completion.TrySetException(new CoapUnreachableException(Channel.ToString()));
                break;
            case CoapInboundKind.NotSent:
                Completion.TrySetException(new CoapBusyException(Channel.ToString(), Channel.Parameters.MaxQueuedRequests));
                break;
            default:
                Completion.TrySetException(new CoapTimeoutException(CoapTimeoutReason.NotAcknowledged, CoapCode.Empty, Channel.ToString()));
                break;
        }
    }
}
