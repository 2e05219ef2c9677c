using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

/// <summary>
/// The peers of a shard by address. Newcomers stand in a fixed list of their own and replace only one another; returning peers are kept up
/// to the bound and the one idle longest goes first. Not thread-safe: Shard.Gate guards it.
/// </summary>
internal sealed class ChannelTable
{
    // A list is only re-ordered when a peer was silent for a while; a busy peer costs no writes to its neighbours.
    private static readonly long s_reorderAfter = TimeSpan.FromSeconds(10).Ticks;

    private const int EvictionTries = 32;
    private const int MinSlots = 64;
    private const int BytesOfNewcomer = 1024;

    private readonly CoapShard _shard;
    private readonly ChannelList _newcomers = new();
    private readonly ChannelList _returning = new();
    private readonly int _maxNewcomers;
    private readonly int _maxReturning;
    private readonly long _newcomerPeriod;
    private readonly IdlePeers _idle;
    private Slot[] _slots = new Slot[MinSlots];
    private int _count;
    private bool _hasPinned;

    public ChannelTable(CoapShard shard, int shardCount)
    {
        _shard = shard;
        CoapLimits limits = shard.Environment.Limits;
        _maxNewcomers = Math.Max(16, limits.NewcomerBytes / BytesOfNewcomer / shardCount);
        _maxReturning = Math.Max(1, limits.MaxChannels / shardCount);
        _newcomerPeriod = limits.NewcomerPeriod.Ticks;
        _idle = new IdlePeers(shard, this, _newcomers, _returning);
    }

    public int Count => _count;

    /// <summary>Whether there may be channels from one address of ours only, under the hash of both addresses.</summary>
    public bool HasPinned => Volatile.Read(ref _hasPinned);

    /// <summary>Whether a timer waits for peers to be silent for long enough.</summary>
    public bool WatchesIdle => _idle.IsScheduled;

    public int Newcomers => _newcomers.Count;

    /// <summary>Finds the channel of a datagram's peer, or makes one.</summary>
    public CoapChannel GetForInbound(CoapDatagram datagram, ulong hash, long now)
    {
        CoapChannel? channel = (_hasPinned ? FindForInbound(datagram, CoapAddressHash.Of(hash, datagram.Local)) : null)
            ?? FindForInbound(datagram, hash);
        if (channel is null)
        {
            bool toGroup = datagram.Local.IsMulticast;
            channel = Add(datagram.Transport!, datagram.TransportTag, datagram.Remote, toGroup ? default : datagram.Local, hash, now,
                newcomer: true, lacksLocal: toGroup);
        }
        else if (channel.LacksLocal && !datagram.Local.IsMulticast)
        {
            channel.SetLocal(datagram.Local);
        }

        Touch(channel, now);
        return channel;
    }

    /// <summary>
    /// Finds the channel of a datagram's peer without the lock, when it is there and nothing but the time of its last datagram changes. A
    /// table that changes meanwhile may hide it; then the caller goes on with <see cref="GetForInbound"/>. One that is forgotten at this
    /// moment may still be found; it works, and is garbage afterwards.
    /// </summary>
    public CoapChannel? TryGetForInbound(CoapDatagram datagram, ulong hash, long now)
    {
        CoapChannel? channel = FindForInbound(datagram, hash);
        return channel is not null && TryTouch(channel, now) ? channel : null;
    }

    /// <summary>Notes that a peer was heard, when nothing but the time of its last datagram changes by that.</summary>
    public static bool TryTouch(CoapChannel channel, long now)
    {
        if (channel.LacksLocal || channel.IsForgotten
            || (channel.IsNewcomer
                ? now - channel.FirstSeen >= channel.Shard.Environment.Limits.NewcomerPeriod.Ticks
                : now - channel.LastSeen > s_reorderAfter))
        {
            return false;
        }

        channel.LastSeen = now;
        return true;
    }

    /// <summary>
    /// Finds the channel to a peer that we want to talk to without the lock, when nothing changes by that; null otherwise. A
    /// channel that is forgotten meanwhile comes back by <see cref="Restore"/> when something is sent.
    /// </summary>
    public CoapChannel? TryGetForOutbound(CoapTransport transport, CoapAddress remote, ulong hash) =>
        Find(transport, null, remote, null, hash) is { IsNewcomer: false, IsForgotten: false, IsConnection: false } channel
            ? channel
            : null;

    /// <summary>Finds a channel to a peer that we want to talk to, or makes one. Whom we choose ourselves is no newcomer.</summary>
    public CoapChannel GetForOutbound(CoapTransport transport, CoapAddress remote, ulong hash, long now)
    {
        CoapChannel? channel = Find(transport, null, remote, null, hash);
        if (channel is null)
        {
            return Add(transport, 0, remote, default, hash, now, newcomer: false);
        }

        if (channel.IsNewcomer)
        {
            Promote(channel);
        }

        return channel;
    }

    /// <summary>
    /// Finds a channel to a peer that we want to talk to from one address of ours, or makes one. A peer may have many of them: they are
    /// found by the hash of both addresses.
    /// </summary>
    /// <param name="transport">The transport.</param>
    /// <param name="remote">The peer.</param>
    /// <param name="wanted">The end of ours to talk from; null for what the operating system chooses.</param>
    /// <param name="routed">What the operating system chooses, when that is known.</param>
    /// <param name="onlyFind">Whether none is made.</param>
    /// <param name="hash">The hash of the peer's address.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="channel">The channel.</param>
    /// <returns>Whether there is one now.</returns>
    public bool TryGetForOutbound(
        CoapTransport transport, CoapAddress remote, LocalEnd? wanted, LocalEnd? routed, bool onlyFind, ulong hash, long now,
        [NotNullWhen(true)] out CoapChannel? channel)
    {
        channel = wanted is { } end
            ? FindAt(transport, remote, end, hash) ?? (wanted == routed ? FindPlain(transport, remote, hash) : null)
            : FindPlain(transport, remote, hash) ?? (routed is { } by ? FindAt(transport, remote, by, hash) : null);
        if (channel is null && !onlyFind)
        {
            if (wanted is { } pinned)
            {
                Volatile.Write(ref _hasPinned, true);
                channel = Add(transport, pinned.Tag, remote, pinned.Local, CoapAddressHash.Of(hash, pinned.Local), now, newcomer: false);
            }
            else
            {
                channel = Add(transport, 0, remote, default, hash, now, newcomer: false);
            }
        }

        if (channel is { IsNewcomer: true })
        {
            Promote(channel);
        }

        return channel is not null;
    }

    /// <summary>
    /// The channel that stands for a peer now: the given one, or the one that was made for the peer after that one was forgotten; null when
    /// there is none.
    /// </summary>
    public CoapChannel? Current(CoapChannel channel) =>
        channel is { IsForgotten: true, IsConnection: false }
            ? Find(channel.Transport, channel.TransportTag, channel.Remote, channel.Local, channel.AddressHash)
            : channel;

    /// <summary>
    /// Like <see cref="Current"/>, for a peer that we want to talk to: when there is no channel the given one comes back into the table, so
    /// that answers find it.
    /// </summary>
    public CoapChannel Restore(CoapChannel channel)
    {
        if (!channel.IsForgotten)
        {
            return channel;
        }

        if (channel.Carried is { } carried)
        {
            return Restore(carried.Carrier).ProtectedUnderLock(carried.Context);
        }

        if (Current(channel) is { } current)
        {
            return current;
        }

        MakeRoom(newcomer: false);
        channel.IsNewcomer = false;
        Insert(channel);
        channel.IsForgotten = false;
        return channel;
    }

    /// <summary>The channels to a peer's address over all transports, as a list of its own.</summary>
    public List<CoapChannel> Find(CoapAddress remote)
    {
        lock (_shard.Gate)
        {
            return [.. Channels().Where(channel => channel.Remote == remote)];
        }
    }

    /// <summary>
    /// The channels that were heard last, the latest first. Needs no lock, so that looking at very many peers holds nobody up: one that
    /// comes or goes meanwhile may be missing.
    /// </summary>
    /// <param name="max">How many at most.</param>
    /// <param name="fits">Which of them.</param>
    /// <param name="found">How many fit in all.</param>
    public List<CoapChannel> Latest(int max, Func<CoapChannel, bool> fits, out int found)
    {
        found = 0;
        PriorityQueue<CoapChannel, long> latest = new();
        Slot[] slots = Volatile.Read(ref _slots);
        for (int i = 0; i < slots.Length; i++)
        {
            if (Volatile.Read(ref slots[i].Channel) is { IsForgotten: false } channel && fits(channel))
            {
                found++;
                latest.Enqueue(channel, channel.LastSeen);
                if (latest.Count > max)
                {
                    latest.Dequeue();
                }
            }
        }

        List<CoapChannel> all = [];
        while (latest.TryDequeue(out CoapChannel? channel, out _))
        {
            all.Add(channel);
        }

        all.Reverse();
        return all;
    }

    /// <summary>All channels, in no order that means anything, as a list of its own.</summary>
    public List<CoapChannel> All()
    {
        lock (_shard.Gate)
        {
            return [.. Channels()];
        }
    }

    // What was sent to a group belongs to the peer, by whichever address of ours it knows us: a group is no address to answer from.
    private CoapChannel? FindForInbound(CoapDatagram datagram, ulong hash) =>
        Find(datagram.Transport!, datagram.TransportTag, datagram.Remote, datagram.Local.IsMulticast ? null : datagram.Local, hash);

    private CoapChannel? Find(CoapTransport transport, int? tag, in CoapAddress remote, CoapAddress? local, ulong hash)
    {
        Slot[] slots = Volatile.Read(ref _slots);
        for (int i = (int)hash & (slots.Length - 1); Volatile.Read(ref slots[i].Channel) is { } channel; i = (i + 1) & (slots.Length - 1))
        {
            if (slots[i].Hash == hash && Is(channel, transport, tag, remote, local))
            {
                return channel;
            }
        }

        return null;
    }

    private static bool Is(CoapChannel channel, CoapTransport transport, int? tag, in CoapAddress remote, in CoapAddress? local) =>
        channel.Remote == remote && channel.Transport == transport
        && (tag is null || channel.Local == default || (channel.TransportTag == tag && (local is null || channel.Local == local.Value)));

    // Known at one address of ours: as we chose it, or as the peer did.
    private CoapChannel? FindAt(CoapTransport transport, in CoapAddress remote, LocalEnd end, ulong hash) =>
        Find(transport, end.Tag, remote, end.Local, CoapAddressHash.Of(hash, end.Local))
        ?? (Find(transport, end.Tag, remote, end.Local, hash) is { } channel && channel.Local == end.Local ? channel : null);

    // Known at no address of ours in particular, or at the one where the peer found us.
    private CoapChannel? FindPlain(CoapTransport transport, in CoapAddress remote, ulong hash) => Find(transport, null, remote, null, hash);

    private CoapChannel Add(CoapTransport transport, int tag, CoapAddress remote, CoapAddress local, ulong hash, long now, bool newcomer,
        bool lacksLocal = false)
    {
        MakeRoom(newcomer);
        CoapChannel channel = new(_shard, transport, tag, remote, local, CoapTransmissionParameters.Default)
        {
            AsksForParameters = true,
            AddressHash = hash,
            IsNewcomer = newcomer,
            LacksLocal = lacksLocal,
            FirstSeen = now,
            LastSeen = now,
        };
        Insert(channel);
        return channel;
    }

    private void Insert(CoapChannel channel)
    {
        if ((_count + 1L) * 5 > _slots.Length * 4L)
        {
            Resize(_slots.Length * 2);
        }

        Place(_slots, channel, channel.AddressHash);
        _count++;
        (channel.IsNewcomer ? _newcomers : _returning).AddNewest(channel);
        _shard.HasManyNewcomers = _newcomers.Count > _maxNewcomers / 4;
        _idle.Watch();
    }

    private void Touch(CoapChannel channel, long now)
    {
        if (channel.IsNewcomer)
        {
            if (now - channel.FirstSeen >= _newcomerPeriod)
            {
                Promote(channel);
            }
        }
        else if (now - channel.LastSeen > s_reorderAfter)
        {
            _returning.Remove(channel);
            _returning.AddNewest(channel);
        }

        channel.LastSeen = now;
    }

    private void Promote(CoapChannel channel)
    {
        // When nobody among the returning peers may go, the peer stays a newcomer: it is served all the same.
        if (_returning.Count < _maxReturning || Evict(_returning, unverifiedOnly: true))
        {
            _newcomers.Remove(channel);
            channel.IsNewcomer = false;
            _returning.AddNewest(channel);
        }
    }

    private void MakeRoom(bool newcomer)
    {
        if (newcomer)
        {
            // Newcomers with work under way are passed over; there are never more of those than requests being served.
            while (_newcomers.Count >= _maxNewcomers && Evict(_newcomers, unverifiedOnly: false))
            {
            }
        }
        else if (_returning.Count >= _maxReturning)
        {
            Evict(_returning, unverifiedOnly: true);
        }
    }

    private bool Evict(ChannelList list, bool unverifiedOnly)
    {
        CoapChannel? candidate = list.Oldest;
        for (int i = 0; i < EvictionTries && candidate is not null; i++)
        {
            CoapChannel? next = candidate.Links.Neighbours.Next;
            if (TryForget(candidate, list, unverifiedOnly))
            {
                _shard.Environment.Counters.Add(CoapCounter.ChannelEvictions);
                return true;
            }

            // Who cannot go now is looked at last next time.
            list.Remove(candidate);
            list.AddNewest(candidate);
            candidate = next;
        }

        return false;
    }

    public bool TryForget(CoapChannel channel, ChannelList list, bool unverifiedOnly)
    {
        if (channel.Pins > 0
            || (unverifiedOnly && channel.IsProtected && channel.VerifiedUntil > _shard.Environment.Now)
            || !_shard.Drain.TryForget(channel))
        {
            return false;
        }

        Remove(channel);
        list.Remove(channel);
        channel.IsForgotten = true;
        _shard.Guard.OnForgotten(channel);
        return true;
    }

    // The table itself: linear probing. Each slot holds the hash of its peer, so that a search touches no channel but the one that it
    // finds, and growing touches none.
    /// <summary>Has the memory fetched in which the search for a peer begins.</summary>
    public void Fetch(ulong hash)
    {
        Slot[] slots = Volatile.Read(ref _slots);
        CacheLines.Fetch(ref slots[(int)hash & (slots.Length - 1)]);
    }

    /// <summary>
    /// Says which channel a datagram that will be handed in soon probably has, without the lock and without touching the channel; null also
    /// where that is not worth it.
    /// </summary>
    public CoapChannel? Guess(ulong hash)
    {
        if (_hasPinned)
        {
            return null;
        }

        Slot[] slots = Volatile.Read(ref _slots);
        for (int i = (int)hash & (slots.Length - 1); Volatile.Read(ref slots[i].Channel) is { } channel; i = (i + 1) & (slots.Length - 1))
        {
            if (slots[i].Hash == hash)
            {
                return channel;
            }
        }

        return null;
    }

    /// <summary>Whether a channel is that of a datagram.</summary>
    public static bool Is(CoapChannel channel, CoapDatagram datagram) =>
        Is(channel, datagram.Transport!, datagram.TransportTag, datagram.Remote, datagram.Local.IsMulticast ? null : datagram.Local);

    private IEnumerable<CoapChannel> Channels() => _slots.Select(static slot => slot.Channel).OfType<CoapChannel>();

    private static void Place(Slot[] slots, CoapChannel channel, ulong hash)
    {
        int i = (int)hash & (slots.Length - 1);
        while (slots[i].Channel is not null)
        {
            i = (i + 1) & (slots.Length - 1);
        }

        Set(ref slots[i], channel, hash);
    }

    // After the hash and everything in the channel: who reads without the lock must find both complete. One that meets the hash of another
    // peer passes it by.
    private static void Set(ref Slot slot, CoapChannel channel, ulong hash)
    {
        Volatile.Write(ref slot.Hash, hash);
        Volatile.Write(ref slot.Channel, channel);
    }

    private void Remove(CoapChannel channel)
    {
        int mask = _slots.Length - 1;
        int hole = (int)channel.AddressHash & mask;
        while (_slots[hole].Channel != channel)
        {
            hole = (hole + 1) & mask;
        }

        // Backward shift: what could stand in the hole moves into it, so that searches never meet a gap.
        for (int i = (hole + 1) & mask; _slots[i].Channel is { } other; i = (i + 1) & mask)
        {
            int home = (int)_slots[i].Hash & mask;
            if (((i - home) & mask) >= ((i - hole) & mask))
            {
                Set(ref _slots[hole], other, _slots[i].Hash);
                hole = i;
            }
        }

        Volatile.Write(ref _slots[hole].Channel, null);
        _count--;
        if (_slots.Length > MinSlots && _count * 8L < _slots.Length)
        {
            Resize(_slots.Length / 2);
        }
    }

    private void Resize(int length)
    {
        Slot[] slots = new Slot[length];
        foreach (ref readonly Slot slot in _slots.AsSpan())
        {
            if (slot.Channel is { } channel)
            {
                Place(slots, channel, slot.Hash);
            }
        }

        Volatile.Write(ref _slots, slots);
    }

    private struct Slot
    {
        public CoapChannel? Channel;
        public ulong Hash;
    }
}
