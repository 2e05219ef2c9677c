namespace CoAP.NET;

/// <summary>
/// How many handlers may compute at a time on threads of the library. Handlers that take the processor gain nothing from more threads than processors; everybody else, the threads that
/// receive above all, would get ever smaller shares of them. Those that wait for something harm nobody, so for them there are as many threads as they need. Which is which is
/// looked at, not declared. Each queue has one thread in any case.
/// </summary>
internal sealed class HandlerThreads
{
    // More are not looked for at a time: each look is work.
    private const int MaxSurplus = 8;

    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(2);

    private readonly Lock _gate = new();
    private readonly CoapScheduler _scheduler;
    private readonly Func<Thread, int, bool> _waits;
    private readonly int _maxBusy;

    // Guarded by _gate.
    private readonly List<(Thread Thread, int Id)> _working = [];
    private readonly Queue<IHandlerQueue> _asking = new();
    private bool _isLooking;

    private int _count;
    private int _surplus;

    /// <param name="scheduler">Where the thread comes from that looks at the others.</param>
    /// <param name="maxBusy">How many may compute at a time; null: half of the processors, and at least one.</param>
    /// <param name="waits">Whether a thread waits; null: what the system says. For tests.</param>
    public HandlerThreads(CoapScheduler scheduler, int? maxBusy = null, Func<Thread, int, bool>? waits = null)
    {
        _scheduler = scheduler;
        _maxBusy = maxBusy ?? Math.Max(1, Environment.ProcessorCount / 2);
        _waits = waits ?? ThreadStates.Waits;
    }

    /// <summary>Whether one more thread may begin without anybody's look at those that work.</summary>
    public bool HasRoom => Volatile.Read(ref _count) < _maxBusy;

    /// <summary>Takes the leave that one thread may take, as more compute than are to: those that waited when they were looked at, and compute now.</summary>
    /// <returns>Whether the caller may leave.</returns>
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

    /// <summary>A thread is asked for; pairs with <see cref="Release"/>.</summary>
    public void Reserve() => Interlocked.Increment(ref _count);

    /// <summary>The thread could not be had, or has ended its work.</summary>
    public void Release() => Interlocked.Decrement(ref _count);

    /// <summary>The calling thread begins to run handlers.</summary>
    public void Enter()
    {
        int id = ThreadStates.CurrentId;
        lock (_gate)
        {
            _working.Add((Thread.CurrentThread, id));
        }
    }

    /// <summary>The calling thread runs no more.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            int index = _working.FindIndex(static worker => worker.Thread == Thread.CurrentThread);
            _working[index] = _working[^1];
            _working.RemoveAt(_working.Count - 1);
        }
    }

    /// <summary>Has a queue, which must have a thread already, get another as soon as those that work leave room.</summary>
    public void Ask(IHandlerQueue queue)
    {
        lock (_gate)
        {
            _asking.Enqueue(queue);
            if (_isLooking)
            {
                return;
            }

            _isLooking = true;
        }

        if (!_scheduler.TryQueue(static threads => ((HandlerThreads)threads!).LookOn(), this, null, null))
        {
            lock (_gate)
            {
                // The queue's own thread serves it, one after the other.
                _isLooking = false;
            }
        }
    }

    /// <summary>Looks at the threads once, and starts those for which there is room.</summary>
    /// <returns>Whether a queue still asks.</returns>
    public bool Look()
    {
        int room;
        int asking;
        lock (_gate)
        {
            room = Room();
            asking = _asking.Count;
        }

        // Each queue in its turn; outside the lock, as starting a thread may run it.
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

        lock (_gate)
        {
            return _asking.Count > 0;
        }
    }

    // Where nobody computes, half as many again: those that wait are soon as many as there is need for, and when the new ones compute there are not many too many.
    private int Room()
    {
        int count = Volatile.Read(ref _count);
        int busy = count - _working.Count;
        foreach ((Thread thread, int id) in _working)
        {
            if (busy >= _maxBusy + MaxSurplus)
            {
                break;
            }

            busy += _waits(thread, id) ? 0 : 1;
        }

        Volatile.Write(ref _surplus, Math.Max(0, busy - _maxBusy));
        return busy == 0 ? Math.Max(_maxBusy, count / 2) : Math.Max(0, _maxBusy - busy);
    }

    private void LookOn()
    {
        using ManualResetEvent never = new(false);
        while (true)
        {
            never.WaitOne(s_period);
            if (Look())
            {
                continue;
            }

            lock (_gate)
            {
                if (_asking.Count == 0)
                {
                    _isLooking = false;
                    return;
                }
            }
        }
    }
}
