using System.Runtime.ExceptionServices;

namespace CoAP.NET.Requests;

/// <summary>
/// The way of one request through the steps of a <see cref="RequestChain"/>: down to the exchange of messages, and up with what came of it.
/// This is the only loop that runs steps. A value: as long as no step waits nothing is allocated, and whoever takes the response carries
/// the run on (<see cref="Exchanges.ClientRequest"/>). Once a step waits, an asynchronous method does.
/// </summary>
internal struct RequestRun
{
    private readonly RequestChain? _chain;
    private readonly short _first;
    private short _at;
    private bool _isWatched;

    // As the step at hand sends it, or one below.
    private OutgoingRequest _request;

    /// <summary>Begins a run.</summary>
    /// <param name="chain">The steps.</param>
    /// <param name="request">The request.</param>
    /// <param name="first">The place of the first step that sees it.</param>
    public RequestRun(RequestChain chain, OutgoingRequest request, int first)
    {
        _chain = chain;
        _request = request;
        _first = (short)first;
        _at = (short)(first - 1);
    }

    /// <summary>Whether there are no steps to be asked, as of a value that nobody made.</summary>
    public readonly bool IsNone => _chain is null;

    /// <summary>The request as it is sent.</summary>
    public readonly OutgoingRequest Request => _request;

    /// <summary>Runs a request from its first step to its response.</summary>
    /// <param name="chain">The steps.</param>
    /// <param name="request">The request.</param>
    /// <param name="first">The place of the first step that sees it.</param>
    /// <returns>The response, an error response too.</returns>
    public static Task<CoapResponse> SendAsync(RequestChain chain, OutgoingRequest request, int first)
    {
        RequestRun run = new(chain, request, first);
        StepOutcome outcome = run.Advance(StepOutcome.Go);
        return outcome.Kind switch
        {
            // The usual case: nothing is waited for here, the steps see the response when it is taken.
            StepKind.Go when !run._isWatched => chain.Sender.SendAsync(run._request, in run),
            StepKind.Done => Task.FromResult(outcome.Response),
            _ => ContinueAsync(run, outcome),
        };
    }

    /// <summary>Runs the steps as far as they go without waiting.</summary>
    /// <param name="outcome">What the step at hand decided, or what became of the exchange.</param>
    /// <returns>Go: <see cref="Request"/> is to be sent. Done and Fail: that is the end. Wait and Converse: the step at hand
    /// waits.</returns>
    public StepOutcome Advance(StepOutcome outcome)
    {
        while (true)
        {
            try
            {
                return Run(outcome);
            }
#pragma warning disable CA1031 // the steps above, and whoever waits, see what went wrong
            catch (Exception exception)
#pragma warning restore CA1031
            {
                outcome = StepOutcome.Fail(exception);
            }
        }
    }

    /// <summary>Goes on with a run in which something has to be waited for.</summary>
    /// <param name="run">The run; nobody else goes on with it.</param>
    /// <param name="outcome">What <see cref="Advance"/> returned.</param>
    /// <returns>The response, an error response too.</returns>
    public static async Task<CoapResponse> ContinueAsync(RequestRun run, StepOutcome outcome)
    {
        while (true)
        {
            try
            {
                switch (outcome.Kind)
                {
                    case StepKind.Done:
                        return outcome.Response;
                    case StepKind.Wait:
                        outcome = await outcome.Task.ConfigureAwait(false);
                        break;
                    case StepKind.Converse:
                        outcome = StepOutcome.Done(await outcome.Conversation.ConfigureAwait(false));
                        break;
                    case StepKind.Fail:
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

            if (outcome.Kind != StepKind.Fail || run._at >= run._first)
            {
                outcome = run.Advance(outcome);
            }

            if (outcome.Kind == StepKind.Fail)
            {
                ExceptionDispatchInfo.Throw(outcome.Exception);
            }
        }
    }

    private StepOutcome Run(StepOutcome outcome)
    {
        ReadOnlySpan<RequestStep> steps = _chain!.Steps;
        while (true)
        {
            switch (outcome.Kind)
            {
                case StepKind.Go or StepKind.Watch or StepKind.Again:
                    _isWatched |= outcome.Kind == StepKind.Watch;
                    if (outcome.Request is { } request)
                    {
                        Replace(request, isAgain: outcome.Kind == StepKind.Again);
                    }

                    if (++_at >= steps.Length)
                    {
                        return StepOutcome.Go;
                    }

                    outcome = steps[_at].Before(_request);
                    break;
                case StepKind.Done or StepKind.Fail:
                    if (--_at < _first)
                    {
                        return outcome;
                    }

                    OutgoingRequest given = Given();
                    outcome = outcome.Kind == StepKind.Done
                        ? steps[_at].After(given, _request, outcome.Response)
                        : steps[_at].Failed(given, _request, outcome.Exception);
                    break;
                default:
                    return outcome;
            }
        }
    }

    // What the step at hand was given. What it made of it is the request of the run from then on; what those below made of that is over.
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

        // One that is known already, to this step or to others, is sent by a copy: each sending has its own place in the run.
        _request = (request.MadeOf is null && !isSame ? request : request with { }).Place(given, _at, attempt);
    }
}
