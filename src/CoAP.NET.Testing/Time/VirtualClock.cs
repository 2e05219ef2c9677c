namespace CoAP.NET.Testing;

/// <summary>
/// A clock that stands still until it is told to go on. Give it to everything that takes a <see cref="TimeProvider"/>; then minutes of
/// retransmissions pass in microseconds, the same way each time.
/// Timers run on the thread that advances, one after the other: by due time, and of those due at the same instant the one that was set
/// first (for timers that are set once, in the order of their creation). A timer that is due at once waits for the next advance, be it by
/// zero. Safe for several threads; the order of a run is only the same each time when one thread advances.
/// </summary>
public sealed partial class VirtualClock : TimeProvider
{
    // Not zero, so that code which takes the timestamp 0 for "never" is found out.
    private const long FirstTimestamp = TimeSpan.TicksPerHour;
    private const int MaxCallbacksAtOneInstant = 1_000_000;

    private readonly Lock _gate = new();
    private readonly SortedSet<VirtualTimer> _timers = new(VirtualTimer.ByDue);
    private readonly DateTimeOffset _start;
    private long _elapsed;
    private long _wallOffset;
    private long _sequence;

    /// <summary>Makes a clock that stands at the beginning of the year 2030, in UTC.</summary>
    public VirtualClock()
        : this(new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero))
    {
    }

    /// <summary>Makes a clock.</summary>
    /// <param name="start">The date and time at which it stands.</param>
    /// <param name="localTimeZone">The local time zone; null is UTC.</param>
    public VirtualClock(DateTimeOffset start, TimeZoneInfo? localTimeZone = null)
    {
        _start = start.ToUniversalTime();
        LocalTimeZone = localTimeZone ?? TimeZoneInfo.Utc;
    }

    /// <summary>10,000,000: timestamps count units of 100 ns.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <inheritdoc/>
    public override TimeZoneInfo LocalTimeZone { get; }

    /// <summary>The virtual time that has passed since the clock was made.</summary>
    public TimeSpan Elapsed
    {
        get
        {
            lock (_gate)
            {
                return new TimeSpan(_elapsed);
            }
        }
    }

    /// <summary>How many timers wait.</summary>
    public int TimerCount
    {
        get
        {
            lock (_gate)
            {
                return _timers.Count;
            }
        }
    }

    /// <summary>
    /// When the next timer is due, as time since the clock was made; null when none waits. May lie in the past or be now, when a timer
    /// waits for the next advance.
    /// </summary>
    public TimeSpan? NextDue
    {
        get
        {
            lock (_gate)
            {
                return _timers.Min is { } next ? new TimeSpan(next.Due) : null;
            }
        }
    }

    /// <inheritdoc/>
    public override long GetTimestamp()
    {
        lock (_gate)
        {
            return FirstTimestamp + _elapsed;
        }
    }

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow()
    {
        lock (_gate)
        {
            return _start.AddTicks(_elapsed + _wallOffset);
        }
    }

    /// <summary>
    /// Makes a timer on virtual time. As with the system's timers, the callback runs in the <see cref="ExecutionContext"/> of the caller,
    /// and a period of zero means that it fires once. What the callback throws leaves the advance that ran it.
    /// </summary>
    /// <param name="callback">What runs when it is due.</param>
    /// <param name="state">Passed to the callback.</param>
    /// <param name="dueTime">When it fires first; <see cref="Timeout.InfiniteTimeSpan"/> for not yet.</param>
    /// <param name="period">The time between later firings; zero or <see cref="Timeout.InfiniteTimeSpan"/> for none.</param>
    /// <returns>The timer.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative and not infinite, or longer than 4,294,967,294 ms.</exception>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        VirtualTimer timer = new(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>
    /// Lets time pass and runs every timer that becomes due, at its own time. Advancing from a timer's callback is allowed: the inner call
    /// runs first, and the outer one goes on from where the clock then stands, never back.
    /// </summary>
    /// <param name="by">How long; zero runs what is due now.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    /// <exception cref="InvalidOperationException">Timers that set themselves again without time passing would never end.</exception>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        long target;
        lock (_gate)
        {
            target = checked(_elapsed + by.Ticks);
        }

        RunTo(target, stopAtIdle: false);
    }

    /// <summary>
    /// Lets time pass until a point in time. Does what <see cref="Advance"/> does; a point that has passed runs what is due now.
    /// </summary>
    /// <param name="elapsed">The point, as time since the clock was made.</param>
    public void AdvanceTo(TimeSpan elapsed)
    {
        long target;
        lock (_gate)
        {
            target = Math.Max(_elapsed, elapsed.Ticks);
        }

        RunTo(target, stopAtIdle: false);
    }

    /// <summary>
    /// Lets time pass from timer to timer until none waits. The clock then stands at the last one, or at the limit if that came first.
    /// </summary>
    /// <param name="limit">The longest time to pass.</param>
    /// <returns>Whether no timer waits any more; false with timers due after the limit, such as periodic ones.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The limit is negative.</exception>
    public bool RunUntilIdle(TimeSpan limit)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, TimeSpan.Zero);
        long target;
        lock (_gate)
        {
            target = checked(_elapsed + limit.Ticks);
        }

        return RunTo(target, stopAtIdle: true);
    }

    /// <summary>
    /// Sets the wall clock forward or back, as an administrator or a time server does. <see cref="GetUtcNow"/> jumps; timestamps and timers
    /// do not notice.
    /// </summary>
    /// <param name="by">How far; negative sets it back.</param>
    public void JumpWallClock(TimeSpan by)
    {
        lock (_gate)
        {
            _wallOffset = checked(_wallOffset + by.Ticks);
        }
    }

    internal bool SetTimer(VirtualTimer timer, long dueIn, long period)
    {
        lock (_gate)
        {
            _timers.Remove(timer);
            if (timer.IsDisposed)
            {
                return false;
            }

            timer.Period = period;
            if (dueIn != Timeout.Infinite)
            {
                timer.Due = _elapsed + dueIn;
                timer.Sequence = ++_sequence;
                _timers.Add(timer);
            }

            return true;
        }
    }

    internal void RemoveTimer(VirtualTimer timer)
    {
        lock (_gate)
        {
            _timers.Remove(timer);
            timer.IsDisposed = true;
        }
    }

    private bool RunTo(long target, bool stopAtIdle)
    {
        int callbacks = 0;
        while (true)
        {
            VirtualTimer? due;
            lock (_gate)
            {
                due = _timers.Min;
                if (due is null || due.Due > target)
                {
                    if (due is not null || !stopAtIdle)
                    {
                        _elapsed = Math.Max(_elapsed, target);
                    }

                    return due is null;
                }

                if (due.Due > _elapsed)
                {
                    _elapsed = due.Due;
                    callbacks = 0;
                }

                if (++callbacks > MaxCallbacksAtOneInstant)
                {
                    throw new InvalidOperationException(
                        $"{MaxCallbacksAtOneInstant:N0} timers fired at {new TimeSpan(_elapsed)} without time passing. Something sets a "
                            + "timer again each time it fires, with no delay.");
                }

                _timers.Remove(due);
                if (due.Period > 0)
                {
                    due.Due += due.Period;
                    due.Sequence = ++_sequence;
                    _timers.Add(due);
                }
            }

            // Outside the lock: callbacks read the clock and set timers.
            due.Fire();
        }
    }
}
