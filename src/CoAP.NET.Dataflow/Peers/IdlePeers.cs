namespace CoAP.NET.Peers;

/// <summary>
/// Forgets peers that were silent for long also when nobody wants their place, so that the memory of a server that many talked to comes
/// back. A timer of the shard's wheel; Shard.Gate guards it.
/// </summary>
internal sealed class IdlePeers : WheelTimer
{
    // As many are looked at in one go; further ones at the next slot of the wheel, so that nobody waits long for the lock.
    private const int Batch = 1024;

    // Those that may not go are looked at again so many times in their lifetime, and not more often than each minute.
    private const int Looks = 16;
    private static readonly long s_shortestWait = TimeSpan.FromMinutes(1).Ticks;

    private readonly CoapShard _shard;
    private readonly ChannelTable _table;
    private readonly ChannelList _newcomers;
    private readonly ChannelList _returning;
    private readonly long _lifetime;

    // How many are still to be looked at in this round.
    private int _left;

    public IdlePeers(CoapShard shard, ChannelTable table, ChannelList newcomers, ChannelList returning)
    {
        _shard = shard;
        _table = table;
        _newcomers = newcomers;
        _returning = returning;
        TimeSpan lifetime = shard.Environment.Limits.IdlePeerLifetime;
        _lifetime = lifetime == Timeout.InfiniteTimeSpan ? long.MaxValue : lifetime.Ticks;
    }

    /// <summary>Looks after idle peers from now on, if there is a lifetime. Called when a peer was added.</summary>
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

    private void Forget(ChannelList list, long now, int left)
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

    private long IdleAt(ChannelList list) => list.Oldest is { } oldest ? oldest.LastSeen + _lifetime : long.MaxValue;
}
