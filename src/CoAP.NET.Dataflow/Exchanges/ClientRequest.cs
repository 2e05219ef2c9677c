using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

/// <summary>A request of ours that waits for its response. The timer is its time limit. Guarded by Shard.Gate, but for the completion.</summary>
internal sealed class ClientRequest : WheelTimer
{
    private readonly ExchangeLayer _layer;
    private CancellationTokenRegistration _cancellation;

    public ClientRequest(ExchangeLayer layer, CoapChannel channel, CoapMessage message, TimeSpan? timeout)
    {
        _layer = layer;
        Channel = channel;
        Message = message;
        Timeout = timeout;
        Transmission = new CoapTransmission(channel, message, this);
    }

    public CoapChannel Channel { get; }

    public CoapMessage Message { get; }

    public CoapTransmission Transmission { get; }

    /// <summary>The time that the whole request may take; null when the transmission parameters decide.</summary>
    public TimeSpan? Timeout { get; }

    /// <summary>When the whole request ends at the latest, in units of 100 ns.</summary>
    public long Deadline { get; set; } = long.MaxValue;

    public bool IsAcknowledged { get; set; }

    public bool IsPending { get; set; }

    /// <summary>Ends with the response or a <see cref="CoapException"/>. Continuations of users never run on the thread that completes it.</summary>
    public TaskCompletionSource<CoapResponse> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Where the request goes, for messages to people.</summary>
    public string Target => Channel.ToString();

    public void CancelWith(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _cancellation = cancellationToken.UnsafeRegister(
                static (state, token) => ((ClientRequest)state!).Cancel(token), this);
            if (Completion.Task.IsCompleted)
            {
                _cancellation.Dispose();
            }
        }
    }

    public void Complete(CoapResponse response)
    {
        _cancellation.Unregister();
        Completion.TrySetResult(response);
    }

    public void Fail(Exception exception)
    {
        _cancellation.Unregister();
        Completion.TrySetException(exception);
    }

    internal override void Fire(long now) => _layer.OnTimeout(this, now);

    private void Cancel(CancellationToken cancellationToken)
    {
        if (_layer.Abandon(this))
        {
            Completion.TrySetCanceled(cancellationToken);
        }
    }
}
