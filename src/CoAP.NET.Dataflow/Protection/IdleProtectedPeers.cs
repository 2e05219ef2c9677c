namespace CoAP.NET.Protection;

/// <summary>
/// Forgets protected peers that nothing came from or went to for a while, so that a security context that is idle costs little more than
/// its keys: the peer is made again when it is heard. A timer of the shard's wheel; Shard.Gate guards it.
/// </summary>
internal sealed class IdleProtectedPeers : WheelTimer
{
    // As many are looked at in one go; further ones at the next slot of the wheel, so that nobody waits long for the lock.
    private const int Batch = 1024;

    // A round lasts as long as exchanges are remembered, so that nothing is under way with a peer that one passed over.
    private static readonly long s_round = CoapTransmissionParameters.Default.ExchangeLifetime.Ticks;

    private readonly CoapShard _shard;
    private readonly Queue<CoapChannel> _peers = [];
    private int _round;
    private int _left;

    public IdleProtectedPeers(CoapShard shard) => _shard = shard;

    /// <summary>How many protected peers there are.</summary>
    public int Count => _peers.Count;

    /// <summary>A number that grows: who is used writes it down. Read without the lock as well.</summary>
    public int Round => Volatile.Read(ref _round);

    /// <summary>Looks after a new peer.</summary>
    public void Add(CoapChannel peer)
    {
        _peers.Enqueue(peer);
        if (!IsScheduled)
        {
            _shard.Wheel.Schedule(this, _shard.Environment.Now + s_round);
        }
    }

    internal override void Fire(long now)
    {
        if (_left == 0)
        {
            Volatile.Write(ref _round, _round + 1);
            _left = _peers.Count;
        }

        for (int i = 0; i < Batch && _left > 0; i++, _left--)
        {
            CoapChannel peer = _peers.Dequeue();
            CarriedChannel carried = peer.Carried!;
            if (peer.IsForgotten)
            {
                continue;
            }

            // Used in this round or in the one before, which has just begun or ended.
            if (_round - carried.Round < 2 || peer.Pins > 0)
            {
                _peers.Enqueue(peer);
                continue;
            }

            carried.Carrier.ProtectedOnes!.Remove(peer);
            _shard.Drain.OnProtectedForgotten(peer);
        }

        if (_peers.Count > 0)
        {
            _shard.Wheel.Schedule(this, _left > 0 ? now + 1 : now + s_round);
        }
    }
}
