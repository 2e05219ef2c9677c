using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

/// <summary>A request of ours that waits for its response (RFC 7252 section 5).</summary>
internal sealed class ClientRequest : PendingRequest, IThreadPoolWorkItem
{
    private readonly TaskCompletionSource<CoapResponse> _completion;
    private readonly bool _mayRunInline;
    private object? _outcome;
    private CancellationToken _cancelledBy;

    public ClientRequest(ExchangeLayer layer, CoapChannel channel, CoapMessage message, RequestTime time)
        : base(layer, channel, message, time)
    {
        _mayRunInline = channel.Transport.HandsOver;
        _completion = new TaskCompletionSource<CoapResponse>(_mayRunInline ? TaskCreationOptions.None : channel.Shard.Environment.CompletionOptions);
    }

    /// <summary>Who looks at the response before <see cref="Task"/> ends; null for nobody.</summary>
    public IResponseReview? Review { get; init; }

    /// <summary>What stops waiting, for what <see cref="Review"/> does.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>Whether a response of some class is wanted (RFC 7967); otherwise the request is done when it was acknowledged, or sent.</summary>
    public bool WantsResponse => !Transmission.TellsWhenSent;

    /// <summary>Ends with the response or a <see cref="CoapException"/>.</summary>
    public Task<CoapResponse> Task => _completion.Task;

    /// <summary>Whether its outcome is known; <see cref="Task"/> may end a little later, on another thread.</summary>
    public override bool IsCompleted => Volatile.Read(ref _outcome) is not null;

    /// <summary>Ends it with its response. No lock may be held: what waits for it may run before this returns.</summary>
    public void Complete(CoapResponse response, InlineContinuations continuations)
    {
        if (TrySetOutcome(response))
        {
            StopWatchingCancellation();
            if (!_mayRunInline || !continuations.TryRun(this))
            {
                Tell();
            }
        }
    }

    /// <summary>Tells whoever waits; runs what they do next.</summary>
    public void Execute()
    {
        switch (_outcome)
        {
            case CoapResponse response when Review is { } review && review.Concerns(response):
                _ = CompleteAsync(review, response);
                break;
            case CoapResponse response:
                _completion.TrySetResult(response);
                break;
            case OperationCanceledException:
                _completion.TrySetCanceled(_cancelledBy);
                break;
            default:
                _completion.TrySetException((Exception)_outcome!);
                break;
        }
    }

    private async Task CompleteAsync(IResponseReview review, CoapResponse response)
    {
        try
        {
            _completion.TrySetResult(await review.CompleteAsync(response, Cancellation).ConfigureAwait(false));
        }
        catch (OperationCanceledException exception)
        {
            _completion.TrySetCanceled(exception.CancellationToken);
        }
#pragma warning disable CA1031 // whatever went wrong is for who waits
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _completion.TrySetException(exception);
        }
    }

    protected override void SetException(Exception exception)
    {
        if (TrySetOutcome(exception))
        {
            Tell();
        }
    }

    protected override void SetCanceled(CancellationToken cancellationToken)
    {
        _cancelledBy = cancellationToken;
        if (TrySetOutcome(new OperationCanceledException(cancellationToken)))
        {
            Tell();
        }
    }

    private bool TrySetOutcome(object outcome) => Interlocked.CompareExchange(ref _outcome, outcome, null) is null;

    // Whoever ends it here may hold a lock, or be a thread that must not be held up.
    private void Tell()
    {
        if (Channel.Shard.Environment.Continuations?.Queue(static request => ((ClientRequest)request!).Execute(), this) == true)
        {
            return;
        }

        if (!_mayRunInline)
        {
            // Its continuations never run within this.
            Execute();
            return;
        }

#pragma warning disable RS0030 // what users do after an await belongs where the runtime would have it
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
#pragma warning restore RS0030
    }
}
