namespace CoAP.NET.Observing;

/// <summary>
/// Callers that wait for another registration of an observation (<see cref="CoapObservation.RefreshAsync"/>). Belongs to the thread that is
/// busy with the observation.
/// </summary>
internal sealed class ObservationRefreshes
{
    private readonly List<TaskCompletionSource<CoapResponse>> _waiting = [];

    public void Add(TaskCompletionSource<CoapResponse> waiting) => _waiting.Add(waiting);

    /// <summary>Completes the waiting callers when a registration has ended, or the observation is over.</summary>
    /// <param name="outcome">The current state for observers.</param>
    /// <param name="isCancelled">Whether the last reader left.</param>
    /// <param name="environment">Completes the tasks.</param>
    public void Complete(ObservationSnapshot outcome, bool isCancelled, CoapEnvironment environment)
    {
        foreach (TaskCompletionSource<CoapResponse> waiting in _waiting)
        {
            environment.Tell(
                static state =>
                {
                    (TaskCompletionSource<CoapResponse> waiting, ObservationSnapshot outcome, bool isCancelled) =
                        ((TaskCompletionSource<CoapResponse>, ObservationSnapshot, bool))state!;
                    if (isCancelled)
                    {
                        waiting.TrySetException(new ObjectDisposedException(nameof(CoapObservation)));
                    }
                    else if (outcome is { IsOver: false, Error: null or CoapResponseException, Latest: { } latest })
                    {
                        waiting.TrySetResult(latest);
                    }
                    else
                    {
                        waiting.TrySetException(outcome.Error ?? new CoapException("The observation has ended."));
                    }
                },
                (waiting, outcome, isCancelled));
        }

        _waiting.Clear();
    }
}
