using CoAP.NET.Errors;

namespace CoAP.NET.Exchanges;

/// <summary>
/// A client request or ping that waits for its outcome. The timer is its time limit. Guarded by Shard.Gate, except for the completion.
/// </summary>
internal abstract class PendingRequest : WheelTimer, ITransmissionOwner, IDeferredWork
{
    private CancellationTokenRegistration _cancellation;
    private CoapException? _error;

    protected PendingRequest(
        ExchangeLayer layer, CoapChannel channel, CoapMessage message, ClientRequestTimeLimit time, bool passesQueue = false)
    {
        Layer = layer;
        Channel = channel;
        Message = message;
        Time = time;
        Transmission = new CoapTransmission(channel, message, this)
        {
            IsPaced = passesQueue,
            IsOfBody = message.OptionsToRead is { } options && (options.Block2 is { Number: > 0 } || options.Block1 is { Number: > 0 }),
            ReportsSent = message.OptionsToRead?.NoResponse is { } notWanted
                && (notWanted & NoResponseClasses.All) == NoResponseClasses.All,
        };
    }

    protected ExchangeLayer Layer { get; }

    public CoapChannel Channel { get; }

    public CoapMessage Message { get; }

    public CoapTransmission Transmission { get; }

    /// <summary>The time limits of the whole request.</summary>
    public ClientRequestTimeLimit Time { get; }

    /// <summary>The latest end of the whole request, in units of 100 ns.</summary>
    public long Deadline { get; set; } = long.MaxValue;

    public bool IsAcknowledged { get; set; }

    public bool IsPending { get; set; }

    public abstract bool IsCompleted { get; }

    /// <summary>The destination of the request, for messages.</summary>
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

    /// <summary>Fails the request, which was removed from the tables, after the release of the shard's lock. Only under the lock.</summary>
    public void FailAfterRelease(CoapException error)
    {
        _error = error;
        Channel.Shard.AfterRelease(this);
    }

    void IDeferredWork.OnReleased(CoapShard shard) => Fail(_error!);

    /// <inheritdoc/>
    public abstract void OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason)
    {
        if (TryTake())
        {
            FailUnanswered(reason);
        }
    }

    /// <summary>Fails a removed request because its connection has ended. The caller must hold no lock.</summary>
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

    /// <summary>Removes the request, so no other thread ends it. The caller must hold no lock.</summary>
    /// <returns>False when it was already removed.</returns>
    public bool TryTake()
    {
        Channel.Shard.Enter();
        try
        {
            return Layer.TryTake(this);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    internal override void Fire(long now) => Layer.OnTimeout(this, now);

    /// <summary>
    /// Call it after the completion was set: either this or <see cref="CancelWith"/> on another thread then sees the registration.
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
            Channel.Shard.ExitAndSend();
        }

        if (isTaken)
        {
            SetCanceled(cancellationToken);
        }
    }
}
