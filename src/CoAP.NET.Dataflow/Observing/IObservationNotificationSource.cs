using CoAP.NET.Observing.Client;

namespace CoAP.NET.Observing;

/// <summary>
/// The source of an observation's notifications: a registration of the endpoint (<see cref="ClientObservation"/>), or a relay
/// (<see cref="CoapObservationRelay"/>). Thread-safe.
/// </summary>
internal interface IObservationNotificationSource
{
    ObservationSnapshot Snapshot { get; }

    /// <summary>The name of the resource, human-readable.</summary>
    object Name { get; }

    TaskCreationOptions CompletionOptions { get; }

    /// <summary>Completes a task of a caller. Its continuations do not run inside this method.</summary>
    void Report(Action<object?> complete, object state);

    /// <summary>Requests the newest state now.</summary>
    void Refresh(TaskCompletionSource<CoapResponse> waiting);

    /// <summary>Returns what another process needs to take over the observation.</summary>
    void Export(TaskCompletionSource<CoapExportedObservation?> waiting);

    void Detach(CoapObservation reader, bool isLeft);

    /// <summary>Handles an exception of an observer's code.</summary>
    void OnObserverFailed(Exception exception);
}
