using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// When the engine of a transport has something to do. The loop of its sockets asks, or a timer where no loop drives the clock. It waits
/// until something is due: a process may have thousands of clients, and those that are silent take no processor time. Thread-safe.
/// </summary>
/// <param name="engine">Does what is due.</param>
/// <param name="sockets">Their loop asks.</param>
/// <param name="outer">What the endpoint gave the transport.</param>
internal sealed class EngineClock(DtlsEngine engine, CoapDatagramTransport sockets, ICoapSessionContext outer) : IDisposable
{
    /// <summary>How often is looked while handshakes are under way.</summary>
    public static readonly TimeSpan Often = TimeSpan.FromMilliseconds(50);

    /// <summary>How often a server is looked after, whose clients may do something at any time.</summary>
    public static readonly TimeSpan Seldom = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private static readonly Action<object?> s_tick = static clock => ((EngineClock)clock!).TickOnThread();
    private static readonly Type s_timerOfSystem = TypeOfSystemTimer();

    private readonly Lock _gate = new();
    private ITimer? _timer;
    private bool _isDisposed;
    private long _looks;

    // A timestamp; the largest for never.
    private long _next;

    // How often somebody has asked for a look.
    private long _asked;

    /// <summary>How often it was looked for what is due.</summary>
    public long Looks => Volatile.Read(ref _looks);

    private long Now => outer.TimeProvider.GetTimestamp();

    /// <summary>The sockets receive.</summary>
    public void Start()
    {
        if (!sockets.DrivesClock)
        {
            lock (_gate)
            {
                _timer = _isDisposed ? null
                    : outer.TimeProvider.CreateTimer(
                        static clock => ((EngineClock)clock!).OnTimer(), this, Often, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>Does what is due.</summary>
    /// <returns>When to call again; <see cref="Timeout.InfiniteTimeSpan"/>: when the loop is woken.</returns>
    public TimeSpan Tick()
    {
        long next = Volatile.Read(ref _next);
        if (Now >= next)
        {
            // Somebody else looks again soon, where code of users holds this thread up.
            long soon = DueIn(Seldom);
            if (Interlocked.CompareExchange(ref _next, soon, next) == next)
            {
                long asked = Interlocked.Read(ref _asked);
                _looks++;
                long due = DueIn(engine.DoWhatIsDue());
                Interlocked.CompareExchange(ref _next, due, soon);
                if (Interlocked.Read(ref _asked) != asked)
                {
                    // For something that may not have been seen.
                    TryLower(soon);
                }
            }
        }

        return Left();
    }

    /// <summary>Has it look after a time at the latest. To be called after what is to be seen then was noted.</summary>
    /// <param name="time">The time; zero: at once.</param>
    public void LookWithin(TimeSpan time)
    {
        Interlocked.Increment(ref _asked);
        if (TryLower(DueIn(time)))
        {
            sockets.Wake();
            Arm();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer?.Dispose();
            _timer = null;
        }
    }

    // Sessions may end, of which users are told: not on a thread of the pool, where nobody sees what blocks. Timers of another time, such
    // as that of a test, fire where their owner decides.
    private void OnTimer()
    {
        if (Now < Volatile.Read(ref _next))
        {
            Arm();
        }
        else if (_timer?.GetType() != s_timerOfSystem || !outer.Scheduler.TryQueue(s_tick, this, outer.Counters, outer.Logger))
        {
            TickOnThread();
        }
    }

    private void TickOnThread()
    {
        try
        {
            Tick();
        }
        finally
        {
            Arm();
        }
    }

    // For the newest time, so that no thread overwrites what another one has just asked for.
    private void Arm()
    {
        lock (_gate)
        {
            if (_timer is { } timer)
            {
                TimeSpan left = Left();
                timer.Change(left == Timeout.InfiniteTimeSpan || left > s_shortest ? left : s_shortest, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private TimeSpan Left()
    {
        long next = Volatile.Read(ref _next);
        return next == long.MaxValue ? Timeout.InfiniteTimeSpan
            : outer.TimeProvider.GetElapsedTime(Now, next) is var left && left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private bool TryLower(long due)
    {
        long next = Volatile.Read(ref _next);
        while (due < next)
        {
            long seen = Interlocked.CompareExchange(ref _next, due, next);
            if (seen == next)
            {
                return true;
            }

            next = seen;
        }

        return false;
    }

    private long DueIn(TimeSpan time)
    {
        long now = Now;
        double ticks = time.TotalSeconds * outer.TimeProvider.TimestampFrequency;
        return time == Timeout.InfiniteTimeSpan || ticks >= long.MaxValue - now ? long.MaxValue : now + (long)ticks;
    }

    // Of a time that differs from the system's in its date only the timers are those of the system.
    private static Type TypeOfSystemTimer()
    {
        using ITimer timer = TimeProvider.System.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        return timer.GetType();
    }
}
