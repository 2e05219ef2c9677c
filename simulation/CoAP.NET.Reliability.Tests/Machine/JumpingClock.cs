namespace CoAP.NET.Reliability.Tests.Machine;

/// <summary>
/// The clock of a machine that sleeps: time jumps, and what was due meanwhile is called afterwards, once, with the time after the jump.
/// </summary>
internal sealed class JumpingClock : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Timer> _timers = [];
    private long _now = TimeSpan.TicksPerHour;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _now);

    /// <summary>Lets time jump; then calls what is due, the earliest first, until nothing is.</summary>
    public void Jump(TimeSpan by)
    {
        Volatile.Write(ref _now, _now + by.Ticks);
        while (NextDue() is { } timer)
        {
            timer.Callback(timer.State);
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Timer timer = new(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private Timer? NextDue()
    {
        lock (_gate)
        {
            Timer? next = _timers.MinBy(timer => timer.Due);
            if (next is null || next.Due > _now)
            {
                return null;
            }

            _timers.Remove(next);
            return next;
        }
    }

    // Periods are not used by what is tested.
    private sealed class Timer(JumpingClock clock, TimerCallback callback, object? state) : ITimer
    {
        public TimerCallback Callback => callback;

        public object? State => state;

        public long Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._gate)
            {
                clock._timers.Remove(this);
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    Due = clock._now + dueTime.Ticks;
                    clock._timers.Add(this);
                }
            }

            return true;
        }

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
