namespace CoAP.NET.Channels;

/// <summary>
/// Forgets peers that were silent for <c>Peers.IdleLifetime</c>, also when no new peer needs their places. A timer of the shard's wheel;
/// guarded by Shard.Gate.
/// </summary>
internal sealed class IdlePeerExpiryTimer : WheelTimer
{
    // The number of peers to check at a time. The next slot of the wheel continues, so no thread waits long for the lock.
    private const int Batch = 1024;

    // How often busy peers are checked again in their lifetime; at most once per minute.
    private const int Looks = 16;
    private static readonly long s_shortestWait = TimeSpan.FromMinutes(1).Ticks;

    private readonly CoapShard _shard;
    private readonly ChannelTable _table;
    private readonly LruChannelList _newcomers;
    private readonly LruChannelList _returning;
    private readonly long _lifetime;

    // The number of remaining checks in this round.
    private int _left;

    public IdlePeerExpiryTimer(CoapShard shard, ChannelTable table, LruChannelList newcomers, LruChannelList returning)
    {
        _shard = shard;
        _table = table;
        _newcomers = newcomers;
        _returning = returning;
        TimeSpan lifetime = shard.Environment.Limits.Peers.IdleLifetime;
        _lifetime = lifetime == Timeout.InfiniteTimeSpan ? long.MaxValue : lifetime.Ticks;
    }

    /// <summary>Starts the timer, if peers have a lifetime. Called when a peer was added.</summary>
    public void Watch()
    {
        if (!IsScheduled && _lifetime != long.MaxValue)
        {
            _shard.Wheel.Schedule(this, _shard.Environment.Now + _lifetime);
        }
    }

    internal override void Fire(long now)
    {
        if (_left == 0)
        {
            _left = _table.Count;
        }

        int left = Math.Max(0, _left - Batch);
        Forget(_newcomers, now, left);
        Forget(_returning, now, left);
        bool isInterrupted = left > 0 && _left == left;
        _left = isInterrupted ? left : 0;
        if (_table.Count > 0)
        {
            long soonest = now + Math.Max(s_shortestWait, _lifetime / Looks);
            _shard.Wheel.Schedule(this, isInterrupted ? now + 1 : Math.Max(soonest, Math.Min(IdleAt(_newcomers), IdleAt(_returning))));
        }
    }

    private void Forget(LruChannelList list, long now, int left)
    {
        while (_left > left && list.Oldest is { } oldest && now - oldest.LastSeen >= _lifetime)
        {
            _left--;
            if (!_table.TryForget(oldest, list, unverifiedOnly: true))
            {
                list.Remove(oldest);
                list.AddNewest(oldest);
            }
        }
    }

    private long IdleAt(LruChannelList list) => list.Oldest is { } oldest ? oldest.LastSeen + _lifetime : long.MaxValue;
}
