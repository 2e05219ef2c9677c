using CoAP.NET.Testing.Time;

namespace CoAP.NET.Testing;

/// <summary>A clock that does not advance until a test advances it. Thread-safe.</summary>
/// <remarks>
/// Pass it to everything that takes a <see cref="TimeProvider"/>. Minutes of retransmissions then pass in microseconds, in a reproducible
/// way. Timers run on the thread that advances, one after the other by due time. Timers due at the same instant run in the order in which
/// they were set; for one-shot timers that is the order of creation. A timer that is due at once waits for the next advance, even one by
/// zero. A run is only reproducible when a single thread advances.
/// </remarks>
public sealed class VirtualClock : TimeProvider
{
    // Not zero, to reveal code that uses the timestamp 0 for "never".
    private const long FirstTimestamp = TimeSpan.TicksPerHour;
    private const int MaxCallbacksAtOneInstant = 1_000_000;

    private readonly Lock _gate = new();
    private readonly SortedSet<VirtualTimer> _timers = new(VirtualTimer.ByDue);
    private readonly DateTimeOffset _start;
    private readonly VirtualClockDriver _drive;
    private long _elapsed;
    private long _wallOffset;
    private long _sequence;

    /// <summary>Creates a clock that shows the beginning of the year 2030, in UTC.</summary>
    public VirtualClock()
        : this(new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero))
    {
    }

    /// <summary>Creates a clock.</summary>
    /// <param name="start">The initial date and time.</param>
    /// <param name="localTimeZone">The local time zone; null for UTC.</param>
    public VirtualClock(DateTimeOffset start, TimeZoneInfo? localTimeZone = null)
    {
        _start = start.ToUniversalTime();
        _drive = new VirtualClockDriver(this);
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

    /// <summary>The number of pending timers.</summary>
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

    /// <summary>The due time of the next timer since the clock was made; null without timers.</summary>
    /// <remarks>It can be now or in the past, when a timer waits for the next advance.</remarks>
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

    /// <summary>Whether a caller waits for the clock and advances it (<see cref="AdvanceUntilAsync{T}"/>).</summary>
    internal bool IsDriven => _drive.IsDriven;

    /// <summary>The number of steps that waited for quiet; each costs processor time.</summary>
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

    /// <summary>Creates a timer on virtual time.</summary>
    /// <remarks>
    /// As with the system's timers, the callback runs in the <see cref="ExecutionContext"/> of the caller, and a period of zero means that
    /// it fires once. Exceptions of the callback propagate out of the advance that ran it.
    /// </remarks>
    /// <param name="callback">The callback.</param>
    /// <param name="state">Passed to the callback.</param>
    /// <param name="dueTime">The time until the first firing; <see cref="Timeout.InfiniteTimeSpan"/> for not yet.</param>
    /// <param name="period">The period of later firings; zero or <see cref="Timeout.InfiniteTimeSpan"/> for none.</param>
    /// <returns>The timer.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative and not infinite, or longer than 4,294,967,294 ms.</exception>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        VirtualTimer timer = new(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Advances the time and runs each timer that becomes due, at its own time.</summary>
    /// <remarks>
    /// A timer's callback may advance too: the inner call runs first. The outer call then continues from the new time, and never goes back.
    /// </remarks>
    /// <param name="by">The time to pass; zero runs the timers that are due now.</param>
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

    /// <summary>Advances the time to a point, like <see cref="Advance"/>. A point in the past runs the timers that are due now.</summary>
    /// <param name="elapsed">The point as time since the clock was made.</param>
    public void AdvanceTo(TimeSpan elapsed)
    {
        long target;
        lock (_gate)
        {
            target = Math.Max(_elapsed, elapsed.Ticks);
        }

        RunTo(target, stopAtIdle: false);
    }

    /// <summary>Advances the time from timer to timer until no timer is pending.</summary>
    /// <remarks>The clock then shows the time of the last timer, or at the limit if that came first.</remarks>
    /// <param name="limit">The maximum time to pass.</param>
    /// <returns>True if no timer is pending; false with timers due after the limit, such as periodic ones.</returns>
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

    /// <summary>Advances the time until a task has ended, and returns its result.</summary>
    /// <remarks>
    /// Time advances from timer to timer. Before each step the clock waits until the process is quiet, so a continuation never sees a later
    /// time than the one that caused it. Nothing sleeps.
    /// "Quiet" means that the thread pool has no queued work and every other thread of the process sleeps. That is exact when the test runs
    /// alone: put such tests into a collection without parallel ones. Beside other tests the clock waits without success for some five
    /// seconds in total, then for some 20 ms at each step, and continues. Quiet steps restore the five seconds. Give the code under test a
    /// <see cref="VirtualScheduler"/> in place of threads, and an <see cref="InMemoryNetwork"/> in place of sockets.
    /// Callers that wait for the same clock at the same time share its steps: one of them makes the steps for all, and each continues at
    /// the instant of its own event. Conditions may therefore be evaluated on any thread, but never by two threads at once.
    /// </remarks>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="task">The task.</param>
    /// <param name="max">The maximum virtual time.</param>
    /// <param name="step">The maximum length of a step; null when only timers matter.</param>
    /// <returns>The result of the task. The method rethrows exceptions of the task.</returns>
    /// <exception cref="TimeoutException">The maximum time has passed and the task has not ended.</exception>
    public async Task<T> AdvanceUntilAsync<T>(Task<T> task, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(task);
        await AdvanceUntilAsync(() => task.IsCompleted, max, step).ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    /// <summary>Advances the time until a task has ended. The overload with a result explains how.</summary>
    /// <param name="task">The task.</param>
    /// <param name="max">The maximum virtual time.</param>
    /// <param name="step">The maximum length of a step; null when only timers matter.</param>
    /// <returns>A task with the outcome of the given one.</returns>
    /// <exception cref="TimeoutException">The maximum time has passed and the task has not ended.</exception>
    public async Task AdvanceUntilAsync(Task task, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(task);
        await AdvanceUntilAsync(() => task.IsCompleted, max, step).ConfigureAwait(false);
        await task.ConfigureAwait(false);
    }

    /// <summary>Advances the time until a condition is true. The overload for tasks explains how.</summary>
    /// <param name="condition">The condition; evaluated between the steps.</param>
    /// <param name="max">The maximum virtual time.</param>
    /// <param name="step">The maximum length of a step; null when only timers matter. Set it for a condition that reads the clock.</param>
    /// <returns>A task that completes when the condition is true.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative, or the step is zero.</exception>
    /// <exception cref="TimeoutException">The maximum time has passed and the condition is false.</exception>
    public async Task AdvanceUntilAsync(Func<bool> condition, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(condition);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, TimeSpan.Zero);
        TimeSpan longest = step ?? TimeSpan.MaxValue;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero, nameof(step));

        // Leaves the caller's thread, which others may wait for. Done once and not for each step, because an abandoned thread looks busy
        // for a while.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await _drive.RunAsync(new VirtualWaiter(condition, Elapsed, max, longest)).ConfigureAwait(false);
    }

    /// <summary>Sets the wall clock forward or back, like an administrator or a time server.</summary>
    /// <remarks><see cref="GetUtcNow"/> jumps; timestamps and timers do not change.</remarks>
    /// <param name="by">The distance; negative sets it back.</param>
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
        HangReport.OfProcess.NoteMove();
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

            // Outside the lock, because callbacks read the clock and set timers.
            due.Fire();
        }
    }
}
