using CoAP.NET.Channels;

namespace CoAP.NET.Pipeline;

/// <summary>Runs what is due in a shard: by a timer of the <see cref="TimeProvider"/>, or when a receive loop that drives the clock asks.</summary>
internal sealed class ShardClock : IDisposable
{
    private readonly CoapShard _shard;
    private readonly ITimer _timer;
    private Action? _wakeLoop;

    public ShardClock(CoapPipeline pipeline)
    {
        _shard = pipeline.Shard;
        _timer = _shard.Environment.TimeProvider.CreateTimer(
            static state => ((ShardClock)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _shard.WakeClock = OnWake;
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
        long now = _shard.Environment.Now;
        long due = _shard.Advance(now);
        if (_wakeLoop is null)
        {
            Arm();
        }

        return due;
    }

    public void Dispose()
    {
        _shard.WakeClock = null;
        _timer.Dispose();
    }

    private void OnWake()
    {
        if (_wakeLoop is { } wakeLoop)
        {
            wakeLoop();
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
            long due;
            lock (_shard.Gate)
            {
                due = _shard.DriverDue;
            }

            _timer.Change(
                due == long.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromTicks(Math.Max(1, due - _shard.Environment.Now)),
                Timeout.InfiniteTimeSpan);
        }
    }
}
