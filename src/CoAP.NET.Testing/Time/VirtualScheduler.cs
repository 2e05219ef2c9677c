namespace CoAP.NET.Testing;

/// <summary>
/// Takes the place of the library's threads in tests: queued work runs on the thread of the test, in the order in which it was queued, when
/// the test says so. Safe for several threads.
/// </summary>
public sealed class VirtualScheduler : CoapScheduler
{
    private const int MaxAtOnce = 1_000_000;

    private readonly Lock _gate = new();
    private readonly Queue<(Action<object?> Work, object? State)> _waiting = new();
    private readonly VirtualSchedulerMode _mode;
    private readonly ITimer? _timer;
    private long _queued;
    private long _executed;
    private long _refused;

    /// <summary>Makes a scheduler whose work runs when the test calls <see cref="RunAll"/> or <see cref="RunOne"/>, or at once.</summary>
    /// <param name="mode">When work runs.</param>
    public VirtualScheduler(VirtualSchedulerMode mode = VirtualSchedulerMode.Queued) => _mode = mode;

    /// <summary>
    /// Makes a scheduler whose work runs when the clock advances, be it by zero, at the virtual time at which it was queued.
    /// <see cref="RunAll"/> runs it earlier. What awaits responses of an endpoint with this scheduler goes on in the same way, so that a
    /// run without threads of its own is the same each time.
    /// </summary>
    /// <param name="clock">The clock.</param>
    public VirtualScheduler(VirtualClock clock)
    {
        ArgumentNullException.ThrowIfNull(clock);
        _timer = clock.CreateTimer(static scheduler => ((VirtualScheduler)scheduler!).RunAll(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether <see cref="Queue"/> refuses, as it does when no thread can be had. Default false.</summary>
    public bool IsExhausted { get; set; }

    /// <summary>How many items wait.</summary>
    public int Pending
    {
        get
        {
            lock (_gate)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>How many items were accepted so far.</summary>
    public long QueuedCount => Volatile.Read(ref _queued);

    /// <summary>How many items have run to their end so far.</summary>
    public long ExecutedCount => Volatile.Read(ref _executed);

    /// <summary>How many items were refused so far.</summary>
    public long RefusedCount => Volatile.Read(ref _refused);

    /// <summary>
    /// Whether code that awaits responses goes on through this scheduler: with a clock that runs what waits. Without one it would go on no
    /// sooner than the test says so.
    /// </summary>
    public override bool TakesContinuations => _timer is not null;

    /// <inheritdoc/>
    public override bool Queue(Action<object?> work, object? state)
    {
        ArgumentNullException.ThrowIfNull(work);
        if (IsExhausted)
        {
            Interlocked.Increment(ref _refused);
            return false;
        }

        Interlocked.Increment(ref _queued);
        if (_mode == VirtualSchedulerMode.Inline)
        {
            work(state);
            Interlocked.Increment(ref _executed);
            return true;
        }

        bool first;
        lock (_gate)
        {
            _waiting.Enqueue((work, state));
            first = _waiting.Count == 1;
        }

        if (first)
        {
            _timer?.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }

        return true;
    }

    /// <summary>Runs the item that waited longest. What it throws leaves this call.</summary>
    /// <returns>Whether there was one.</returns>
    public bool RunOne()
    {
        (Action<object?> Work, object? State) item;
        lock (_gate)
        {
            if (!_waiting.TryDequeue(out item))
            {
                return false;
            }

            if (_waiting.Count > 0)
            {
                // What is left still has its turn on the clock, also when this item throws.
                _timer?.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            }
        }

        item.Work(item.State);
        Interlocked.Increment(ref _executed);
        return true;
    }

    /// <summary>Runs everything that waits, with what it queues meanwhile.</summary>
    /// <returns>How many items ran.</returns>
    /// <exception cref="InvalidOperationException">A million items ran and each queued another one.</exception>
    public int RunAll()
    {
        int ran = 0;
        while (RunOne())
        {
            if (++ran >= MaxAtOnce)
            {
                throw new InvalidOperationException(
                    $"{MaxAtOnce:N0} items ran and more are queued. Work that queues itself again would never end.");
            }
        }

        return ran;
    }
}
