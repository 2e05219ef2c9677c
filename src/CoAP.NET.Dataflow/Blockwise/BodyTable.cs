using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Channels;

namespace CoAP.NET.Blockwise;

/// <summary>The entries of one kind in a shard, by key, with their bounds, ages and times. Guarded by Shard.Gate.</summary>
/// <typeparam name="TEntry">The kind.</typeparam>
internal sealed class BodyTable<TEntry>
    where TEntry : BodyEntry
{
    private readonly CoapShard _shard;
    private readonly Action<TEntry> _expired;
    private readonly Dictionary<BodyKey, TEntry> _entries = [];
    private readonly Dictionary<CoapChannel, Peer> _peers = [];
    private readonly LinkedList<BodyEntry> _byAge = new();

    /// <param name="shard">For the lock and the clock.</param>
    /// <param name="budget">The bound.</param>
    /// <param name="expired">Told of what was idle too long, still in the table.</param>
    public BodyTable(CoapShard shard, BodyBudget budget, Action<TEntry> expired)
    {
        _shard = shard;
        Budget = budget;
        _expired = expired;
    }

    public BodyBudget Budget { get; }

    public int Count => _entries.Count;

    /// <summary>The entry that was idle longest.</summary>
    public TEntry? Oldest => (TEntry?)_byAge.First?.Value;

    public bool TryGet(BodyKey key, [NotNullWhen(true)] out TEntry? entry) => _entries.TryGetValue(key, out entry);

    /// <summary>The entry of a peer that was idle longest, but for one.</summary>
    public TEntry? OldestOf(CoapChannel channel, TEntry? except)
    {
        if (!_peers.TryGetValue(channel, out Peer? peer))
        {
            return null;
        }

        LinkedListNode<BodyEntry>? first = peer.Entries.First;
        return (TEntry?)(ReferenceEquals(first?.Value, except) ? first?.Next : first)?.Value;
    }

    /// <summary>Of the few entries that were idle longest the first one that fits.</summary>
    public TEntry? FindOldest(Predicate<TEntry> fits)
    {
        LinkedListNode<BodyEntry>? node = _byAge.First;
        for (int i = 0; i < 16 && node is not null; i++, node = node.Next)
        {
            if (fits((TEntry)node.Value))
            {
                return (TEntry)node.Value;
            }
        }

        return null;
    }

    public List<TEntry> AllOf(CoapChannel channel) =>
        _peers.TryGetValue(channel, out Peer? peer) ? [.. peer.Entries.Cast<TEntry>()] : [];

    public int CountOf(CoapChannel channel) => _peers.TryGetValue(channel, out Peer? peer) ? peer.Entries.Count : 0;

    public List<TEntry> All() => [.. _entries.Values];

    /// <summary>Adds an entry that is charged with nothing yet. There is none of its key.</summary>
    public void Add(TEntry entry, long now)
    {
        if (!_peers.TryGetValue(entry.Channel, out Peer? peer))
        {
            _peers.Add(entry.Channel, peer = new Peer());
        }

        _entries.Add(entry.Key, entry);
        entry.IsNewcomers = entry.Channel.IsNewcomer && !_shard.Guard.IsTrusted(entry.Channel, now);
        entry.PeerPlace = peer.Entries.AddLast(entry);
        entry.Place = _byAge.AddLast(entry);
        entry.Expired = one => _expired((TEntry)one);
        entry.LastUse = now;
        _shard.Wheel.Schedule(entry, now + entry.IdleTime);
    }

    /// <summary>The entry was used: it is the youngest now and kept for its whole time again.</summary>
    public void Touch(TEntry entry, long now)
    {
        entry.LastUse = now;
        _byAge.Remove(entry.Place!);
        _byAge.AddLast(entry.Place!);
        LinkedList<BodyEntry> peer = entry.PeerPlace!.List!;
        peer.Remove(entry.PeerPlace);
        peer.AddLast(entry.PeerPlace);
        _shard.Wheel.Schedule(entry, now + entry.IdleTime);
        if (entry.IsNewcomers && !entry.Channel.IsNewcomer)
        {
            Budget.GiveBackAsNewcomer(entry.PeerCharge);
            entry.IsNewcomers = false;
            _peers[entry.Channel].Bytes += entry.PeerCharge;
        }
    }

    /// <summary>Takes more of the peer's share for an entry.</summary>
    public bool TryChargePeer(TEntry entry, long bytes)
    {
        if (entry.IsNewcomers)
        {
            if (!Budget.TryTakeAsNewcomer(bytes))
            {
                return false;
            }
        }
        else
        {
            Peer peer = _peers[entry.Channel];
            if (peer.Bytes + bytes > Budget.PeerMax)
            {
                return false;
            }

            peer.Bytes += bytes;
        }

        entry.PeerCharge += bytes;
        return true;
    }

    /// <summary>Gives some of the peer's share back.</summary>
    public void DischargePeer(TEntry entry, long bytes)
    {
        entry.PeerCharge -= bytes;
        if (entry.IsNewcomers)
        {
            Budget.GiveBackAsNewcomer(bytes);
        }
        else if (_peers.TryGetValue(entry.Channel, out Peer? peer))
        {
            peer.Bytes -= bytes;
        }
    }

    /// <summary>Takes an entry out so that its key is free, while its memory is still in use and counted until <see cref="Release"/>, or its time.</summary>
    public void Detach(TEntry entry)
    {
        if (entry.Place is null)
        {
            return;
        }

        _entries.Remove(entry.Key);
        _byAge.Remove(entry.Place);
        entry.Place = null;
        Peer peer = _peers[entry.Channel];
        peer.Entries.Remove(entry.PeerPlace!);
        entry.PeerPlace = null;
        peer.Detached++;
    }

    /// <summary>Undoes <see cref="Detach"/>, if nothing has taken the place meanwhile.</summary>
    public bool TryReattach(TEntry entry, long now)
    {
        if (entry.Expired is null || entry.Place is not null || !_entries.TryAdd(entry.Key, entry))
        {
            return false;
        }

        Peer peer = _peers[entry.Channel];
        peer.Detached--;
        entry.PeerPlace = peer.Entries.AddLast(entry);
        entry.Place = _byAge.AddLast(entry);
        entry.LastUse = now;
        _shard.Wheel.Schedule(entry, now + entry.IdleTime);
        return true;
    }

    /// <summary>Takes an entry out and gives back what it was charged with. Does nothing the second time.</summary>
    public void Release(TEntry entry)
    {
        if (entry.Expired is null)
        {
            return;
        }

        entry.Expired = null;
        _shard.Wheel.Cancel(entry);
        Detach(entry);
        DischargePeer(entry, entry.PeerCharge);
        Budget.GiveBack(entry.Charge);
        entry.Charge = 0;
        Peer peer = _peers[entry.Channel];
        if (--peer.Detached == 0 && peer.Entries.Count == 0)
        {
            _peers.Remove(entry.Channel);
        }
    }

    private sealed class Peer
    {
        public LinkedList<BodyEntry> Entries { get; } = new();

        public long Bytes { get; set; }

        /// <summary>Entries that are out of the table and still charged.</summary>
        public int Detached { get; set; }
    }
}
