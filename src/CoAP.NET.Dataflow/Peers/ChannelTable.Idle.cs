using CoAP.NET.Execution;

namespace CoAP.NET.Peers;

// Peers that were silent for long are forgotten also when nobody wants their place, so that the memory of a server that many talked to comes back.
internal sealed partial class ChannelTable
{
    // As many are looked at in one go; further ones at the next slot of the wheel, so that nobody waits long for the lock.
    private const int IdleBatch = 1024;

    // Those that may not go are looked at again so many times in their lifetime, and not more often than each minute.
    private const int IdleLooks = 16;
    private static readonly long s_shortestIdleWait = TimeSpan.FromMinutes(1).Ticks;

    private readonly long _idleLifetime;
    private readonly IdleTimer _idleTimer;
    private int _idleLeft;

    /// <summary>Whether a timer waits for peers to be silent for long enough.</summary>
    public bool WatchesIdle => _idleTimer.IsScheduled;

    private void WatchIdle()
    {
        if (!_idleTimer.IsScheduled && _idleLifetime != long.MaxValue)
        {
            _shard.Wheel.Schedule(_idleTimer, _shard.Environment.Now + _idleLifetime);
        }
    }

    private void OnIdle(long now)
    {
        if (_idleLeft == 0)
        {
            _idleLeft = _count;
        }

        int left = Math.Max(0, _idleLeft - IdleBatch);
        ForgetIdle(_newcomers, now, left);
        ForgetIdle(_returning, now, left);
        bool isInterrupted = left > 0 && _idleLeft == left;
        _idleLeft = isInterrupted ? left : 0;
        if (_count > 0)
        {
            long soonest = now + Math.Max(s_shortestIdleWait, _idleLifetime / IdleLooks);
            _shard.Wheel.Schedule(_idleTimer, isInterrupted ? now + 1 : Math.Max(soonest, Math.Min(IdleAt(_newcomers), IdleAt(_returning))));
        }
    }

    private void ForgetIdle(ChannelList list, long now, int left)
    {
        while (_idleLeft > left && list.Oldest is { } oldest && now - oldest.LastSeen >= _idleLifetime)
        {
            _idleLeft--;
            if (!TryForget(oldest, list, unverifiedOnly: true))
            {
                list.Remove(oldest);
                list.AddNewest(oldest);
            }
        }
    }

    private long IdleAt(ChannelList list) => list.Oldest is { } oldest ? oldest.LastSeen + _idleLifetime : long.MaxValue;

    private sealed class IdleTimer(ChannelTable table) : WheelTimer
    {
        internal override void Fire(long now) => table.OnIdle(now);
    }
}
