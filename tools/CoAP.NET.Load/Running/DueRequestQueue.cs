namespace CoAP.NET.Load.Running;

/// <summary>
/// Matches due requests with idle peers: the earliest request goes to the peer that was idle longest, so that a request waits only while
/// all peers are busy. Thread-safe.
/// </summary>
internal sealed class DueRequestQueue
{
    /// <summary>The result after the last request.</summary>
    public const long Over = long.MinValue;

    private readonly Lock _gate = new();
    private readonly Queue<DueRequestWaiter> _idle = new();
    private readonly Queue<long> _backlog = new();
    private bool _isOver;

    /// <summary>Number of due requests that wait for a peer.</summary>
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

    /// <summary>Adds a due request. An idle peer's synchronous work for it runs before this returns.</summary>
    /// <param name="due">The due time, as a timestamp.</param>
    public void Add(long due)
    {
        DueRequestWaiter? waiter;
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

    /// <summary>Ends the queue: idle peers stop immediately, the others when the backlog is done.</summary>
    public void End()
    {
        DueRequestWaiter[] waiters;
        lock (_gate)
        {
            _isOver = true;
            waiters = [.. _idle];
            _idle.Clear();
        }

        foreach (DueRequestWaiter waiter in waiters)
        {
            waiter.Set(Over);
        }
    }

    /// <summary>Returns the timestamp of the next request, or <see cref="Over"/>.</summary>
    /// <param name="waiter">The caller's own waiter; it waits for one request at a time.</param>
    public ValueTask<long> TakeAsync(DueRequestWaiter waiter)
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
