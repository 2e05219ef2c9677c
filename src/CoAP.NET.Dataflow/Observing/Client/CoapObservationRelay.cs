using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// The base class of an observation (RFC 7641) that relays the notifications of others: for an <see cref="ICoapClient"/> that follows a
/// resource from one place to another, or that replaces a device in tests.
/// </summary>
/// <remarks>
/// The derived class reports events with <see cref="Publish"/>, and returns <see cref="Observation"/> to its user. Thread-safe.
/// </remarks>
internal abstract class CoapObservationRelay : IObservationNotificationSource
{
    private readonly Lock _gate = new();
    private readonly string _name;
    private readonly ILogger _logger;
    private ObservationSnapshot _snapshot = ObservationSnapshot.Initial;

    /// <summary>Creates a relay whose observation is <see cref="CoapObserveState.Registering"/>.</summary>
    /// <param name="name">The name of the resource, human-readable.</param>
    /// <param name="options">The options of the caller; null for the defaults.</param>
    /// <param name="logger">Logs exceptions of the user's methods; null for no log.</param>
    protected CoapObservationRelay(string name, CoapObservationOptions? options = null, ILogger? logger = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        _name = name;
        _logger = logger ?? NullLogger.Instance;
        Observation = new CoapObservation(options);
        Observation.Begin(this);
    }

    /// <summary>The observation.</summary>
    /// <remarks><see cref="CoapObservation.ExportAsync"/> returns null, because no other process can take it over.</remarks>
    public CoapObservation Observation { get; }

    ObservationSnapshot IObservationNotificationSource.Snapshot => Volatile.Read(ref _snapshot);

    object IObservationNotificationSource.Name => _name;

    TaskCreationOptions IObservationNotificationSource.CompletionOptions => TaskCreationOptions.RunContinuationsAsynchronously;

    void IObservationNotificationSource.Report(Action<object?> complete, object state) => complete(state);

    void IObservationNotificationSource.Refresh(TaskCompletionSource<CoapResponse> waiting) => _ = RefreshAsync(waiting);

    void IObservationNotificationSource.Export(TaskCompletionSource<CoapExportedObservation?> waiting) => waiting.TrySetResult(null);

    void IObservationNotificationSource.Detach(CoapObservation reader, bool isLeft) => OnEnded();

    void IObservationNotificationSource.OnObserverFailed(Exception exception) => ObservationLog.ObserverFailed(_logger, exception, _name);

    /// <summary>Reports a change to the observer; the caller must hold no lock.</summary>
    /// <remarks>After the end it does nothing.</remarks>
    /// <param name="state">The state of the observation.</param>
    /// <param name="response">The response; null if there is no new one.</param>
    /// <param name="error">The reason why the resource is not observed at the moment; null if it is.</param>
    /// <param name="isOver">Whether this is the last change.</param>
    protected void Publish(CoapObserveState state, CoapResponse? response = null, CoapException? error = null, bool isOver = false)
    {
        lock (_gate)
        {
            ObservationSnapshot old = _snapshot;
            if (old.IsOver)
            {
                return;
            }

            Volatile.Write(ref _snapshot, new ObservationSnapshot(
                state, response ?? old.Latest, error, response is null ? old.Version : old.Version + 1, isOver));
        }

        Observation.OnChanged();
    }

    /// <summary>Requests the newest state now, without waiting (<see cref="CoapObservation.RefreshAsync"/>), and publishes it.</summary>
    /// <returns>The response of the server.</returns>
    /// <exception cref="CoapException">The server did not answer.</exception>
    protected abstract Task<CoapResponse> RefreshAsync();

    /// <summary>Called once when the observation was disposed or left, possibly on the caller's thread; it must not wait.</summary>
    protected abstract void OnEnded();

    private async Task RefreshAsync(TaskCompletionSource<CoapResponse> waiting)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            waiting.TrySetResult(await RefreshAsync().ConfigureAwait(false));
        }
#pragma warning disable CA1031 // all exceptions go to the waiting caller
        catch (Exception exception)
#pragma warning restore CA1031
        {
            waiting.TrySetException(exception);
        }
    }
}
