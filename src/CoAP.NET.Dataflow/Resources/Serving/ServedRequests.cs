namespace CoAP.NET.Resources;

/// <summary>The requests that an endpoint is serving: how many, whether one more may begin, and when none is left. Shared by the blocks of all shards; takes no lock.</summary>
internal sealed class ServedRequests : IDisposable
{
    private readonly CancellationTokenSource _aborted = new();
    private readonly int _max;
    private TaskCompletionSource? _idle;
    private int _count;
    private int _slowThreads;
    private volatile bool _stopping;

    public ServedRequests(int max) => _max = max;

    /// <summary>How many threads all handlers that proved slow may take together. Well below what the scheduler has, so that they never starve the loops that receive.</summary>
    public static int MaxSlowThreads => 1024;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether new requests are refused because the endpoint stops.</summary>
    public bool IsStopping => _stopping;

    /// <summary>Cancelled when nobody waits for answers any more.</summary>
    public CancellationToken Aborted => _aborted.Token;

    /// <summary>From now on new requests are refused; those that run go on.</summary>
    public void Stop() => _stopping = true;

    /// <summary>Asks the handlers that still run to give up. Runs their cancellation callbacks, so it must be called without a lock.</summary>
    /// <exception cref="AggregateException">A callback of a handler failed.</exception>
    public void Abort()
    {
        _stopping = true;
        _aborted.Cancel();
    }

    /// <summary>Counts a request in, unless the bound is reached or the endpoint stops.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _count) <= _max && !_stopping)
        {
            return true;
        }

        Exit();
        return false;
    }

    /// <summary>Counts a request out.</summary>
    public void Exit()
    {
        if (Interlocked.Decrement(ref _count) == 0)
        {
            Volatile.Read(ref _idle)?.TrySetResult();
        }
    }

    /// <summary>A task that ends at the first moment from now on at which no request is served. Meant for after <see cref="Stop"/>.</summary>
    public Task WhenIdleAsync()
    {
        TaskCompletionSource idle = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource? before = Interlocked.CompareExchange(ref _idle, idle, null);
        if (before is { Task.IsCompleted: true })
        {
            Interlocked.CompareExchange(ref _idle, idle, before);
        }

        idle = Volatile.Read(ref _idle)!;
        if (Count == 0)
        {
            idle.TrySetResult();
        }

        return idle.Task;
    }

    public bool TryTakeSlowThread()
    {
        if (Interlocked.Increment(ref _slowThreads) <= MaxSlowThreads)
        {
            return true;
        }

        Interlocked.Decrement(ref _slowThreads);
        return false;
    }

    public void GiveSlowThreadBack() => Interlocked.Decrement(ref _slowThreads);

    public void Dispose() => _aborted.Dispose();
}
