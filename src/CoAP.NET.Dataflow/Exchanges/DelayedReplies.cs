using CoAP.NET.Observing.Server;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Holds answers to group requests until their random moment within the Leisure (RFC 7252 section 8.2). Bounded: when it is full, it drops
/// an answer of the source with most of them, as if the member had decided not to respond. Belongs to one shard; the callers hold its lock.
/// </summary>
internal sealed class DelayedReplies
{
    private readonly CoapShard _shard;
    private readonly ExchangesOutboundBlock _block;
    private readonly int _capacity;

    // Guarded by Shard.Gate. Each answer counts one for its source.
    private readonly SourceUsage<Waiting> _waiting = new();
    private bool _isClosed;

    /// <summary>Creates it for a shard.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="capacity">The maximum number of waiting answers.</param>
    /// <param name="block">Sends due answers, and gives up answers that made room for other sources.</param>
    public DelayedReplies(CoapShard shard, int capacity, ExchangesOutboundBlock block)
    {
        _shard = shard;
        _capacity = capacity;
        _block = block;
    }

    public int Count => (int)_waiting.Total;

    /// <summary>Holds an answer until its moment.</summary>
    /// <param name="reply">The answer.</param>
    /// <param name="wait">The time until then.</param>
    /// <param name="observer">The observer whose registration it answers; null for none.</param>
    /// <returns>False when too many answers wait, and no other source has more of them.</returns>
    public bool TryAdd(in CoapOutbound reply, TimeSpan wait, Observer? observer)
    {
        Waiting waiting = new(this, reply, observer);
        if (_isClosed || (_waiting.Total >= _capacity && !TryEvictFor(waiting)))
        {
            return false;
        }

        _waiting.Set(waiting.UsageEntry, 1);
        _shard.Wheel.Schedule(waiting, _shard.Environment.Now + wait.Ticks);
        return true;
    }

    /// <summary>Gives up all waiting answers because the endpoint stops.</summary>
    /// <returns>The number of answers.</returns>
    public int Close()
    {
        _isClosed = true;
        int count = (int)_waiting.Total;
        while (_waiting.Greediest?.First is { } holding)
        {
            Remove(holding.Owner);
        }

        return count;
    }

    private void Remove(Waiting waiting)
    {
        _shard.Wheel.Cancel(waiting);
        _waiting.Set(waiting.UsageEntry, 0);
    }

    private bool TryEvictFor(Waiting newcomer)
    {
        if (_waiting.FindToGiveWay(newcomer.UsageEntry.Key) is not { First.Owner: { } dropped })
        {
            return false;
        }

        Remove(dropped);
        dropped.IsDropped = true;
        _shard.AfterRelease(dropped);
        return true;
    }

    private sealed class Waiting : WheelTimer, IDeferredWork
    {
        private readonly DelayedReplies _owner;
        private readonly CoapOutbound _reply;
        private readonly Observer? _observer;

        public Waiting(DelayedReplies owner, CoapOutbound reply, Observer? observer)
        {
            _owner = owner;
            _reply = reply;
            _observer = observer;
            UsageEntry = new SourceUsage<Waiting>.UsageEntry(this, owner._shard.Environment.Sources.Of(reply.Channel.Remote));
        }

        public SourceUsage<Waiting>.UsageEntry UsageEntry { get; }

        /// <summary>Whether it made room for an answer of another source.</summary>
        public bool IsDropped { get; set; }

        public void OnReleased(CoapShard shard)
        {
            if (IsDropped)
            {
                _owner._block.DropDelayed(_reply, _observer);
            }
            else
            {
                _owner._block.SendDelayed(_reply, _observer);
            }
        }

        internal override void Fire(long now)
        {
            _owner._waiting.Set(UsageEntry, 0);
            _owner._shard.AfterRelease(this);
        }
    }
}
