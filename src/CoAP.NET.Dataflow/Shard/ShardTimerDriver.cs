namespace CoAP.NET.Shard;

/// <summary>
/// Fires the due timers of a shard, by a timer of the <see cref="TimeProvider"/> or when a receive loop calls. Timers may run user code, so
/// they never run on a thread of the shared pool that fired a timer, but on a thread of the library.
/// </summary>
internal sealed class ShardTimerDriver : IDisposable
{
    private static readonly Type s_timerOfSystem = TypeOfSystemTimer();
    private static readonly Action<object?> s_tick = static clock => ((ShardTimerDriver)clock!).TickOnThread();

    private readonly CoapShard _shard;
    private readonly ITimer _timer;
    private CoapTransport? _driver;
    private int _isHandedOver;

    public ShardTimerDriver(CoapShard shard)
    {
        _shard = shard;
        _timer = _shard.Environment.TimeProvider.CreateTimer(
            static state => ((ShardTimerDriver)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _shard.Clock = this;
    }

    /// <summary>
    /// Whether the timer fires on threads of the shared pool: no loop drives the clock, and its timer is one of the system. Timers of
    /// another time, such as that of a test, fire where their owner decides.
    /// </summary>
    public bool FiresOnPool => IsTimerDriven && _timer.GetType() == s_timerOfSystem;

    /// <summary>Whether no loop calls <see cref="Tick"/>.</summary>
    public bool IsTimerDriven => _driver is null;

    /// <summary>
    /// Makes a receive loop of a transport drive the clock: it calls <see cref="Tick"/>, and is woken when something is due earlier than it
    /// knows.
    /// </summary>
    public void DriveBy(CoapTransport driver)
    {
        _driver = driver;
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        driver.Wake();
    }

    /// <summary>Fires the due timers.</summary>
    /// <returns>The time of the next call, in units of 100 ns; <see cref="long.MaxValue"/> without timers.</returns>
    public long Tick()
    {
        long now = _shard.Environment.Now;
        long due = _shard.Advance(now);
        if (IsTimerDriven && due != long.MaxValue && _shard.DriverDue == long.MaxValue)
        {
            TryAgain();
        }

        return due;
    }

    private void OnTimer()
    {
        if (FiresOnPool)
        {
            HandOver();
        }
        else
        {
            TryTick();
        }
    }

    // At most one tick waits for a thread, however many callers find the clock late meanwhile. Without a thread, this one runs the tick.
    private void HandOver()
    {
        CoapEnvironment environment = _shard.Environment;
        if (Interlocked.Exchange(ref _isHandedOver, 1) == 0
            && !environment.Scheduler.TryQueue(s_tick, this, environment.Counters, environment.Logger))
        {
            TickOnThread();
        }
    }

    private void TickOnThread()
    {
        // Before the time is read: later timers hand over again.
        Interlocked.Exchange(ref _isHandedOver, 0);
        TryTick();
    }

    // An exception on a timer thread would end the process. A timer or time stamp that failed once may work the next time.
    private void TryTick()
    {
        try
        {
            Tick();
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            StageExceptionReporter.Report(_shard.Environment.Counters, _shard.Environment.Logger, exception);
            TryAgain();
        }
    }

    private static Type TypeOfSystemTimer()
    {
        using ITimer timer = TimeProvider.System.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        return timer.GetType();
    }

    private void TryAgain()
    {
        lock (_shard.Gate)
        {
            // If the timer fails again, the next thread that leaves the shard sets the clock.
            _shard.DriverDue = long.MaxValue;
        }

        try
        {
            _timer.Change(UserCodePolicy.HandOverAfter, Timeout.InfiniteTimeSpan);
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            StageExceptionReporter.Report(_shard.Environment.Counters, _shard.Environment.Logger, exception);
        }
    }

    public void Dispose()
    {
        _shard.Clock = null;
        _timer.Dispose();
    }

    /// <summary>
    /// Sets the timer, or wakes the loop, because something may be due earlier than the driver knows. The caller must hold no lock.
    /// </summary>
    public void Wake()
    {
        if (_driver is { } driver)
        {
            driver.Wake();
        }
        else if (_shard.IsClockLate(_shard.Environment.Now))
        {
            // The timer is long overdue and may never fire, for example when all pool threads are blocked. A thread with a role receives,
            // and runs the effects like handlers.
            if (FiresOnPool && UserCodeScope.Role is null)
            {
                HandOver();
            }
            else
            {
                Tick();
            }
        }
        else
        {
            Arm();
        }
    }

    /// <summary>
    /// Sets the timer after a tick, if no loop calls. Before effects are carried out, because user code among them may block; a blocked
    /// loop has a stand-by, which calls again. The caller must hold no lock.
    /// </summary>
    public void OnTicked()
    {
        if (IsTimerDriven)
        {
            Arm();
        }
    }

    // Under a lock and always for the newest time, so no caller overwrites what another one has just scheduled.
    private void Arm()
    {
        lock (_timer)
        {
            long due = _shard.DriverDue;
            _timer.Change(
                due == long.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromTicks(Math.Max(1, due - _shard.Environment.Now)),
                Timeout.InfiniteTimeSpan);
        }
    }
}
