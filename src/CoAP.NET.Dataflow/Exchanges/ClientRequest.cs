using CoAP.NET.Errors;

namespace CoAP.NET.Exchanges;

/// <summary>A client request that waits for its response (RFC 7252 section 5).</summary>
internal sealed class ClientRequest : PendingRequest, IThreadPoolWorkItem
{
    private readonly TaskCompletionSource<CoapResponse> _completion;
    private readonly bool _mayRunInline;
    private object? _outcome;

    // The steps that see the response before the task ends.
    private OutgoingRequestRun _run;

    /// <summary>Creates the request.</summary>
    /// <param name="layer">The layer with the token.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="message">The message.</param>
    /// <param name="time">The time limits.</param>
    /// <param name="run">The steps that see the response; the default when there are none, or when they await it.</param>
    public ClientRequest(
        ExchangeLayer layer, CoapChannel channel, CoapMessage message, ClientRequestTimeLimit time, in OutgoingRequestRun run)
        : base(layer, channel, message, time)
    {
        _run = run;
        _mayRunInline = channel.Transport.HandsOver;
        _completion = new TaskCompletionSource<CoapResponse>(_mayRunInline
            ? TaskCreationOptions.None
            : channel.Shard.Environment.CompletionOptions);
    }

    /// <summary>
    /// Whether the client wants a response of some class (RFC 7967). Otherwise the request is done when it was acknowledged, or sent.
    /// </summary>
    public bool WantsResponse => !Transmission.ReportsSent;

    /// <summary>Whether a proxy forwards the request for another client, which judges the options of the response.</summary>
    public bool IsForwarded { get; init; }

    /// <summary>Ends with the response or a <see cref="CoapException"/>.</summary>
    public Task<CoapResponse> Task => _completion.Task;

    /// <summary>Whether the outcome is known; <see cref="Task"/> may end a little later, on another thread.</summary>
    public override bool IsCompleted => Volatile.Read(ref _outcome) is not null;

    /// <summary>
    /// Completes the request with its response. The caller must hold no lock: a continuation may run before this returns.
    /// </summary>
    public void Complete(CoapResponse response)
    {
        if (TrySetOutcome(response))
        {
            StopWatchingCancellation();
            if (!_mayRunInline || !Layer.Continuations.TryRun(this))
            {
                Report();
            }
        }
    }

    /// <inheritdoc/>
    public override void OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        if (fate == CoapInboundKind.Acknowledged && WantsResponse)
        {
            Channel.Shard.Enter();
            try
            {
                Layer.OnAcknowledged(this);
            }
            finally
            {
                Channel.Shard.ExitAndSend();
            }
        }
        else if (TryTake())
        {
            if (fate is CoapInboundKind.Acknowledged or CoapInboundKind.Sent)
            {
                // No response will arrive (RFC 7967 section 2.1).
                Complete(CoapResponse.None(Channel.Remote));
                return;
            }

            Fail(fate switch
            {
                CoapInboundKind.Reset => RequestErrors.Reset(Target),
                CoapInboundKind.Unreachable => RequestErrors.Unreachable(Target),
                CoapInboundKind.SendFailed => RequestErrors.SendFailed(Target, transmission.SendError),
                CoapInboundKind.NotSent => RequestErrors.Busy(Target, Channel.Parameters.MaxQueuedRequests),
                _ => RequestTimeouts.GivenUp(transmission),
            });
        }
    }

    /// <summary>Completes the task; runs its continuations.</summary>
    public void Execute()
    {
        switch (_outcome)
        {
            case CoapResponse response when _run.IsNone:
                _completion.TrySetResult(response);
                break;
            case CoapResponse response:
                StepOutcome outcome = _run.Advance(StepOutcome.Done(response));
                if (outcome.Kind == RequestStepOutcomeKind.Done)
                {
                    _completion.TrySetResult(outcome.Response);
                }
                else
                {
                    _ = CompleteAsync(OutgoingRequestRun.ContinueAsync(_run, outcome));
                }

                break;
            case OperationCanceledException canceled:
                _completion.TrySetCanceled(canceled.CancellationToken);
                break;
            default:
                _completion.TrySetException((Exception)_outcome!);
                break;
        }
    }

    void IThreadPoolWorkItem.Execute() => Layer.Continuations.RunOnPool(this);

    private async Task CompleteAsync(Task<CoapResponse> run)
    {
        try
        {
            _completion.TrySetResult(await run.ConfigureAwait(false));
        }
        catch (OperationCanceledException exception)
        {
            _completion.TrySetCanceled(exception.CancellationToken);
        }
#pragma warning disable CA1031 // the waiting caller gets any exception
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
            Report();
        }
    }

    protected override void SetCanceled(CancellationToken cancellationToken)
    {
        if (TrySetOutcome(new OperationCanceledException(cancellationToken)))
        {
            Report();
        }
    }

    private bool TrySetOutcome(object outcome) => Interlocked.CompareExchange(ref _outcome, outcome, null) is null;

    // The calling thread may hold a lock, or be a thread that must not be delayed.
    private void Report()
    {
        if (Channel.Shard.Environment.Continuations?.Queue(static request => ((ClientRequest)request!).Execute(), this) == true)
        {
            return;
        }

        if (!_mayRunInline)
        {
            // Its continuations never run inside this call.
            Execute();
            return;
        }

#pragma warning disable RS0030 // continuations of the application run where the runtime would run them
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
#pragma warning restore RS0030
    }
}
