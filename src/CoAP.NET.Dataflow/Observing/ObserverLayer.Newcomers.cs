using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

// Observers that were heard once so far, from an address that may be forged. A registration is one datagram and is kept until a notification is not acknowledged, for ever where nothing
// changes; so, like the newcomers themselves, they replace one another. Who was replaced registers again when Max-Age is over, and is no newcomer then.
internal sealed partial class ObserverLayer
{
    private const int BytesOfNewcomer = 4096;
    private const int MinNewcomers = 16;

    // Those that came back meanwhile, or were removed, leave the queue when their turn comes.
    private readonly Queue<Observer> _newcomers = new();
    private readonly int _maxNewcomers;

    private const int MaxCompared = 16;

    private readonly CoapMessage _noRoom;
    private readonly Action<object?> _giveWay = static peer => ((PeerObservers)peer!).GiveWay();

    /// <summary>A client lost places to clients of sources that hold less: of its observers, those that stand still longest are told 5.03 and forgotten. Takes the lock.</summary>
    public void GiveWay(PeerObservers peer)
    {
        _shard.Enter();
        try
        {
            long now = _shard.Environment.Now;
            while (peer.Count > _places.HeldBy(peer.Place))
            {
                Observer observer = StillestOf(peer);
                _counters.Add(CoapCounter.ObserversEvicted);
                peer.Channel.NoteDrop(CoapCounter.ObserversEvicted);
                if (_shard.Guard.IsTrusted(peer.Channel, now))
                {
                    End(observer, _noRoom);
                }
                else
                {
                    RemoveLocked(observer, CoapObserverEnd.Replaced);
                }
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    private static Observer StillestOf(PeerObservers peer)
    {
        Observer stillest = peer.Last!;
        Observer? next = stillest.PreviousOfPeer;
        for (int i = 1; i < MaxCompared && next is not null; i++, next = next.PreviousOfPeer)
        {
            stillest = next.MovedAt < stillest.MovedAt ? next : stillest;
        }

        return stillest;
    }

    private bool TryCount(PeerObservers peer, long now, out bool isCounted)
    {
        if (!_shard.Guard.TryAddObserver(peer.Channel, now, out isCounted))
        {
            return false;
        }

        if (_places.TryTake(peer.Place, _limits.MaxObservers, out PeerObservers? loser))
        {
            if (loser is not null)
            {
                _shard.AfterRelease(_giveWay, loser);
            }

            return true;
        }

        if (isCounted)
        {
            _shard.Guard.OnObserverRemoved(peer.Channel);
        }

        return false;
    }

    private bool IsNewcomer(CoapChannel channel, long now) => channel is { IsNewcomer: true, IsReliable: false } && !_shard.Guard.IsTrusted(channel, now);

    private void ReplaceNewcomers(Observer observer, long now)
    {
        if (!IsNewcomer(observer.Channel, now))
        {
            return;
        }

        _newcomers.Enqueue(observer);
        while (_newcomers.Count > _maxNewcomers)
        {
            Observer oldest = _newcomers.Dequeue();
            if (!oldest.IsRemoved && IsNewcomer(oldest.Channel, now))
            {
                _counters.Add(CoapCounter.ObserversLost);
                RemoveLocked(oldest, CoapObserverEnd.Replaced);
            }
        }
    }

    private void ForgetNewcomers()
    {
        if (_observers.Count == 0)
        {
            _newcomers.Clear();
        }
    }
}
