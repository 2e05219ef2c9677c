namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>The time of a node that stands still when the test says: its clock goes on meanwhile, its timers do not.</summary>
internal sealed class SleepingTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<SleepingTimer> _timers = [];
    private TimeSpan _slept;

    public override long TimestampFrequency => System.TimestampFrequency;

    public override long GetTimestamp()
    {
        lock (_gate)
        {
            return System.GetTimestamp() + (long)(_slept.TotalSeconds * TimestampFrequency);
        }
    }

    public override DateTimeOffset GetUtcNow()
    {
        lock (_gate)
        {
            return System.GetUtcNow() + _slept;
        }
    }

    /// <summary>So much later no timer has fired yet: the process goes on, and what lies in its sockets comes first.</summary>
    public void Sleep(TimeSpan time)
    {
        lock (_gate)
        {
            _slept += time;
        }
    }

    /// <summary>So much later, and all timers that are due have fired, on this thread.</summary>
    public void Pass(TimeSpan time)
    {
        Sleep(time);
        SleepingTimer[] timers;
        lock (_gate)
        {
            timers = [.. _timers];
        }

        foreach (SleepingTimer timer in timers)
        {
            timer.FireIfDue();
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        SleepingTimer timer = new(this, callback, state);
        lock (_gate)
        {
            _timers.Add(timer);
        }

        timer.Change(dueTime, period);
        return timer;
    }

    private void Forget(SleepingTimer timer)
    {
        lock (_gate)
        {
            _timers.Remove(timer);
        }
    }

    private sealed class SleepingTimer : ITimer
    {
        private static readonly TimeSpan s_least = FromMilliseconds(1);

        private readonly SleepingTime _time;
        private readonly TimerCallback _callback;
        private readonly object? _state;
        private readonly ITimer _inner;
        private readonly Lock _gate = new();
        private long _due = long.MaxValue;
        private TimeSpan _period;

        public SleepingTimer(SleepingTime time, TimerCallback callback, object? state)
        {
            (_time, _callback, _state) = (time, callback, state);
            _inner = System.CreateTimer(
                timer => ((SleepingTimer)timer!).FireIfDue(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (_gate)
            {
                _period = period;
                return Arm(dueTime);
            }
        }

        public void FireIfDue()
        {
            lock (_gate)
            {
                if (_due == long.MaxValue)
                {
                    return;
                }

                TimeSpan left = _time.GetElapsedTime(_time.GetTimestamp(), _due);
                if (left > TimeSpan.Zero)
                {
                    Arm(left < s_least ? s_least : left);
                    return;
                }

                Arm(_period > TimeSpan.Zero ? _period : Timeout.InfiniteTimeSpan);
            }

            _callback(_state);
        }

        public void Dispose()
        {
            _time.Forget(this);
            lock (_gate)
            {
                _due = long.MaxValue;
            }

            _inner.Dispose();
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        private bool Arm(TimeSpan dueTime)
        {
            _due = dueTime == Timeout.InfiniteTimeSpan
                ? long.MaxValue
                : _time.GetTimestamp() + (long)(dueTime.TotalSeconds * _time.TimestampFrequency);
            return _inner.Change(dueTime, Timeout.InfiniteTimeSpan);
        }
    }
}
