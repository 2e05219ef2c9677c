using CoAP.NET.Observing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET;

/// <summary>
/// Passes on what others hear of a resource as one observation (RFC 7641) of its own: for an <see cref="ICoapObserver"/> that follows a
/// resource from one place to another, or that stands in for a device in tests. Whoever derives from it says what comes by
/// <see cref="Publish"/>, and hands <see cref="Observation"/> to its user. Thread-safe.
/// </summary>
public abstract class CoapObservationRelay : IObservationSource
{
    private readonly Lock _gate = new();
    private readonly string _name;
    private readonly ILogger _logger;
    private ObservationSnapshot _snapshot = ObservationSnapshot.Initial;

    /// <summary>Makes a relay whose observation is <see cref="CoapObserveState.Registering"/>.</summary>
    /// <param name="name">What is observed, for people.</param>
    /// <param name="options">How its user observes; null for the defaults. Of these only
    /// <see cref="CoapObserveOptions.OnNotification"/> is looked at here.</param>
    /// <param name="logger">Gets what the user's methods throw; null: nobody.</param>
    protected CoapObservationRelay(string name, CoapObserveOptions? options = null, ILogger? logger = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        _name = name;
        _logger = logger ?? NullLogger.Instance;
        Observation = new CoapObservation(options);
        Observation.Begin(this);
    }

    /// <summary>The observation. <see cref="CoapObservation.KeepAsync"/> returns null, as no other process can go on with it.</summary>
    public CoapObservation Observation { get; }

    ObservationSnapshot IObservationSource.Snapshot => Volatile.Read(ref _snapshot);

    object IObservationSource.Name => _name;

    TaskCreationOptions IObservationSource.CompletionOptions => TaskCreationOptions.RunContinuationsAsynchronously;

    void IObservationSource.Tell(Action<object?> complete, object state) => complete(state);

    void IObservationSource.Refresh(TaskCompletionSource<CoapResponse> waiting) => _ = RefreshAsync(waiting);

    void IObservationSource.Keep(TaskCompletionSource<CoapKeptObservation?> waiting) => waiting.TrySetResult(null);

    void IObservationSource.Detach(CoapObservation reader, bool isLeft) => OnEnded();

    void IObservationSource.OnObserverFailed(Exception exception) => Log.ObserverFailed(_logger, exception, _name);

    /// <summary>Tells the observer something; no lock of the caller may be held. After the end it does nothing.</summary>
    /// <param name="state">How far the observation is.</param>
    /// <param name="response">What came; null for nothing new.</param>
    /// <param name="error">Why the resource is not observed at the moment; null when it is.</param>
    /// <param name="isOver">Whether nothing will follow.</param>
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

    /// <summary>Asks for the newest state now, whatever is waited for (<see cref="CoapObservation.RefreshAsync"/>), and publishes it.
    /// </summary>
    /// <returns>What the server answered.</returns>
    /// <exception cref="CoapException">It did not answer.</exception>
    protected abstract Task<CoapResponse> RefreshAsync();

    /// <summary>The observation was disposed or left. Called once, possibly on the thread of whoever did that; it must not wait.</summary>
    protected abstract void OnEnded();

    private async Task RefreshAsync(TaskCompletionSource<CoapResponse> waiting)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            waiting.TrySetResult(await RefreshAsync().ConfigureAwait(false));
        }
#pragma warning disable CA1031 // whatever it throws: whoever waits is told
        catch (Exception exception)
#pragma warning restore CA1031
        {
            waiting.TrySetException(exception);
        }
    }
}
