namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Where requests that are due meet peers that are idle, whoever comes first: the request that was due first goes to the peer that was idle
/// longest, so that a request waits only while all peers are busy. Thread-safe.
/// </summary>
internal sealed class ArrivalQueue
{
    /// <summary>What is taken after the last request.</summary>
    public const long Over = long.MinValue;

    private readonly Lock _gate = new();
    private readonly Queue<ArrivalWaiter> _idle = new();
    private readonly Queue<long> _backlog = new();
    private bool _isOver;

    /// <summary>Requests that are due and wait for a peer.</summary>
    public int Backlog
    {
        get
        {
            lock (_gate)
            {
                return _backlog.Count;
            }
        }
    }

    /// <summary>A request is due. What an idle peer does about it until it waits again runs before this returns.</summary>
    /// <param name="due">When, as a time stamp.</param>
    public void Add(long due)
    {
        ArrivalWaiter? waiter;
        lock (_gate)
        {
            if (!_idle.TryDequeue(out waiter))
            {
                _backlog.Enqueue(due);
                return;
            }
        }

        waiter.Set(due);
    }

    /// <summary>There will be no more: whoever is idle goes home, the rest when the backlog is worked off.</summary>
    public void End()
    {
        ArrivalWaiter[] waiters;
        lock (_gate)
        {
            _isOver = true;
            waiters = [.. _idle];
            _idle.Clear();
        }

        foreach (ArrivalWaiter waiter in waiters)
        {
            waiter.Set(Over);
        }
    }

    /// <summary>The time stamp of the next request, or <see cref="Over"/>.</summary>
    /// <param name="waiter">The caller's own; it waits for one request at a time.</param>
    public ValueTask<long> TakeAsync(ArrivalWaiter waiter)
    {
        lock (_gate)
        {
            if (_backlog.TryDequeue(out long due))
            {
                return new ValueTask<long>(due);
            }

            if (_isOver)
            {
                return new ValueTask<long>(Over);
            }

            ValueTask<long> wait = waiter.Prepare();
            _idle.Enqueue(waiter);
            return wait;
        }
    }
}
