namespace CoAP.NET.Peers;

/// <summary>
/// Forgets idle protected peers, so that an idle security context costs little more than its keys; the next message creates the peer again.
/// A timer of the shard's wheel; guarded by Shard.Gate.
/// </summary>
internal sealed class IdleObjectSecurityPeerEvictor : WheelTimer
{
    // The number of peers to check at a time. The next slot of the wheel continues, so no thread waits long for the lock.
    private const int Batch = 1024;

    // A round lasts as long as exchanges are remembered, so nothing is pending with a peer that was unused for a whole round.
    private static readonly long s_round = CoapTransmissionParameters.Default.ExchangeLifetime.Ticks;

    private readonly CoapShard _shard;
    private readonly Queue<CoapChannel> _peers = [];
    private int _round;
    private int _left;

    public IdleObjectSecurityPeerEvictor(CoapShard shard) => _shard = shard;

    /// <summary>The number of the current round; a used peer records it. Also read without the lock.</summary>
    public int Round => Volatile.Read(ref _round);

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
            ProtectedChannelData carried = peer.Carried!;
            if (peer.IsForgotten)
            {
                continue;
            }

            // Used in this round or in the previous one, which has just begun or ended.
            if (_round - carried.Round < 2 || peer.Pins > 0)
            {
                _peers.Enqueue(peer);
                continue;
            }

            ProtectedPeersOfChannel.Of(carried.Carrier)!.Remove(peer);
            _shard.Eviction.Forget(peer);
        }

        if (_peers.Count > 0)
        {
            _shard.Wheel.Schedule(this, _left > 0 ? now + 1 : now + s_round);
        }
    }
}
