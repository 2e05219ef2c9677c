namespace CoAP.NET.Execution;

/// <summary>
/// Limits how many threads of the library run CPU-bound handlers at the same time. CPU-bound handlers gain nothing from more threads than
/// processors, and take time from the receiving threads. Waiting handlers do not, and get as many threads as they need, up to half of all.
/// The state of threads is sampled, not declared. Each queue keeps at least one thread. Thread-safe.
/// </summary>
internal sealed class HandlerThreadLimiter : IWatched
{
    private readonly Lock _gate = new();
    private readonly Watchdog _watchdog;
    private readonly Func<Thread, int, bool> _waits;
    private readonly Func<int> _currentId;
    private readonly int _maxBusy;
    private readonly int _maxThreads;

    // Guarded by _gate.
    private readonly List<(Thread Thread, int Id)> _working = [];
    private readonly Queue<IHandlerQueue> _asking = new();

    private int _count;
    private int _surplus;

    /// <param name="scheduler">The threads.</param>
    /// <param name="maxThreads">The maximum number of threads of handlers.</param>
    /// <param name="maxBusy">The maximum number of computing threads; null for <see cref="UserCodePolicy.ComputingThreads"/>.</param>
    /// <param name="waits">Whether a thread waits; null to ask the system. For tests.</param>
    /// <param name="currentId">Identifies the calling thread; null to ask the system. For tests.</param>
    public HandlerThreadLimiter(
        CoapThreadScheduler scheduler,
        int maxThreads,
        int? maxBusy = null,
        Func<Thread, int, bool>? waits = null,
        Func<int>? currentId = null)
    {
        _maxThreads = maxThreads;
        _maxBusy = maxBusy ?? UserCodePolicy.ComputingThreads;
        _waits = waits ?? ThreadWaitDetector.Waits;
        _currentId = currentId ?? (static () => ThreadWaitDetector.CurrentId);
        _watchdog = Watchdog.Of(scheduler);
        _watchdog.Add(this);
    }

    /// <summary>Whether one more thread may start before the next sample.</summary>
    public bool HasCapacity => Volatile.Read(ref _count) < _maxBusy;

    /// <inheritdoc/>
    public bool MustWatch
    {
        get
        {
            lock (_gate)
            {
                return _asking.Count > 0;
            }
        }
    }

    /// <summary>Claims permission for the calling thread to end, because more threads compute than should.</summary>
    /// <returns>Whether the caller may end.</returns>
    public bool TryTakeSurplus()
    {
        while (Volatile.Read(ref _surplus) is var surplus and > 0)
        {
            if (Interlocked.CompareExchange(ref _surplus, surplus - 1, surplus) == surplus)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Counts a thread that is about to start; pairs with <see cref="Release"/>.</summary>
    /// <returns>False if handlers have as many threads as they may.</returns>
    public bool TryReserve()
    {
        if (Interlocked.Increment(ref _count) <= _maxThreads)
        {
            return true;
        }

        Release();
        return false;
    }

    /// <summary>Reverts <see cref="TryReserve"/>: the thread did not start, or has ended its work.</summary>
    public void Release() => Interlocked.Decrement(ref _count);

    /// <summary>Registers the calling thread as one that runs handlers.</summary>
    public void Enter()
    {
        int id = _currentId();
        lock (_gate)
        {
            _working.Add((Thread.CurrentThread, id));
        }
    }

    /// <summary>Unregisters the calling thread.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            int index = _working.FindIndex(static worker => worker.Thread == Thread.CurrentThread);
            _working[index] = _working[^1];
            _working.RemoveAt(_working.Count - 1);
        }
    }

    /// <summary>
    /// Requests another thread for a queue that has one already; it starts as soon as there is room. If the watchdog has no thread either,
    /// the queue's own thread serves the requests one after the other.
    /// </summary>
    public void Ask(IHandlerQueue queue)
    {
        lock (_gate)
        {
            _asking.Enqueue(queue);
        }

        _watchdog.EnsureAwake();
    }

    /// <summary>Samples the threads once, and starts those for which there is room.</summary>
    /// <returns>Whether a queue still waits for a thread.</returns>
    public bool Look(long now)
    {
        int room;
        int asking;
        lock (_gate)
        {
            asking = _asking.Count;
            room = asking > 0 ? Room() : 0;
        }

        // Queues take turns. Outside the lock, because a scheduler may run the work at once.
        for (; room > 0 && asking > 0; asking--)
        {
            IHandlerQueue? queue;
            lock (_gate)
            {
                if (!_asking.TryDequeue(out queue))
                {
                    break;
                }
            }

            bool started = queue.TryStartNext(out bool waitsForMore);
            room -= started ? 1 : 0;
            if (started && waitsForMore)
            {
                asking++;
            }

            if (waitsForMore)
            {
                lock (_gate)
                {
                    _asking.Enqueue(queue);
                }
            }
        }

        return MustWatch;
    }

    // If none computes, their number doubles: it soon reaches the demand. Each look asks the system for each thread until it knows enough;
    // the next one finds the others.
    private int Room()
    {
        int count = Volatile.Read(ref _count);
        int busy = count - _working.Count;
        foreach ((Thread thread, int id) in _working)
        {
            if (busy >= 2 * _maxBusy)
            {
                break;
            }

            busy += _waits(thread, id) ? 0 : 1;
        }

        Volatile.Write(ref _surplus, Math.Max(0, busy - _maxBusy));
        return busy == 0 ? Math.Max(_maxBusy, count) : Math.Max(0, _maxBusy - busy);
    }
}
