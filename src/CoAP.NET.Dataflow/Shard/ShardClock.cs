namespace CoAP.NET.Shard;

/// <summary>Runs what is due in a shard: by a timer of the <see cref="TimeProvider"/>, or when a receive loop that drives the clock asks.</summary>
internal sealed class ShardClock : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    private readonly CoapShard _shard;
    private readonly ITimer _timer;
    private Action? _wakeLoop;

    public ShardClock(CoapShard shard)
    {
        _shard = shard;
        _timer = _shard.Environment.TimeProvider.CreateTimer(
            static state => ((ShardClock)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _shard.Clock = this;
    }

    /// <summary>From now on a receive loop calls <see cref="Tick"/>, and is woken when something is due earlier than it knows.</summary>
    public void DriveBy(Action wakeLoop)
    {
        _wakeLoop = wakeLoop;
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        wakeLoop();
    }

    /// <summary>Fires what is due.</summary>
    /// <returns>When to come again, in units of 100 ns; <see cref="long.MaxValue"/> when nothing waits.</returns>
    public long Tick()
    {
        long now = _shard.Environment.ReadClock();
        long due = _shard.Advance(now);
        if (_wakeLoop is null)
        {
            Arm();
        }

        return due;
    }

    // On a thread of the timer's, where an exception would end the process. The clock goes on: a timer or a time stamp that failed once may be had the next time.
    private void OnTimer()
    {
        try
        {
            Tick();
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            InlineFailure.Report(_shard.Environment.Counters, _shard.Environment.Logger, exception);
            TryAgain();
        }
    }

    private void TryAgain()
    {
        lock (_shard.Gate)
        {
            // Who leaves the shard next winds the clock again, if the timer cannot be had now.
            _shard.DriverDue = long.MaxValue;
        }

        try
        {
            _timer.Change(s_pause, Timeout.InfiniteTimeSpan);
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            InlineFailure.Report(_shard.Environment.Counters, _shard.Environment.Logger, exception);
        }
    }

    public void Dispose()
    {
        _shard.Clock = null;
        _timer.Dispose();
    }

    /// <summary>Something may be due earlier than the driver knows: sets the timer anew, or wakes the loop. No lock may be held.</summary>
    public void Wake()
    {
        if (_wakeLoop is { } wakeLoop)
        {
            wakeLoop();
        }
        else if (_shard.IsClockLate(_shard.Environment.ReadClock()))
        {
            // The timer should have fired long ago, and may not do so at all: as when every thread of the pool blocks.
            Tick();
        }
        else
        {
            Arm();
        }
    }

    // Always for the newest time, one caller after another: a tick that ends must not put off what another thread has just scheduled.
    private void Arm()
    {
        lock (_timer)
        {
            long due = _shard.DriverDue;
            _timer.Change(
                due == long.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromTicks(Math.Max(1, due - _shard.Environment.ReadClock())),
                Timeout.InfiniteTimeSpan);
        }
    }
}
