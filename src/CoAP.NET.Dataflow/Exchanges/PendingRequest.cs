using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

/// <summary>
/// A request or ping of ours that waits for what becomes of it. The timer is its time limit. Guarded by Shard.Gate, but for the completion.
/// </summary>
internal abstract class PendingRequest : WheelTimer, ITransmissionOwner
{
    private CancellationTokenRegistration _cancellation;

    protected PendingRequest(ExchangeLayer layer, CoapChannel channel, CoapMessage message, RequestTime time, bool passesQueue = false)
    {
        Layer = layer;
        Channel = channel;
        Message = message;
        Time = time;
        Transmission = new CoapTransmission(channel, message, this)
        {
            IsPaced = passesQueue,
            TellsWhenSent = message.OptionsToRead?.NoResponse is { } notWanted
                && (notWanted & NoResponseClasses.All) == NoResponseClasses.All,
        };
    }

    /// <summary>Where it is registered.</summary>
    protected ExchangeLayer Layer { get; }

    public CoapChannel Channel { get; }

    public CoapMessage Message { get; }

    public CoapTransmission Transmission { get; }

    /// <summary>The time that the whole request may take.</summary>
    public RequestTime Time { get; }

    /// <summary>When the whole request ends at the latest, in units of 100 ns.</summary>
    public long Deadline { get; set; } = long.MaxValue;

    public bool IsAcknowledged { get; set; }

    public bool IsPending { get; set; }

    public abstract bool IsCompleted { get; }

    /// <summary>Where the request goes, for messages to people.</summary>
    public string Target => Channel.ToString();

    public void CancelWith(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _cancellation = cancellationToken.UnsafeRegister(
                static (state, token) => ((PendingRequest)state!).Cancel(token), this);
            if (IsCompleted)
            {
                _cancellation.Dispose();
            }
        }
    }

    public void Fail(Exception exception)
    {
        SetException(exception);
        StopWatchingCancellation();
    }

    /// <inheritdoc/>
    public abstract void OnFate(CoapTransmission transmission, CoapInboundKind fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason)
    {
        if (TryTake())
        {
            FailUnanswered(reason);
        }
    }

    /// <summary>Fails a request that was taken out, because its connection has ended. No lock may be held.</summary>
    /// <param name="reason">Why the connection has ended.</param>
    public void FailUnanswered(CoapConnectionException reason)
    {
        bool wasSent = Transmission.Attempts > 0;
        string what = Message.Code.IsRequest ? Message.Code.ToString() : "The ping";
        Fail(new CoapConnectionException(reason.Error, $"{what} to {Target} was not {(wasSent ? "answered" : "sent")}: {reason.Message}",
            reason)
        {
            Diagnostic = reason.Diagnostic,
            RetryAfter = reason.RetryAfter,
            IsOutcomeUnknown = wasSent && Message.Code.IsRequest && !Message.Code.IsSafe,
            IsUnsent = !wasSent,
        });
    }

    /// <summary>Takes it out, so that nobody else ends it. No lock may be held.</summary>
    /// <returns>False when it was taken out already.</returns>
    public bool TryTake()
    {
        Channel.Shard.Enter();
        try
        {
            return Layer.TryTake(this);
        }
        finally
        {
            Channel.Shard.Exit();
        }
    }

    internal override void Fire(long now) => Layer.OnTimeout(this, now);

    /// <summary>
    /// Call after the completion was set: then either this or <see cref="CancelWith"/> on another thread sees the registration.
    /// </summary>
    protected void StopWatchingCancellation() => _cancellation.Unregister();

    protected abstract void SetException(Exception exception);

    protected abstract void SetCanceled(CancellationToken cancellationToken);

    private void Cancel(CancellationToken cancellationToken)
    {
        bool isTaken;
        Channel.Shard.Enter();
        try
        {
            isTaken = Layer.Abandon(this);
        }
        finally
        {
            Channel.Shard.Exit();
        }

        if (isTaken)
        {
            SetCanceled(cancellationToken);
        }
    }
}
