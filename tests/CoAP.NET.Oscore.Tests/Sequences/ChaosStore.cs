namespace CoAP.NET.Oscore.Tests.Sequences;

/// <summary>
/// A store whose calls wait until the test says what becomes of each: it takes effect and is confirmed, takes effect and is reported as
/// failed, or is lost. Calls of a process that died may still take effect later. What it holds is what a disk would hold.
/// </summary>
internal sealed class ChaosStore : IOscoreStore
{
    private readonly MemoryOscoreStore _disk = new();
    private readonly List<Call> _calls = [];

    public int Waiting => _calls.Count;

    public int Reservations { get; private set; }

    public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken) =>
        new(Queue(() => _disk.OpenAsync(key, default).AsTask().GetAwaiter().GetResult()));

    public ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken)
    {
        Reservations++;
        return new ValueTask(Queue(() =>
        {
            _disk.ReserveAsync(key, epoch, bound, default).AsTask().GetAwaiter().GetResult();
            return true;
        }));
    }

    public ValueTask CloseAsync(OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken) =>
        new(Queue(() =>
        {
            _disk.CloseAsync(key, epoch, received, default).AsTask().GetAwaiter().GetResult();
            return true;
        }));

    /// <summary>Ends one of the calls that wait.</summary>
    public void End(int index, CallFate fate)
    {
        Call call = _calls[index];
        _calls.RemoveAt(index);

        // What awaits the call goes on inline only where no context would take it, and the test has one thread.
        SynchronizationContext? context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            call.End(fate);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    /// <summary>Ends all calls that wait, and those that these lead to.</summary>
    public void EndAll(CallFate fate)
    {
        for (int i = 0; _calls.Count > 0; i++)
        {
            Assert.True(i < 1000, "Calls lead to calls without end.");
            End(0, fate);
        }
    }

    private Task<T> Queue<T>(Func<T> apply)
    {
        TaskCompletionSource<T> done = new();
        _calls.Add(new Call<T>(apply, done));
        return done.Task;
    }

    private abstract class Call
    {
        public abstract void End(CallFate fate);
    }

    private sealed class Call<T>(Func<T> apply, TaskCompletionSource<T> done) : Call
    {
        public override void End(CallFate fate)
        {
            try
            {
                T result = fate == CallFate.Lost ? default! : apply();
                if (fate == CallFate.Confirmed)
                {
                    done.TrySetResult(result);
                }
                else
                {
                    done.TrySetException(new IOException("No space left on device."));
                }
            }
            catch (Exception exception) when (exception is OscoreStoreException or ArgumentOutOfRangeException)
            {
                done.TrySetException(exception);
            }
        }
    }
}
