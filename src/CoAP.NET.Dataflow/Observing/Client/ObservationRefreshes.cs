namespace CoAP.NET.Observing;

/// <summary>Callers that wait until the registration of an observation was made again (<see cref="CoapObservation.RefreshAsync"/>). Belongs
/// to whoever is busy with the observation.</summary>
internal sealed class ObservationRefreshes
{
    private readonly List<TaskCompletionSource<CoapResponse>> _waiting = [];

    public void Add(TaskCompletionSource<CoapResponse> waiting) => _waiting.Add(waiting);

    /// <summary>A registration has ended, or nothing will follow: tells those who wait for it.</summary>
    /// <param name="outcome">What observers see now.</param>
    /// <param name="isCancelled">Whether nobody observes any more.</param>
    /// <param name="environment">By which they are told.</param>
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
