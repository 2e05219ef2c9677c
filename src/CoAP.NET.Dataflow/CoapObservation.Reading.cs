using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Requesting;

namespace CoAP.NET;

// How what came gets to those who want it.
public sealed partial class CoapObservation
{
    private static readonly ContextCallback s_handOut = static observation => ((CoapObservation)observation!).HandOut();

    /// <summary>
    /// The newest response, and then each newer one when it comes; what came while the reader was busy is skipped but for the newest. Any number of readers may
    /// read; each begins with what is there. Ends when the observation is disposed, or ended by itself because registrations are not made again.
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
    /// The responses as a source of Dataflow: it offers the newest one to whatever is linked to it, as <see cref="BroadcastBlock{T}"/> does, and completes when the
    /// observation is disposed or has ended.
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

    private Task WhenChanged()
    {
        if (Volatile.Read(ref _changed) is { } waiting)
        {
            return waiting.Task;
        }

        TaskCompletionSource made = new(_all.Environment.CompletionOptions);
        return (Interlocked.CompareExchange(ref _changed, made, null) ?? made).Task;
    }

    // Readers are woken first, whatever the methods of users below take.
    private void Changed()
    {
        if (Interlocked.Exchange(ref _changed, null) is { } waiting)
        {
            _all.Environment.Tell(static waiting => ((TaskCompletionSource)waiting!).TrySetResult(), waiting);
        }

        if (Volatile.Read(ref _resource) is null || Interlocked.Increment(ref _changes) != 1)
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
            CoapEnvironment environment = _resource!.Environment;
            environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.ObserverFailed(environment.Logger, exception, _resource.Target);
        }
        finally
        {
            UserCode.Exit();
        }
    }
}
