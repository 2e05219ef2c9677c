using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// Schedules the engine of a transport. The loop of its sockets calls it, or a timer if no loop drives the clock. It waits until work is
/// due: a process may have thousands of clients, and silent ones take no processor time. Thread-safe.
/// </summary>
/// <param name="engine">Performs the work.</param>
/// <param name="sockets">Their loop calls it.</param>
/// <param name="outer">The context that the endpoint gave the transport.</param>
internal sealed class DtlsEngineTimer(DtlsEngine engine, CoapDatagramTransport sockets, ICoapSessionTransportContext outer) : IDisposable
{
    /// <summary>The interval while handshakes are pending.</summary>
    public static readonly TimeSpan Often = TimeSpan.FromMilliseconds(50);

    /// <summary>The interval of a server, whose clients may send at any time.</summary>
    public static readonly TimeSpan Seldom = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private static readonly Action<object?> s_tick = static clock => ((DtlsEngineTimer)clock!).TickOnThread();
    private static readonly Type s_timerOfSystem = TypeOfSystemTimer();

    private readonly Lock _gate = new();
    private ITimer? _timer;
    private bool _isDisposed;
    private long _looks;

    // A timestamp; the largest means never.
    private long _next;

    // Number of requests for a check.
    private long _asked;

    /// <summary>Number of checks for due work.</summary>
    public long Looks => Volatile.Read(ref _looks);

    private long Now => outer.TimeProvider.GetTimestamp();

    /// <summary>Handles the start of the sockets.</summary>
    public void Start()
    {
        if (!sockets.DrivesClock)
        {
            lock (_gate)
            {
                _timer = _isDisposed ? null
                    : outer.TimeProvider.CreateTimer(
                        static clock => ((DtlsEngineTimer)clock!).OnTimer(), this, Often, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>Performs due work.</summary>
    /// <returns>When to call again; <see cref="Timeout.InfiniteTimeSpan"/>: when the loop wakes.</returns>
    public TimeSpan Tick()
    {
        long next = Volatile.Read(ref _next);
        if (Now >= next)
        {
            // Another thread checks again soon, if user code holds this thread up.
            long soon = DueIn(Seldom);
            if (Interlocked.CompareExchange(ref _next, soon, next) == next)
            {
                long asked = Interlocked.Read(ref _asked);
                _looks++;
                long due = DueIn(engine.DoWhatIsDue());
                Interlocked.CompareExchange(ref _next, due, soon);
                if (Interlocked.Read(ref _asked) != asked)
                {
                    // For work that this check may have missed.
                    TryLower(soon);
                }
            }
        }

        return Left();
    }

    /// <summary>Requests a check within a time. Call it after the state that the check has to see is set.</summary>
    /// <param name="time">The time; zero: immediately.</param>
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

    // Sessions may end and notify users: not on a pool thread, where blocking stays unnoticed. Timers of another clock, such as that of a
    // test, run where their owner decides.
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

    // For the newest time, so that no thread overwrites the request of another.
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

    // A clock that differs from the system's only in its date uses the system's timers.
    private static Type TypeOfSystemTimer()
    {
        using ITimer timer = TimeProvider.System.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        return timer.GetType();
    }
}
