using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Observing;

namespace CoAP.NET;

/// <summary>
/// The observation of a resource (RFC 7641): it hears of each change, and registers again by itself when the server forgot, restarted,
/// moved or could not be reached for a while, until it is disposed. Made by <see cref="ICoapObserver.ObserveAsync"/>. What comes is not
/// queued: a slow reader gets the newest state of the resource and skips what was between. Thread-safe.
/// </summary>
public sealed class CoapObservation : IAsyncDisposable
{
    private static readonly ContextCallback s_handOut = static observation => ((CoapObservation)observation!).HandOut();

    private readonly CoapReregistration _rule;
    private readonly Action<CoapResponse>? _onNotification;
    private IObservationSource? _shared;
    private TaskCompletionSource? _changed;
    private BroadcastBlock<CoapResponse>? _block;
    private int _isDisposed;

    // Who hands out what changed: 0 nobody, otherwise how many times it changed since somebody looked.
    private int _changes;
    private long _handedOut;
    private CoapObserveState _stateHandedOut;

    internal CoapObservation(CoapObserveOptions? options)
    {
        _rule = options?.Reregistration ?? CoapReregistration.Auto;
        _onNotification = options?.OnNotification;
    }

    /// <summary>
    /// Raised when <see cref="State"/> changed, with the new state; of several changes in quick succession the last one counts. Called on
    /// the thread that receives, never twice at a time, and not for states before the observation was returned.
    /// </summary>
    public event EventHandler<CoapObserveState>? StateChanged;

    /// <summary>
    /// How far the observation is. Only with <see cref="CoapObserveState.Observing"/> is <see cref="Latest"/> what the resource is now, as
    /// far as can be known.
    /// </summary>
    public CoapObserveState State => IsDisposed ? CoapObserveState.Cancelled : Snapshot.State;

    /// <summary>
    /// What came last: a notification, an error response or, from a server that does not notify, a plain response. Null when nothing came
    /// yet.
    /// </summary>
    public CoapResponse? Latest => Snapshot.Latest;

    /// <summary>Why the resource is not observed at the moment; null when it is, or when no registration failed yet.</summary>
    public CoapException? Error => Snapshot.Error;

    /// <summary>What this observer asks for.</summary>
    internal CoapReregistration Reregistration => _rule;

    private ObservationSnapshot Snapshot => Volatile.Read(ref _shared)?.Snapshot ?? ObservationSnapshot.Initial;

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
        TaskCompletionSource<CoapResponse> answered = new(_shared!.CompletionOptions);
        _shared!.Refresh(answered);
        return await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// The newest response, and then each newer one when it comes; what came while the reader was busy is skipped but for the newest. Any
    /// number of readers may read; each begins with what is there. Ends when the observation is disposed, or ended by itself because
    /// registrations are not made again.
    /// </summary>
    /// <param name="cancellationToken">Stops reading; the observation goes on.</param>
    /// <returns>The responses.</returns>
    /// <exception cref="CoapException">The observation failed and is not tried again; <see cref="Error"/>.</exception>
    public async IAsyncEnumerable<CoapResponse> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        long seen = 0;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Task changed = WhenChanged();
            ObservationSnapshot snapshot = Snapshot;
            if (IsDisposed)
            {
                yield break;
            }

            if (snapshot.Version != seen)
            {
                seen = snapshot.Version;
                yield return snapshot.Latest!;
            }
            else if (snapshot.IsOver)
            {
                if (snapshot.Error is { } error)
                {
                    throw error;
                }

                yield break;
            }
            else
            {
                await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>
    /// The responses as a source of Dataflow: it offers the newest one to whatever is linked to it, as <see cref="BroadcastBlock{T}"/>
    /// does, and completes when the observation is disposed or has ended.
    /// </summary>
    /// <returns>The block, the same one each time.</returns>
    public ISourceBlock<CoapResponse> AsSourceBlock()
    {
        if (Volatile.Read(ref _block) is { } made)
        {
            return made;
        }

        BroadcastBlock<CoapResponse> block = new(null);
        if (Interlocked.CompareExchange(ref _block, block, null) is { } other)
        {
            return other;
        }

        if (Snapshot.Latest is { } latest)
        {
            block.Post(latest);
        }

        // Whatever came meanwhile, and the end if it has come.
        Changed();
        return block;
    }

    /// <summary>
    /// What another process needs to go on with the observation (<see cref="CoapAdoptions"/>): the registration with its token,
    /// and which notification was the newest. To be kept anew now and then, so that notifications of which it is not sure that they are
    /// newer, and registrations for want of a notification, stay rare.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>It; null while there is no registration, and where none outlives the process: on connections, within OSCORE, and in
    /// sessions without a <see cref="CoapPeer.DurableId"/>.</returns>
    /// <exception cref="ObjectDisposedException">The observation was disposed.</exception>
    public async Task<CoapKeptObservation?> KeepAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        cancellationToken.ThrowIfCancellationRequested();
        TaskCompletionSource<CoapKeptObservation?> told = new(_shared!.CompletionOptions);
        _shared!.Keep(told);
        return await told.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Ends the observation and returns at once. When no other observation shares it, the server is told in the background (RFC 7641
    /// section 3.6); notifications that still come are rejected.
    /// </summary>
    /// <returns>A task that has ended.</returns>
    public ValueTask DisposeAsync()
    {
        End(isLeft: false);
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Ends the observation here without a word to the server, as another process goes on with it (<see cref="KeepAsync"/>). When no other
    /// observation shares it, notifications that still come here are ignored for EXCHANGE_LIFETIME, so that their copies reach the other
    /// process. Disposing does nothing more afterwards.
    /// </summary>
    public void Leave() => End(isLeft: true);

    /// <summary>Target and state for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{_shared?.Name}: {State}";

    /// <summary>There is a new <see cref="IObservationSource.Snapshot"/>. No lock may be held; several threads may call at a time.
    /// </summary>
    internal void OnChanged() => Changed();

    internal static async Task<CoapObservation> BeginAsync(ClientObservations all, ObservationTarget target, CoapObserveOptions? options,
        CancellationToken cancellationToken, AdoptedRegistration? adopted = null)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CoapObservation observation = new(options);
        ClientObservation shared = all.Attach(target, observation, adopted);
        observation.Begin(shared);
        try
        {
            while (true)
            {
                Task changed = observation.WhenChanged();
                ObservationSnapshot snapshot = shared.Snapshot;
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

    /// <summary>Where it hears of the resource is known.</summary>
    internal void Begin(IObservationSource source)
    {
        Volatile.Write(ref _shared, source);

        // What came before the resource was known here.
        Changed();
    }

    private void End(bool isLeft)
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            if (_shared is { } shared)
            {
                shared.Detach(this, isLeft);
            }

            Changed();
        }
    }

    private Task WhenChanged()
    {
        if (Volatile.Read(ref _changed) is { } waiting)
        {
            return waiting.Task;
        }

        TaskCompletionSource made = new(
            Volatile.Read(ref _shared)?.CompletionOptions ?? TaskCreationOptions.RunContinuationsAsynchronously);
        return (Interlocked.CompareExchange(ref _changed, made, null) ?? made).Task;
    }

    // Readers are woken first, whatever the methods of users below take.
    private void Changed()
    {
        if (Volatile.Read(ref _shared) is not { } shared)
        {
            return;
        }

        if (Interlocked.Exchange(ref _changed, null) is { } waiting)
        {
            shared.Tell(static waiting => ((TaskCompletionSource)waiting!).TrySetResult(), waiting);
        }

        if (Interlocked.Increment(ref _changes) != 1)
        {
            // Whoever hands out now looks again before it ends.
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _changes);

            // What a method of a user sets for its own flow of execution must not reach what runs on this thread afterwards.
            if (ExecutionContext.Capture() is { } context)
            {
                ExecutionContext.Run(context, s_handOut, this);
            }
            else
            {
                HandOut();
            }
        }
        while (Interlocked.Add(ref _changes, -seen) != 0);
    }

    private void HandOut()
    {
        ObservationSnapshot snapshot = Snapshot;
        CoapObserveState state = IsDisposed ? CoapObserveState.Cancelled : snapshot.State;
        if (state != _stateHandedOut)
        {
            _stateHandedOut = state;
            if (StateChanged is { } changed)
            {
                Call(static (observation, changed, state) => changed(observation, state), changed, state);
            }
        }

        if (!IsDisposed && snapshot.Version != _handedOut)
        {
            _handedOut = snapshot.Version;
            Volatile.Read(ref _block)?.Post(snapshot.Latest!);
            if (_onNotification is { } callback)
            {
                Call(static (_, callback, response) => callback(response), callback, snapshot.Latest!);
            }
        }

        if (snapshot.IsOver || IsDisposed)
        {
            Volatile.Read(ref _block)?.Complete();
        }
    }

    private void Call<TMethod, TValue>(Action<CoapObservation, TMethod, TValue> call, TMethod method, TValue value)
    {
        UserCode.Enter();
        try
        {
            call(this, method, value);
        }
#pragma warning disable CA1031 // methods of users may throw anything; the observation goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _shared!.OnObserverFailed(exception);
        }
        finally
        {
            UserCode.Exit();
        }
    }
}
