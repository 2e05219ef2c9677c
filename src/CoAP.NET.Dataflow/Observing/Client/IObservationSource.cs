namespace CoAP.NET.Observing;

/// <summary>
/// Where an observation hears of its resource: a registration of the endpoint (<see cref="ClientObservation"/>), or somebody who passes on
/// what others hear (<see cref="CoapObservationRelay"/>). Thread-safe.
/// </summary>
internal interface IObservationSource
{
    /// <summary>What observers see at this moment.</summary>
    ObservationSnapshot Snapshot { get; }

    /// <summary>What is observed, for people.</summary>
    object Name { get; }

    /// <summary>How to make what others wait for, when it is completed by <see cref="Tell"/>.</summary>
    TaskCreationOptions CompletionOptions { get; }

    /// <summary>Completes what others wait for. Their continuations do not run within this.</summary>
    void Tell(Action<object?> complete, object state);

    /// <summary>Asks for the newest state now.</summary>
    void Refresh(TaskCompletionSource<CoapResponse> waiting);

    /// <summary>Says what another process needs to go on.</summary>
    void Keep(TaskCompletionSource<CoapKeptObservation?> waiting);

    /// <summary>An observer has ended its observation.</summary>
    void Detach(CoapObservation reader, bool isLeft);

    /// <summary>Code of an observer threw.</summary>
    void OnObserverFailed(Exception exception);
}
