using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Observing;

namespace CoAP.NET;

/// <summary>
/// Observes a resource (RFC 7641) until it is disposed: it receives each change, and registers again by itself when the server forgot it,
/// restarted, moved or was unreachable.
/// </summary>
/// <remarks>
/// Created by <see cref="ICoapClient.ObserveAsync"/>. <see cref="ReadAllAsync"/> returns the notifications. The observation does not queue
/// them: a slow reader gets the newest state of the resource and skips the states before it. Thread-safe.
/// </remarks>
/// <example>
/// <code>
/// await using CoapObservation observation =
///     await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
/// await foreach (CoapResponse state in observation.ReadAllAsync(cancellationToken))
/// {
///     Console.WriteLine(state.GetText());
/// }
/// </code>
/// </example>
public sealed class CoapObservation : IAsyncDisposable
{
    private static readonly ContextCallback s_handOut = static observation => ((CoapObservation)observation!).HandOut();

    private readonly CoapReregistrationPolicy _rule;
    private readonly Action<CoapResponse>? _onNotification;
    private IObservationNotificationSource? _shared;
    private TaskCompletionSource? _changed;
    private int _isDisposed;

    // Ownership of the delivery: 0 if no thread delivers, otherwise the number of changes since a thread last looked.
    private int _changes;
    private long _handedOut;
    private CoapObserveState _stateHandedOut;
    private Type? _errorHandedOut;

    internal CoapObservation(CoapObservationOptions? options)
    {
        options?.MakeReadOnly("an observation");
        _rule = options?.Reregistration ?? CoapReregistrationPolicy.Auto;
        _onNotification = options?.OnNotification;
    }

    /// <summary>
    /// Raised when <see cref="State"/> changed, or when an attempt to register again failed (<see cref="Error"/>) for the first time since
    /// the last success, or by another type of exception than before. Of several changes in quick succession, only the last one raises it.
    /// </summary>
    /// <remarks>
    /// Called with the new state on the receiving thread, never concurrently, and not for states before the observation was returned.
    /// </remarks>
    public event EventHandler<CoapObserveState>? StateChanged;

    /// <summary>The state of the observation.</summary>
    /// <remarks>
    /// Only in <see cref="CoapObserveState.Observing"/> is <see cref="Latest"/> the current state of the resource, as far as can be known.
    /// </remarks>
    public CoapObserveState State => IsDisposed ? CoapObserveState.Cancelled : Snapshot.State;

    /// <summary>The last response: a notification, an error response or, from a server that does not notify, a plain response.</summary>
    /// <remarks>
    /// Null before the first one. Observations of the same resource share it, so its options are read-only.
    /// </remarks>
    public CoapResponse? Latest => Snapshot.Latest;

    /// <summary>The reason why the resource is not observed at the moment; null if it is, or if no registration has failed yet.</summary>
    public CoapException? Error => Snapshot.Error;

    internal CoapReregistrationPolicy Reregistration => _rule;

    private ObservationSnapshot Snapshot => Volatile.Read(ref _shared)?.Snapshot ?? ObservationSnapshot.Initial;

    private bool IsDisposed => Volatile.Read(ref _isDisposed) != 0;

    /// <summary>Registers again now, without waiting for the next attempt after failures or for the end of Max-Age.</summary>
    /// <remarks>
    /// It joins a registration that is already running, and resets the delays after failures. Call it when the server is back, the network
    /// came up, or the program needs the newest state; the observation itself never depends on it.
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting; the registration continues.</param>
    /// <returns>The response of the server, which may be an error response; it is also <see cref="Latest"/>, and readers get it
    /// too.</returns>
    /// <exception cref="CoapException">The server did not answer or is unreachable, and the observation keeps trying; or the observation
    /// ended before (<see cref="Error"/>).</exception>
    /// <exception cref="ObjectDisposedException">The observation was disposed.</exception>
    public async Task<CoapResponse> RefreshAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        cancellationToken.ThrowIfCancellationRequested();
        TaskCompletionSource<CoapResponse> answered = new(_shared!.CompletionOptions);
        _shared!.Refresh(answered);
        return await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns the newest response, and then each newer one when it arrives; a busy reader skips all but the newest.</summary>
    /// <remarks>
    /// Any number of readers may read; each begins with the current one. The sequence ends when the observation is disposed, or when it
    /// ended by itself because it does not register again.
    /// </remarks>
    /// <param name="cancellationToken">Stops reading; the observation continues.</param>
    /// <returns>The responses.</returns>
    /// <exception cref="CoapException">The observation failed permanently; see <see cref="Error"/>.</exception>
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
    /// Returns the responses of an observation as a Dataflow source: it offers the newest one to its linked targets, as
    /// <see cref="BroadcastBlock{T}"/> does, and completes when the observation is disposed or has ended.
    /// </summary>
    /// <returns>A new block, which reads <see cref="ReadAllAsync"/>.</returns>
    public ISourceBlock<CoapResponse> AsSourceBlock()
    {
        BroadcastBlock<CoapResponse> block = new(null);
        _ = PostAllAsync(block);
        return block;
    }

    /// <summary>
    /// Returns what another process needs to take over the observation (<see cref="CoapEndpoint.ResumeObservationAsync"/>): the
    /// registration with its token, and the newest notification.
    /// </summary>
    /// <remarks>
    /// Store it again from time to time. Otherwise more notifications are of uncertain age, and more registrations happen because a
    /// notification is missing.
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The observation; null if there is no registration, or if it cannot outlive the process: on connections, within OSCORE, and
    /// in sessions without a <see cref="CoapPeer.DurableId"/>.</returns>
    /// <exception cref="ObjectDisposedException">The observation was disposed.</exception>
    public async Task<CoapExportedObservation?> ExportAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        cancellationToken.ThrowIfCancellationRequested();
        TaskCompletionSource<CoapExportedObservation?> told = new(_shared!.CompletionOptions);
        _shared!.Export(told);
        return await told.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Ends the observation and returns at once.</summary>
    /// <remarks>
    /// If no other observation shares it, the endpoint deregisters at the server in the background (RFC 7641 section 3.6) and rejects
    /// notifications that still arrive.
    /// </remarks>
    /// <returns>A completed task.</returns>
    public ValueTask DisposeAsync()
    {
        End();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Ends the observation here and stays registered at the server, which is not told, because another process takes the observation over
    /// (<see cref="ExportAsync"/>).
    /// </summary>
    /// <remarks>
    /// If no other observation shares it, the endpoint ignores notifications for EXCHANGE_LIFETIME, so that their copies reach the other
    /// process. A later dispose does nothing.
    /// </remarks>
    public void LeaveRegistered() => End(isLeft: true);

    /// <summary>Returns the target and the state, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{_shared?.Name}: {State}";

    /// <summary>
    /// Handles a new <see cref="IObservationNotificationSource.Snapshot"/>. The caller holds no lock; several threads may call it
    /// concurrently.
    /// </summary>
    internal void OnChanged() => Changed();

    /// <summary>See <see cref="DisposeAsync"/>.</summary>
    internal void End() => End(isLeft: false);

    internal void Begin(IObservationNotificationSource source)
    {
        Volatile.Write(ref _shared, source);

        // Delivers what arrived before the source was known here.
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

    internal Task WhenChanged()
    {
        if (Volatile.Read(ref _changed) is { } waiting)
        {
            return waiting.Task;
        }

        TaskCompletionSource made = new(
            Volatile.Read(ref _shared)?.CompletionOptions ?? TaskCreationOptions.RunContinuationsAsynchronously);
        return (Interlocked.CompareExchange(ref _changed, made, null) ?? made).Task;
    }

    // Wake readers first, however long the methods of users below take.
    private void Changed()
    {
        if (Volatile.Read(ref _shared) is not { } shared)
        {
            return;
        }

        if (Interlocked.Exchange(ref _changed, null) is { } waiting)
        {
            shared.Report(static waiting => ((TaskCompletionSource)waiting!).TrySetResult(), waiting);
        }

        if (Interlocked.Increment(ref _changes) != 1)
        {
            // The delivering thread looks again before it ends.
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _changes);

            // Changes of a user's method to its execution context must not reach later work on this thread.
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
        Type? error = snapshot.Error?.GetType();
        if (state != _stateHandedOut || (error is not null && error != _errorHandedOut))
        {
            (_stateHandedOut, _errorHandedOut) = (state, error);
            if (StateChanged is { } changed)
            {
                Call(static (observation, changed, state) => changed(observation, state), changed, state);
            }
        }

        if (!IsDisposed && snapshot.Version != _handedOut)
        {
            _handedOut = snapshot.Version;
            if (_onNotification is { } callback)
            {
                Call(static (_, callback, response) => callback(response), callback, snapshot.Latest!);
            }
        }
    }

    private void Call<TMethod, TValue>(Action<CoapObservation, TMethod, TValue> call, TMethod method, TValue value)
    {
        UserCodeScope.Enter();
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
            UserCodeScope.Exit();
        }
    }

    private async Task PostAllAsync(BroadcastBlock<CoapResponse> block)
    {
        try
        {
            await foreach (CoapResponse response in ReadAllAsync().ConfigureAwait(false))
            {
                block.Post(response);
            }
        }
        catch (CoapException)
        {
            // The observation has the error.
        }

        block.Complete();
    }
}
