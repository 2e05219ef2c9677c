using System.Threading.Tasks.Dataflow;
using CoAP.NET.Requesting;

namespace CoAP.NET;

/// <summary>
/// The observation of a resource (RFC 7641): it hears of each change, and registers again by itself when the server forgot, restarted, moved or could not be
/// reached for a while, until it is disposed. Made by <see cref="ICoapObserver.ObserveAsync"/>. What comes is not queued: a slow reader gets the newest state of
/// the resource and skips what was between. Thread-safe.
/// </summary>
public sealed partial class CoapObservation : IAsyncDisposable, IObservationReader
{
    private readonly ObservedResources _all;
    private readonly CoapReregistration _rule;
    private readonly Action<CoapResponse>? _onNotification;
    private ObservedResource? _resource;
    private TaskCompletionSource? _changed;
    private BroadcastBlock<CoapResponse>? _block;
    private int _isDisposed;

    // Who hands out what changed: 0 nobody, otherwise how many times it changed since somebody looked.
    private int _changes;
    private long _handedOut;
    private CoapObserveState _stateHandedOut;

    private CoapObservation(ObservedResources all, CoapObserveOptions? options)
    {
        _all = all;
        _rule = options?.Reregistration ?? CoapReregistration.Auto;
        _onNotification = options?.OnNotification;
    }

    /// <summary>
    /// Raised when <see cref="State"/> changed, with the new state; of several changes in quick succession the last one counts. Called on the thread that
    /// receives, never twice at a time, and not for states before the observation was returned.
    /// </summary>
    public event EventHandler<CoapObserveState>? StateChanged;

    /// <summary>How far the observation is. Only with <see cref="CoapObserveState.Observing"/> is <see cref="Latest"/> what the resource is now, as far as can be known.</summary>
    public CoapObserveState State => IsDisposed ? CoapObserveState.Cancelled : Snapshot.State;

    /// <summary>What came last: a notification, an error response or, from a server that does not notify, a plain response. Null when nothing came yet.</summary>
    public CoapResponse? Latest => Snapshot.Latest;

    /// <summary>Why the resource is not observed at the moment; null when it is, or when no registration failed yet.</summary>
    public CoapException? Error => Snapshot.Error;

    CoapReregistration IObservationReader.Reregistration => _rule;

    private ObservationSnapshot Snapshot => Volatile.Read(ref _resource)?.Snapshot ?? ObservationSnapshot.Initial;

    private bool IsDisposed => Volatile.Read(ref _isDisposed) != 0;

    /// <summary>
    /// Registers again now, whatever the observation is waiting for: the next attempt after failures, the end of Max-Age, or nothing. A
    /// registration that is under way already is waited for. Afterwards the waits after
    /// failures begin anew. For a program that knows that the server is back, that the network came up, or that it needs the newest state;
    /// it is never needed for the observation itself to go on.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting; the registration goes on.</param>
    /// <returns>What the server answered, an error response too; it is <see cref="Latest"/>, and was handed to readers as well.</returns>
    /// <exception cref="CoapException">The server did not answer, or could not be reached; the observation goes on trying. Or it has ended
    /// before (<see cref="Error"/>).</exception>
    /// <exception cref="ObjectDisposedException">The observation was disposed.</exception>
    public async Task<CoapResponse> RefreshAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        cancellationToken.ThrowIfCancellationRequested();
        TaskCompletionSource<CoapResponse> answered = new(_all.Environment.CompletionOptions);
        _resource!.Refresh(answered);
        return await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Ends the observation and returns at once. When no other observation shares it, the server is told in the background (RFC 7641 section 3.6); notifications
    /// that still come are rejected.
    /// </summary>
    /// <returns>A task that has ended.</returns>
    public ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            if (_resource is { } resource)
            {
                _all.Detach(resource, this);
            }

            Changed();
        }

        return ValueTask.CompletedTask;
    }

    /// <summary>Target and state for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{_resource?.Target}: {State}";

    void IObservationReader.OnChanged() => Changed();

    internal static async Task<CoapObservation> BeginAsync(ObservedResources all, ObservationTarget target, CoapObserveOptions? options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CoapObservation observation = new(all, options);
        ObservedResource resource = all.Attach(target, observation);
        Volatile.Write(ref observation._resource, resource);

        // What came before the resource was known here.
        observation.Changed();
        try
        {
            while (true)
            {
                Task changed = observation.WhenChanged();
                ObservationSnapshot snapshot = resource.Snapshot;
                if (snapshot.State != CoapObserveState.Registering)
                {
                    return snapshot.State != CoapObserveState.Failed || snapshot.Latest is not null ? observation : throw snapshot.Error!;
                }

                await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        catch
        {
            await observation.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
