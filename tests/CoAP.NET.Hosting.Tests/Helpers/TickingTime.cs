namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>The system's time, but the timers by which files are looked at go off when a test says so.</summary>
internal sealed class TickingTime : TimeProvider
{
    private readonly List<TestTimer> _held = [];

    /// <summary>How many timers there are of those.</summary>
    public int Timers
    {
        get
        {
            lock (_held)
            {
                return _held.Count;
            }
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        if (period != ChangingFile.Period)
        {
            return base.CreateTimer(callback, state, dueTime, period);
        }

        TestTimer held = new(this, callback, state);
        lock (_held)
        {
            _held.Add(held);
        }

        return held;
    }

    /// <summary>They go off.</summary>
    public void Tick()
    {
        TestTimer[] held;
        lock (_held)
        {
            held = [.. _held];
        }

        Array.ForEach(held, timer => timer.Fire());
    }

    private sealed class TestTimer(TickingTime owner, TimerCallback callback, object? state) : ITimer
    {
        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period) => false;

        public void Dispose()
        {
            lock (owner._held)
            {
                owner._held.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
