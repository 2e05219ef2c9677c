namespace CoAP.NET.Observing;

/// <summary>
/// The source of an observation's notifications: a registration of the endpoint (<see cref="ClientObservation"/>), or a relay
/// (<see cref="CoapObservationRelay"/>). Thread-safe.
/// </summary>
internal interface IObservationSource
{
    /// <summary>The current state for observers.</summary>
    ObservationSnapshot Snapshot { get; }

    /// <summary>The name of the resource, human-readable.</summary>
    object Name { get; }

    /// <summary>The creation options of a task that <see cref="Report"/> completes.</summary>
    TaskCreationOptions CompletionOptions { get; }

    /// <summary>Completes a task of a caller. Its continuations do not run inside this method.</summary>
    void Report(Action<object?> complete, object state);

    /// <summary>Requests the newest state now.</summary>
    void Refresh(TaskCompletionSource<CoapResponse> waiting);

    /// <summary>Returns what another process needs to take over the observation.</summary>
    void Keep(TaskCompletionSource<CoapObservationState?> waiting);

    /// <summary>Handles an observer that has ended its observation.</summary>
    void Detach(CoapObservation reader, bool isLeft);

    /// <summary>Handles an exception of an observer's code.</summary>
    void OnObserverFailed(Exception exception);
}
