namespace CoAP.NET.Testing;

/// <summary>
/// Replaces the library's threads in tests: queued work runs on the test thread, in order, when the test says so. Thread-safe.
/// </summary>
public sealed class VirtualScheduler : CoapThreadScheduler
{
    private const int MaxAtOnce = 1_000_000;

    private readonly Lock _gate = new();
    private readonly Queue<(Action<object?> Work, object? State)> _waiting = new();
    private readonly bool _runsInline;
    private readonly ITimer? _timer;
    private long _queued;
    private long _executed;
    private long _refused;

    /// <summary>
    /// Creates a scheduler that runs its work when the test calls <see cref="RunAll"/>, or at once.
    /// </summary>
    /// <param name="runsInline">Whether work runs inside of the call that queues it. Default false.</param>
    public VirtualScheduler(bool runsInline = false) => _runsInline = runsInline;

    /// <summary>
    /// Creates a scheduler that runs its work when the clock advances, even by zero, at the virtual time at which it was queued.
    /// </summary>
    /// <remarks>
    /// <see cref="RunAll"/> runs it earlier. Continuations of responses of an endpoint with this scheduler run in the same way. A run
    /// without threads of its own is therefore reproducible.
    /// </remarks>
    /// <param name="clock">The clock.</param>
    public VirtualScheduler(VirtualClock clock)
    {
        ArgumentNullException.ThrowIfNull(clock);
        _timer = clock.CreateTimer(static scheduler => ((VirtualScheduler)scheduler!).RunAll(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether <see cref="Queue"/> refuses work, as if no thread were available. Default false.</summary>
    public bool IsExhausted { get; set; }

    internal int Pending
    {
        get
        {
            lock (_gate)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>The number of accepted items so far.</summary>
    internal long QueuedCount => Volatile.Read(ref _queued);

    /// <summary>The number of completed items so far.</summary>
    internal long ExecutedCount => Volatile.Read(ref _executed);

    /// <summary>The number of refused items so far.</summary>
    internal long RefusedCount => Volatile.Read(ref _refused);

    /// <summary>Whether continuations of responses use this scheduler: true with a clock, which runs queued work.</summary>
    /// <remarks>Without a clock they would wait until the test runs them.</remarks>
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
        if (_runsInline)
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

    /// <summary>Runs the oldest queued item. Its exceptions propagate out of this call.</summary>
    /// <returns>Whether there was an item.</returns>
    internal bool RunOne()
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
                // The remaining items still have their turn on the clock, even if this item throws.
                _timer?.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            }
        }

        item.Work(item.State);
        Interlocked.Increment(ref _executed);
        return true;
    }

    /// <summary>Runs all queued items, including those that they queue.</summary>
    /// <returns>The number of items that ran.</returns>
    /// <exception cref="InvalidOperationException">A million items ran, and each queued another one.</exception>
    public int RunAll()
    {
        int ran = 0;
        while (RunOne())
        {
            if (++ran >= MaxAtOnce)
            {
                throw new InvalidOperationException(
                    $"{MaxAtOnce:N0} items ran and more are queued. Do not let work queue itself again endlessly.");
            }
        }

        return ran;
    }
}
