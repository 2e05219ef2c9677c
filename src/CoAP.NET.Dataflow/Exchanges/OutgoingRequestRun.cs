using System.Runtime.ExceptionServices;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Runs one request through the steps of a <see cref="OutgoingRequestPipeline"/>: down to the exchange of messages, and up with the result.
/// This is the only loop that runs steps. It is a value: while no step waits, it allocates nothing, and the receiver of the response
/// continues the run (<see cref="Exchanges.ClientRequest"/>). Once a step waits, an asynchronous method continues it.
/// </summary>
internal struct OutgoingRequestRun
{
    private readonly OutgoingRequestPipeline? _chain;
    private readonly short _first;
    private short _at;
    private bool _isWatched;

    // As the current step sends it, or one below.
    private OutgoingRequest _request;

    /// <summary>Begins a run.</summary>
    /// <param name="chain">The steps.</param>
    /// <param name="request">The request.</param>
    /// <param name="first">The place of the first step that handles it.</param>
    public OutgoingRequestRun(OutgoingRequestPipeline chain, OutgoingRequest request, int first)
    {
        _chain = chain;
        _request = request;
        _first = (short)first;
        _at = (short)(first - 1);
    }

    /// <summary>Whether there are no steps, as in a default value.</summary>
    public readonly bool IsNone => _chain is null;

    public readonly OutgoingRequest Request => _request;

    /// <summary>Runs a request from its first step to its response.</summary>
    /// <param name="chain">The steps.</param>
    /// <param name="request">The request.</param>
    /// <param name="first">The place of the first step that handles it.</param>
    /// <returns>The response, which may be an error response.</returns>
    public static Task<CoapResponse> SendAsync(OutgoingRequestPipeline chain, OutgoingRequest request, int first)
    {
        OutgoingRequestRun run = new(chain, request, first);
        StepOutcome outcome = run.Advance(StepOutcome.Go);
        return outcome.Kind switch
        {
            // The usual case: no wait here, the steps get the response when it is delivered.
            RequestStepOutcomeKind.Go when !run._isWatched => chain.Sender.SendAsync(run._request, in run),
            RequestStepOutcomeKind.Done => Task.FromResult(outcome.Response),
            _ => ContinueAsync(run, outcome),
        };
    }

    /// <summary>Runs the steps as far as they go without waiting.</summary>
    /// <param name="outcome">The decision of the current step, or the result of the exchange.</param>
    /// <returns>Go: send <see cref="Request"/>. Done and Fail: the end. Wait and Converse: the current step waits.</returns>
    public StepOutcome Advance(StepOutcome outcome)
    {
        while (true)
        {
            try
            {
                return Run(outcome);
            }
#pragma warning disable CA1031 // the steps above and the waiting caller get the exception
            catch (Exception exception)
#pragma warning restore CA1031
            {
                outcome = StepOutcome.Fail(exception);
            }
        }
    }

    /// <summary>Continues a run in which a step has to wait.</summary>
    /// <param name="run">The run; no other code continues it.</param>
    /// <param name="outcome">What <see cref="Advance"/> returned.</param>
    /// <returns>The response, which may be an error response.</returns>
    public static async Task<CoapResponse> ContinueAsync(OutgoingRequestRun run, StepOutcome outcome)
    {
        while (true)
        {
            try
            {
                switch (outcome.Kind)
                {
                    case RequestStepOutcomeKind.Done:
                        return outcome.Response;
                    case RequestStepOutcomeKind.Wait:
                        outcome = await outcome.Task.ConfigureAwait(false);
                        break;
                    case RequestStepOutcomeKind.Converse:
                        outcome = StepOutcome.Done(await outcome.Conversation.ConfigureAwait(false));
                        break;
                    case RequestStepOutcomeKind.Fail:
                        break;
                    default:
                        outcome = StepOutcome.Done(await run._chain!.Sender.SendAsync(run._request, default).ConfigureAwait(false));
                        break;
                }
            }
#pragma warning disable CA1031 // see Advance
            catch (Exception exception)
#pragma warning restore CA1031
            {
                outcome = StepOutcome.Fail(exception);
            }

            if (outcome.Kind != RequestStepOutcomeKind.Fail || run._at >= run._first)
            {
                outcome = run.Advance(outcome);
            }

            if (outcome.Kind == RequestStepOutcomeKind.Fail)
            {
                ExceptionDispatchInfo.Throw(outcome.Exception);
            }
        }
    }

    private StepOutcome Run(StepOutcome outcome)
    {
        ReadOnlySpan<OutgoingRequestStep> steps = _chain!.Steps;
        while (true)
        {
            switch (outcome.Kind)
            {
                case RequestStepOutcomeKind.Go or RequestStepOutcomeKind.Watch or RequestStepOutcomeKind.Again:
                    _isWatched |= outcome.Kind == RequestStepOutcomeKind.Watch;
                    if (outcome.Request is { } request)
                    {
                        Replace(request, isAgain: outcome.Kind == RequestStepOutcomeKind.Again);
                    }

                    if (++_at >= steps.Length)
                    {
                        return StepOutcome.Go;
                    }

                    outcome = steps[_at].Before(_request);
                    break;
                case RequestStepOutcomeKind.Done or RequestStepOutcomeKind.Fail:
                    if (--_at < _first)
                    {
                        return outcome;
                    }

                    OutgoingRequest given = Given();
                    outcome = outcome.Kind == RequestStepOutcomeKind.Done
                        ? steps[_at].After(given, _request, outcome.Response)
                        : steps[_at].Failed(given, _request, outcome.Exception);
                    break;
                default:
                    return outcome;
            }
        }
    }

    // The request that the current step received. The step's changes make it the request of the run; changes of the steps below are undone.
    private OutgoingRequest Given()
    {
        while (_request.MadeBy > _at)
        {
            _request = _request.MadeOf!;
        }

        return _request.MadeBy == _at ? _request.MadeOf! : _request;
    }

    private void Replace(OutgoingRequest request, bool isAgain)
    {
        OutgoingRequest given = Given();
        int attempt = isAgain ? _request.AttemptOf(given) + 1 : 0;
        bool isSame = ReferenceEquals(request, given);
        if (isSame && !isAgain)
        {
            return;
        }

        // A request that this step or others already know is sent as a copy: each transmission has its own place in the run.
        _request = (request.MadeOf is null && !isSame ? request : request with { }).Place(given, _at, attempt);
    }
}
