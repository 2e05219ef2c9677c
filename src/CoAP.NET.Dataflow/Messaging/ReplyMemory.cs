using System.Numerics;

namespace CoAP.NET.Messaging;

/// <summary>
/// The finished exchanges of a shard: queues by how long they stay, and the table that finds them. When the memory is full, this class
/// decides which entries go first. Guarded by the shard's lock.
/// </summary>
internal sealed class ReplyMemory
{
    // A source always has the same recent queue, so a flood replaces only the entries of an eighth of the others.
    private const int RecentQueues = 8;
    private const int LifetimeRanges = 4;
    private const int MaxSpareSegments = 4;

    // With less memory a shard could not keep one whole message of several peers.
    private const int LeastBytes = 16 * 1024;
    private static readonly long s_shortLifetime = TimeSpan.FromSeconds(512).Ticks;
    private static readonly long s_warningPeriod = TimeSpan.FromMinutes(1).Ticks;

    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly CoapSourceGroupingRule _sources;
    private readonly DuplicateQuota _shares;
    private readonly long _budget;
    private readonly long _unverifiedBudget;
    private readonly int _segmentSize;

    // Newcomers replace only newcomers. Their safe exchanges have a queue of their own, so a flood of GETs does not replace a POST.
    private readonly ReplyQueue _safeOfNewcomers;
    private readonly ReplyQueue _othersOfNewcomers;

    // Safe exchanges, and all that a source has beyond its share. Each has a fixed size.
    private readonly ReplyQueue[] _recentOfUnverified;
    private readonly ReplyQueue[] _recentOfVerified;

    private readonly ReplyQueue _idempotentOfUnverified = new(ReplyQueueKind.Unverified);
    private readonly ReplyQueue _idempotentOfVerified = new(ReplyQueueKind.Verified);
    private readonly ReplyQueue _unsafeOfUnverified = new(ReplyQueueKind.Unverified);

    // One for each range of lifetimes, so a long lifetime does not keep short ones behind it.
    private readonly ReplyQueue[] _unsafeOfVerified;

    // In the order in which they are forgotten for others.
    private readonly ReplyQueue[] _evictable;
    private readonly ReplyQueue[] _all;
    private readonly IndexedPool<ReplySegment> _segments = new();
    private readonly Stack<ReplySegment> _spareSegments = new();
    private readonly DuplicateTable _table;
    private long _queueBytes;
    private long _unverifiedBytes;
    private long _reserved;
    private long _warnAt = long.MinValue;
    private long _unsafeEvictionsSinceWarning;

    public ReplyMemory(CoapShard shard, int shardCount)
    {
        _shard = shard;
        CoapLimits limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _sources = shard.Environment.Sources;
        _shares = new DuplicateQuota(_sources, limits.Deduplication.MaxSourceFraction);
        long budget = Math.Max(LeastBytes, limits.Deduplication.Memory / shardCount);
        long newcomerBudget = limits.Peers.NewcomerMemory / 2 / shardCount; // the channels of newcomers get the other half
        _segmentSize = (int)BitOperations.RoundUpToPowerOf2(
            (uint)Math.Clamp(Math.Min(budget, newcomerBudget) / 128, 1024, ReplySegment.MaxSize));

        // Held back: the spare segments, two segments for the replies of admitted exchanges, which must be stored in any case, and a little
        // for the growth of the table.
        _budget = Math.Max(budget - ((MaxSpareSegments + 2) * _segmentSize) - (budget / 64), 2 * _segmentSize);

        // A third is for the table.
        _unverifiedBudget = (long)(_budget * limits.Deduplication.MaxUnverifiedFraction * 2 / 3);
        long recentBudget = Math.Max(2 * _segmentSize, (long)(_budget * limits.Deduplication.MaxSafeFraction / RecentQueues));
        _safeOfNewcomers = new ReplyQueue(ReplyQueueKind.Newcomers, newcomerBudget / RecentQueues);
        _othersOfNewcomers = new ReplyQueue(ReplyQueueKind.Newcomers, newcomerBudget - (newcomerBudget / RecentQueues));
        _recentOfUnverified = NewQueues(RecentQueues, ReplyQueueKind.Unverified, recentBudget);
        _recentOfVerified = NewQueues(RecentQueues, ReplyQueueKind.Verified, recentBudget);
        _unsafeOfVerified = NewQueues(LifetimeRanges, ReplyQueueKind.Protected, long.MaxValue);
        _evictable =
            [.. _recentOfUnverified, .. _recentOfVerified, _idempotentOfUnverified, _idempotentOfVerified, _unsafeOfUnverified];
        _all = [_safeOfNewcomers, _othersOfNewcomers, .. _evictable, .. _unsafeOfVerified];
        _table = new DuplicateTable(_segments);
    }

    /// <summary>The number of sources with entries that stay for their lifetime.</summary>
    public int Sources => _shares.Count;

    /// <summary>The number of kept exchanges, including some expired ones.</summary>
    public int Count => _table.Count;

    /// <summary>The memory of queues, spare segments and table in bytes, without the queues of newcomers.</summary>
    public long Bytes => _queueBytes + ((long)_spareSegments.Count * _segmentSize) + _table.Bytes;

    /// <summary>The memory of the queues of newcomers in bytes.</summary>
    public long NewcomerBytes => _safeOfNewcomers.Bytes + _othersOfNewcomers.Bytes;

    /// <summary>Finds the finished exchange of a peer with a Message ID, which may have expired.</summary>
    public bool TryFind(uint peer, ushort messageId, out StoredReplyHeader header, out ReadOnlySpan<byte> reply) =>
        _table.TryFind(peer, messageId, out header, out reply);

    /// <summary>Prefetches the memory in which a search begins. Allowed while other threads change it.</summary>
    public void Fetch(uint peer, ushort messageId) => _table.Fetch(peer, messageId);

    /// <summary>Lists the exchanges of a peer that must not be processed again, with the times that are left.</summary>
    public List<SeenMessage> SeenOf(uint peer, long now)
    {
        List<SeenMessage> seen = [];
        foreach (ulong place in _table.PlacesOf(peer))
        {
            StoredReplyHeader header = ReplySegment.Read(_segments, place, out ReadOnlySpan<byte> reply);
            if (header.Class != MethodSafety.Safe && StoredReplyHeader.Clock.Left(header.Expiry, now) is var left and > 0)
            {
                seen.Add(new SeenMessage(header.MessageId, header.Class, header.Reply, left, reply.ToArray()));
            }
        }

        return seen;
    }

    /// <summary>Reserves bytes for the reply of a verified peer that must not be processed again.</summary>
    /// <returns>Whether there is room, within the share of the source.</returns>
    public bool TryReserve(CoapChannel peer, long now, out ReplyReservation reservation)
    {
        // With what is left of a segment that the next one does not fit into.
        int needed = LargestEntryOf(peer);
        needed = needed < _segmentSize ? _segmentSize / (_segmentSize / needed) : needed;
        reservation = new ReplyReservation(TakeShare(peer, needed, now), needed);
        if (reservation.Share == 0)
        {
            return false;
        }

        if (!MakeRoom(needed + _table.GrowthFor(peer.Messaging.Id), now))
        {
            _shares.Change(reservation.Share, -needed);
            return false;
        }

        _reserved += needed;
        return true;
    }

    /// <summary>Gives reserved bytes back.</summary>
    public void Release(in ReplyReservation reservation)
    {
        _reserved -= reservation.Bytes;
        _shares.Change(reservation.Share, -reservation.Bytes);
    }

    /// <summary>Keeps a finished exchange, if there is room for it.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="header">The exchange.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="lifetime">Its lifetime, in units of 100 ns.</param>
    /// <param name="reservation">The memory that was reserved for it; the caller releases it.</param>
    /// <param name="now">The current time.</param>
    /// <returns>Whether it is kept.</returns>
    public bool TryKeep(CoapChannel peer, StoredReplyHeader header, ReadOnlySpan<byte> reply, long lifetime,
        in ReplyReservation reservation, long now)
    {
        int size = StoredReplyHeader.EntrySize(reply.Length);
        bool isNewcomer = !peer.IsProtected && peer.IsNewcomer;
        if (header.Class != MethodSafety.Safe && !isNewcomer)
        {
            header.Share = reservation.Share;
            if (header.Share == 0)
            {
                header.Share = TakeShare(peer, size, now);
            }
            else
            {
                _shares.Change(header.Share, size);
            }
        }

        ReplyQueue queue = isNewcomer ? header.Class == MethodSafety.Safe ? _safeOfNewcomers : _othersOfNewcomers
            : header.Share != 0 ? LastingOf(peer, header.Class, lifetime)
            : RecentOf(peer);

        // An admitted exchange is kept in any case: its room is reserved.
        int growth = _table.GrowthFor(header.Peer);
        if ((growth > 0 && !MakeRoom(growth, now) && queue.Kind != ReplyQueueKind.Protected)
            || !(queue.Last?.Free >= size || AddSegment(queue, size, now)))
        {
            // Its own duplicates are processed again, and not those of others.
            _shares.Change(header.Share, -size);
            bool isUnsafe = header.Class == MethodSafety.Unsafe;
            CountEvictions(others: isUnsafe ? 0 : 1, unsafes: isUnsafe ? 1 : 0, now);
            return false;
        }

        _table.Set(header.Peer, header.MessageId, queue.Last!.Append(header, reply));
        return true;
    }

    /// <summary>Drops the oldest segments of all queues whose entries have all expired.</summary>
    public void DropExpired(long now)
    {
        foreach (ReplyQueue queue in _all)
        {
            while (queue.First is { } first && StoredReplyHeader.Clock.HasPassed(first.LastExpiry, now))
            {
                DropFirst(queue, now);
            }
        }
    }

    /// <summary>Frees unused memory.</summary>
    public void Trim()
    {
        _table.Trim();
        while (_spareSegments.TryPop(out ReplySegment? spare))
        {
            spare.RemoveFrom(_segments);
        }
    }

    /// <summary>Counts entries that were evicted before their time.</summary>
    public void CountEvictions(int others, int unsafes, long now)
    {
        if (others > 0)
        {
            _counters.Add(CoapCounter.DeduplicationEvictions, others);
        }

        if (unsafes == 0)
        {
            return;
        }

        _counters.Add(CoapCounter.UnsafeDeduplicationEvictions, unsafes);
        _unsafeEvictionsSinceWarning += unsafes;
        if (now >= _warnAt)
        {
            _warnAt = now + s_warningPeriod;
            _shard.AfterRelease(new EvictionWarning(_unsafeEvictionsSinceWarning));
            _unsafeEvictionsSinceWarning = 0;
        }
    }

    private static ReplyQueue[] NewQueues(int count, ReplyQueueKind kind, long maxBytes) =>
        [.. Enumerable.Range(0, count).Select(_ => new ReplyQueue(kind, maxBytes))];

    // At least one reply, however small the memory is.
    private static int LargestEntryOf(CoapChannel peer) =>
        StoredReplyHeader.EntrySize(Math.Min(peer.Parameters.MaxMessageSize, ushort.MaxValue));

    // The queue of an entry that stays for its lifetime, unless others need the memory.
    private ReplyQueue LastingOf(CoapChannel peer, MethodSafety @class, long lifetime)
    {
        if (@class == MethodSafety.Idempotent)
        {
            return peer.IsProtected ? _idempotentOfVerified : _idempotentOfUnverified;
        }

        if (!peer.IsProtected)
        {
            return _unsafeOfUnverified;
        }

        int range = 0;
        while (range < LifetimeRanges - 1 && lifetime > s_shortLifetime << (2 * range))
        {
            range++;
        }

        return _unsafeOfVerified[range];
    }

    private ReplyQueue RecentOf(CoapChannel peer)
    {
        if (peer.Messaging.RecentPart == 0)
        {
            peer.Messaging.RecentPart = (byte)(1 + (_sources.Of(peer.Remote, peer.PeerId).GetHashCode() & (RecentQueues - 1)));
        }

        return (peer.IsProtected ? _recentOfVerified : _recentOfUnverified)[peer.Messaging.RecentPart - 1];
    }

    private int TakeShare(CoapChannel peer, int needed, long now)
    {
        int number = Take();
        if (number == 0)
        {
            DropExpired(now);
            number = Take();
        }

        return number;

        int Take() => peer.IsProtected
            ? _shares.Take(peer, needed, _budget, LastingBytes(), LargestEntryOf(peer))
            : _shares.Take(peer, needed, _unverifiedBudget, _unsafeOfUnverified.Bytes, LargestEntryOf(peer));
    }

    // The bytes of entries that are not evicted for other sources, and of the table.
    private long LastingBytes()
    {
        long bytes = _unsafeOfUnverified.Bytes + _table.Bytes + _reserved;
        foreach (ReplyQueue queue in _unsafeOfVerified)
        {
            bytes += queue.Bytes;
        }

        return bytes;
    }

    private bool HasCapacity(int needed) => _queueBytes + _table.Bytes + _reserved + needed <= _budget;

    // Never evicts a finished non-idempotent exchange of a verified peer within its lifetime. Idempotent entries go first, for all senders.
    // Otherwise a verified peer could force repeated POSTs of others by sending GETs.
    private bool MakeRoom(int needed, long now)
    {
        if (HasCapacity(needed))
        {
            return true;
        }

        DropExpired(now);
        foreach (ReplyQueue queue in _evictable)
        {
            while (queue.First is not null && !HasCapacity(needed))
            {
                DropFirst(queue, now);
            }
        }

        return HasCapacity(needed);
    }

    // Adds a segment to a queue, evicting other entries if necessary.
    private bool AddSegment(ReplyQueue queue, int size, long now)
    {
        int segmentSize = Math.Max(_segmentSize, size);
        DropExpired(now);
        while (queue.First is not null && queue.Bytes + segmentSize > queue.MaxBytes)
        {
            DropFirst(queue, now, isReplaced: true);
        }

        if (queue.Kind != ReplyQueueKind.Newcomers)
        {
            if (queue.Kind == ReplyQueueKind.Unverified)
            {
                foreach (ReplyQueue other in _evictable)
                {
                    while (other.Kind == ReplyQueueKind.Unverified && other.First is not null
                        && _unverifiedBytes + segmentSize > _unverifiedBudget)
                    {
                        DropFirst(other, now);
                    }
                }
            }

            // The reply of an admitted exchange has reserved room, except for the rounding to segments.
            if (!MakeRoom(segmentSize, now) && queue.Kind != ReplyQueueKind.Protected)
            {
                return false;
            }
        }

        ReplySegment segment = segmentSize == _segmentSize && _spareSegments.TryPop(out ReplySegment? spare)
            ? spare
            : new ReplySegment(segmentSize, _segments);
        queue.AddSegment(segment);
        CountBytes(queue, segment.Size);
        return true;
    }

    // Drops the oldest segment of a queue, and counts unexpired entries.
    private void DropFirst(ReplyQueue queue, long now, bool isReplaced = false)
    {
        int others = 0;
        int unsafes = 0;
        ReplySegment segment = queue.RemoveFirst();

        // Prefetches the slots of all entries, because each one is somewhere else.
        for (int offset = 0; segment.TryReadNext(ref offset, out _, out StoredReplyHeader header);)
        {
            _table.Fetch(header.Peer, header.MessageId);
        }

        for (int offset = 0; segment.TryReadNext(ref offset, out ulong place, out StoredReplyHeader header);)
        {
            _table.Remove(header.Peer, header.MessageId, place);
            _shares.Change(header.Share, -StoredReplyHeader.EntrySize(header.Length));
            if (!StoredReplyHeader.Clock.HasPassed(header.Expiry, now))
            {
                // Safe exchanges are kept for a while only, also when there is memory.
                unsafes += header.Class == MethodSafety.Unsafe ? 1 : 0;
                others += header.Class == MethodSafety.Idempotent || (header.Class == MethodSafety.Safe && !isReplaced) ? 1 : 0;
            }
        }

        CountEvictions(others, unsafes, now);
        CountBytes(queue, -segment.Size);
        if (segment.Size == _segmentSize && _spareSegments.Count < MaxSpareSegments)
        {
            segment.Clear();
            _spareSegments.Push(segment);
        }
        else
        {
            segment.RemoveFrom(_segments);
        }
    }

    private void CountBytes(ReplyQueue queue, int change)
    {
        if (queue.Kind != ReplyQueueKind.Newcomers)
        {
            _queueBytes += change;
            _unverifiedBytes += queue.Kind == ReplyQueueKind.Unverified ? change : 0;
        }
    }

    private sealed class EvictionWarning(long evictions) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) =>
            MessagingLog.UnsafeDuplicatesForgotten(shard.Environment.Logger, evictions, shard.Environment.Limits.Deduplication.Memory);
    }
}

/// <summary>The bytes of duplicate memory that are reserved for the reply to a running request.</summary>
/// <param name="Share">The share that pays for them (<see cref="DuplicateQuota"/>); 0 for none.</param>
/// <param name="Bytes">The bytes.</param>
internal readonly record struct ReplyReservation(int Share, int Bytes);
