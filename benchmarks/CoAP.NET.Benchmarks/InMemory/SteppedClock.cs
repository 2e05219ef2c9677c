namespace CoAP.NET.Benchmarks;

/// <summary>
/// A clock that stands still until it is stepped. What is due runs when <see cref="MemoryTransport"/> ticks, not by timers: reading it
/// costs a field, and exchanges expire after as many requests as the case says, however fast the machine is.
/// </summary>
internal sealed class SteppedClock : TimeProvider
{
    private long _now = TimeSpan.TicksPerHour;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _now;

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks(_now);

    /// <summary>Lets time pass, in units of 100 ns.</summary>
    public void Step(long ticks) => _now += ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new StillTimer();

    /// <summary>A transport that drives the clock makes the endpoint's own timers needless.</summary>
    private sealed class StillTimer : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
