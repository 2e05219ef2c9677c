namespace CoAP.NET.Testing;

/// <summary>
/// A clock that stands still until it is told to go on. Give it to everything that takes a <see cref="TimeProvider"/>; then minutes of
/// retransmissions pass in microseconds, the same way each time.
/// Timers run on the thread that advances, one after the other: by due time, and of those due at the same instant the one that was set
/// first (for timers that are set once, in the order of their creation). A timer that is due at once waits for the next advance, be it by
/// zero. Safe for several threads; the order of a run is only the same each time when one thread advances.
/// </summary>
public sealed class VirtualClock : TimeProvider
{
    // Not zero, so that code which takes the timestamp 0 for "never" is found out.
    private const long FirstTimestamp = TimeSpan.TicksPerHour;
    private const int MaxCallbacksAtOneInstant = 1_000_000;

    private readonly Lock _gate = new();
    private readonly SortedSet<VirtualTimer> _timers = new(VirtualTimer.ByDue);
    private readonly DateTimeOffset _start;
    private readonly VirtualDrive _drive;
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
        _drive = new VirtualDrive(this);
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

    /// <summary>How many steps were made by waiting until all was quiet, each of which costs time of the processor.</summary>
    internal long Steps => _drive.Steps;

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
    /// Lets time pass until a task has ended, and returns its result. Time goes from timer to timer, and before each step everything that
    /// can still run at the present instant is let run: the step waits until the process is quiet, so that a continuation never sees a
    /// later time than the one it was caused at. Nothing sleeps.
    /// </summary>
    /// <remarks>
    /// "Quiet" means that nothing is queued to the thread pool and every other thread of the process sleeps. That is exact when the test
    /// runs alone: put tests that use this into a collection without parallel ones. Beside others it looks in vain for some five seconds
    /// in all, then for some 20 ms at each step, and goes on; steps that end quiet bring the seconds back. Give the code under test a
    /// <see cref="VirtualScheduler"/> in place of threads, and an <see cref="InMemoryNetwork"/> in place of sockets.
    /// Callers that wait for the same clock at the same time share its steps: one of them makes the steps for all, and each goes on at the
    /// instant at which what it waits for has happened. Conditions are therefore asked on any thread, but never by two threads at once.
    /// </remarks>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="task">The task.</param>
    /// <param name="max">The longest virtual time to pass.</param>
    /// <param name="step">The longest single step; null when only timers matter.</param>
    /// <returns>The result of the task; it throws what the task threw.</returns>
    /// <exception cref="TimeoutException">The time has passed and the task has not ended.</exception>
    public async Task<T> AdvanceUntilAsync<T>(Task<T> task, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(task);
        await AdvanceUntilAsync(() => task.IsCompleted, max, step).ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    /// <summary>Lets time pass until a task has ended. See the overload with a result for how.</summary>
    /// <param name="task">The task.</param>
    /// <param name="max">The longest virtual time to pass.</param>
    /// <param name="step">The longest single step; null when only timers matter.</param>
    /// <returns>A task that ends as the given one did.</returns>
    /// <exception cref="TimeoutException">The time has passed and the task has not ended.</exception>
    public async Task AdvanceUntilAsync(Task task, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(task);
        await AdvanceUntilAsync(() => task.IsCompleted, max, step).ConfigureAwait(false);
        await task.ConfigureAwait(false);
    }

    /// <summary>Lets time pass until something is true. See the overload for tasks for how.</summary>
    /// <param name="condition">What is waited for; asked between the steps.</param>
    /// <param name="max">The longest virtual time to pass.</param>
    /// <param name="step">The longest single step; null when only timers matter. Set it for a condition that reads the clock.</param>
    /// <returns>A task that ends when the condition is true.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative, or the step is zero.</exception>
    /// <exception cref="TimeoutException">The time has passed and the condition is false.</exception>
    public async Task AdvanceUntilAsync(Func<bool> condition, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(condition);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, TimeSpan.Zero);
        TimeSpan longest = step ?? TimeSpan.MaxValue;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero, nameof(step));

        // Away from the caller's thread, which others may wait for. Once, and not for each step: a thread that was left looks busy for a
        // while.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await _drive.RunAsync(new VirtualWaiter(condition, Elapsed, max, longest)).ConfigureAwait(false);
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
