using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Channels;

/// <summary>
/// The peers of a shard by address. Newcomers have a fixed list of their own and replace only one another. Returning peers are kept up to
/// the limit; the longest idle one goes first. Not thread-safe: guarded by Shard.Gate.
/// </summary>
internal sealed class ChannelTable
{
    // A list is only re-ordered when a peer was silent for a while; a busy peer costs no writes to its neighbours.
    private static readonly long s_reorderAfter = TimeSpan.FromSeconds(10).Ticks;

    private const int EvictionTries = 32;
    private const int MinSlots = 64;
    private const int BytesOfNewcomer = 1024;

    private readonly CoapShard _shard;
    private readonly LruChannelList _newcomers = new();
    private readonly LruChannelList _returning = new();
    private readonly int _maxNewcomers;
    private readonly int _maxReturning;
    private readonly long _newcomerPeriod;
    private readonly IdlePeerExpiryTimer _idle;
    private Slot[] _slots = new Slot[MinSlots];
    private int _count;
    private bool _hasPinned;

    public ChannelTable(CoapShard shard, int shardCount)
    {
        _shard = shard;
        CoapLimits limits = shard.Environment.Limits;
        _maxNewcomers = Math.Max(16, limits.Peers.NewcomerMemory / BytesOfNewcomer / shardCount);
        _maxReturning = Math.Max(1, limits.Peers.MaxCount / shardCount);
        _newcomerPeriod = limits.Peers.NewcomerPeriod.Ticks;
        _idle = new IdlePeerExpiryTimer(shard, this, _newcomers, _returning);
    }

    public int Count => _count;

    /// <summary>Whether there may be channels for one local address only, stored under the hash of both addresses.</summary>
    public bool HasPinned => Volatile.Read(ref _hasPinned);

    /// <summary>Whether a timer waits for peers that have been silent for long enough.</summary>
    public bool WatchesIdle => _idle.IsScheduled;

    public int Newcomers => _newcomers.Count;

    /// <summary>Finds the channel of a datagram's peer, or creates one.</summary>
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
    /// Finds the channel of a datagram's peer without the lock, if it exists and only the time of its last datagram changes. A concurrent
    /// change of the table may hide it; the caller then continues with <see cref="GetForInbound"/>. A channel that is being forgotten may
    /// still be found; it works, and becomes garbage afterwards.
    /// </summary>
    public CoapChannel? TryGetForInbound(CoapDatagram datagram, ulong hash, long now)
    {
        CoapChannel? channel = FindForInbound(datagram, hash);
        return channel is not null && TryTouch(channel, now) ? channel : null;
    }

    /// <summary>Records a datagram of a peer, if only the time of its last datagram changes.</summary>
    public static bool TryTouch(CoapChannel channel, long now)
    {
        if (channel.LacksLocal || channel.IsForgotten
            || (channel.IsNewcomer
                ? now - channel.Links.FirstSeen >= channel.Shard.Environment.Limits.Peers.NewcomerPeriod.Ticks
                : now - channel.LastSeen > s_reorderAfter))
        {
            return false;
        }

        channel.LastSeen = now;
        return true;
    }

    /// <summary>
    /// Finds the channel of an outbound peer without the lock, if nothing changes; otherwise null. <see cref="Restore"/> brings back a
    /// channel that is forgotten meanwhile when something is sent.
    /// </summary>
    public CoapChannel? TryGetForOutbound(CoapTransport transport, CoapAddress remote, ulong hash) =>
        Find(transport, null, remote, null, hash) is { IsNewcomer: false, IsForgotten: false, IsConnection: false } channel
            ? channel
            : null;

    /// <summary>Finds or creates the channel of an outbound peer. Such a peer is never a newcomer.</summary>
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
    /// Finds or creates the channel of an outbound peer for one local address. A peer may have many of them: they are stored under the hash
    /// of both addresses.
    /// </summary>
    /// <param name="transport">The transport.</param>
    /// <param name="remote">The peer.</param>
    /// <param name="wanted">The local end to send from; null for the choice of the operating system.</param>
    /// <param name="routed">The choice of the operating system, if known.</param>
    /// <param name="onlyFind">Whether to create no channel.</param>
    /// <param name="hash">The hash of the peer's address.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="channel">The channel.</param>
    /// <returns>Whether there is a channel.</returns>
    public bool TryGetForOutbound(
        CoapTransport transport, CoapAddress remote, LocalSocketAddress? wanted, LocalSocketAddress? routed, bool onlyFind,
            ulong hash, long now,
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

    /// <summary>Returns the current channel of a peer: the given one, or its successor after it was forgotten; null for none.</summary>
    public CoapChannel? Current(CoapChannel channel) =>
        channel is { IsForgotten: true, IsConnection: false }
            ? Find(channel.Transport, channel.TransportTag, channel.Remote, channel.Local, channel.Links.AddressHash)
            : channel;

    /// <summary>
    /// Like <see cref="Current"/>, for outbound peers: without a channel, the given one returns to the table, so that answers find it.
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

    /// <summary>Returns the channels to a peer's address over all transports, as a new list.</summary>
    public List<CoapChannel> Find(CoapAddress remote)
    {
        lock (_shard.Gate)
        {
            return [.. Channels().Where(channel => channel.Remote == remote)];
        }
    }

    /// <summary>
    /// Returns the most recently heard channels, the latest first. Takes no lock, so that listing very many peers delays nothing.
    /// Concurrently added or removed peers may be missing.
    /// </summary>
    /// <param name="max">The maximum number.</param>
    /// <param name="fits">The filter.</param>
    /// <param name="found">The total number of matching channels.</param>
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

    /// <summary>Returns all channels in undefined order, as a new list.</summary>
    public List<CoapChannel> All()
    {
        lock (_shard.Gate)
        {
            return [.. Channels()];
        }
    }

    // A message to a group belongs to the peer, whichever local address it knows: a group is not an address to answer from.
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

    // Channels for one local address, chosen by this end or by the peer.
    private CoapChannel? FindAt(CoapTransport transport, in CoapAddress remote, LocalSocketAddress end, ulong hash) =>
        Find(transport, end.Tag, remote, end.Local, CoapAddressHash.Of(hash, end.Local))
        ?? (Find(transport, end.Tag, remote, end.Local, hash) is { } channel && channel.Local == end.Local ? channel : null);

    // Channels without a specific local address, or at the one where the peer found this end.
    private CoapChannel? FindPlain(CoapTransport transport, in CoapAddress remote, ulong hash) => Find(transport, null, remote, null, hash);

    private CoapChannel Add(CoapTransport transport, int tag, CoapAddress remote, CoapAddress local, ulong hash, long now, bool newcomer,
        bool lacksLocal = false)
    {
        MakeRoom(newcomer);
        CoapChannel channel = new(_shard, transport, tag, remote, local, CoapTransmissionParameters.Default)
        {
            AsksForParameters = true,
            Links = { AddressHash = hash, FirstSeen = now },
            IsNewcomer = newcomer,
            LacksLocal = lacksLocal,
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

        Place(_slots, channel, channel.Links.AddressHash);
        _count++;
        (channel.IsNewcomer ? _newcomers : _returning).AddNewest(channel);
        _shard.HasManyNewcomers = _newcomers.Count > _maxNewcomers / 4;
        _idle.Watch();
    }

    private void Touch(CoapChannel channel, long now)
    {
        if (channel.IsNewcomer)
        {
            if (now - channel.Links.FirstSeen >= _newcomerPeriod)
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
        // When no returning peer may be evicted, the peer stays a newcomer; it is served nevertheless.
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
            // Newcomers with pending work are skipped; there are never more of those than requests being served.
            while (_newcomers.Count >= _maxNewcomers && Evict(_newcomers, unverifiedOnly: false))
            {
            }
        }
        else if (_returning.Count >= _maxReturning)
        {
            Evict(_returning, unverifiedOnly: true);
        }
    }

    private bool Evict(LruChannelList list, bool unverifiedOnly)
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

            // A channel that cannot be evicted now is checked last next time.
            list.Remove(candidate);
            list.AddNewest(candidate);
            candidate = next;
        }

        return false;
    }

    public bool TryForget(CoapChannel channel, LruChannelList list, bool unverifiedOnly)
    {
        if (channel.Pins > 0
            || (unverifiedOnly && channel.IsProtected && PeerVerification.Holds(channel, _shard.Environment.Now))
            || !_shard.Eviction.TryForget(channel))
        {
            return false;
        }

        Remove(channel);
        list.Remove(channel);
        channel.IsForgotten = true;
        _shard.Guard.OnForgotten(channel);
        return true;
    }

    // The table itself: linear probing. Each slot holds the hash of its peer, so a search touches only the matching channel, and growing
    // touches none.
    /// <summary>Prefetches the memory in which the search for a peer begins.</summary>
    public void Fetch(ulong hash)
    {
        Slot[] slots = Volatile.Read(ref _slots);
        MemoryPrefetch.Fetch(ref slots[(int)hash & (slots.Length - 1)]);
    }

    /// <summary>
    /// Guesses the channel of a datagram that will be handed in soon, without the lock and without touching the channel. Null when there is
    /// none or prefetching is not worthwhile.
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

    /// <summary>Whether a channel belongs to a datagram.</summary>
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

    // Written after the hash and the whole channel: readers without the lock must find both complete. A reader that meets the hash of
    // another peer skips it.
    private static void Set(ref Slot slot, CoapChannel channel, ulong hash)
    {
        Volatile.Write(ref slot.Hash, hash);
        Volatile.Write(ref slot.Channel, channel);
    }

    private void Remove(CoapChannel channel)
    {
        int mask = _slots.Length - 1;
        int hole = (int)channel.Links.AddressHash & mask;
        while (_slots[hole].Channel != channel)
        {
            hole = (hole + 1) & mask;
        }

        // Backward shift: entries that may occupy the hole move into it, so searches never meet a gap.
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
