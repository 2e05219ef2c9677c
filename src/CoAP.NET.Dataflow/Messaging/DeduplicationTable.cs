using System.Numerics;

namespace CoAP.NET.Messaging;

/// <summary>
/// The finished exchanges of a shard, in logs by how long they stay, with the table that finds them. When the memory is full, this class
/// decides which entries go first. Guarded by the shard's lock.
/// </summary>
internal sealed class DeduplicationTable
{
    // Newcomers replace only newcomers. Their safe exchanges have a log of their own, so a flood of GETs does not replace a POST.
    private const int NewcomersRecent = 1;
    private const int Newcomers = 2;

    // The logs from here to Protected are in the order in which they are forgotten. Safe exchanges, and all that a source has beyond its
    // share, are in recent logs: each has a fixed size, in which the newest replaces the oldest. A source always has the same recent log,
    // so a flood replaces only the entries of an eighth of the others.
    private const int RecentLogs = 8;
    private const int UnverifiedRecent = 3;
    private const int VerifiedRecent = UnverifiedRecent + RecentLogs;
    private const int UnverifiedIdempotent = VerifiedRecent + RecentLogs;
    private const int VerifiedIdempotent = UnverifiedIdempotent + 1;
    private const int UnverifiedUnsafe = VerifiedIdempotent + 1;

    // From here on, entries are never evicted before their time. One log for each range of lifetimes, so a long lifetime does not keep
    // short ones behind it.
    private const int Protected = UnverifiedUnsafe + 1;
    private const int LogCount = Protected + 4;
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
    private readonly long _recentBudget;
    private readonly long _newcomerBudget;
    private readonly long _newcomerRecentBudget;
    private readonly int _segmentSize;
    private readonly SentReplyStore[] _logs = new SentReplyStore[LogCount];
    private readonly DuplicateTable _table;
    private readonly Stack<byte[]> _spareSegments = new();
    private long _logBytes;
    private long _unverifiedBytes;
    private long _reserved;
    private long _warnAt = long.MinValue;
    private long _unsafeEvictionsSinceWarning;

    public DeduplicationTable(CoapShard shard, int shardCount)
    {
        _shard = shard;
        CoapLimits limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _sources = shard.Environment.Sources;
        _shares = new DuplicateQuota(_sources, limits.Deduplication.MaxSourceFraction);
        long budget = Math.Max(LeastBytes, limits.Deduplication.Memory / shardCount);
        _newcomerBudget = limits.Peers.NewcomerMemory / 2 / shardCount; // the channels of newcomers get the other half
        _newcomerRecentBudget = _newcomerBudget / RecentLogs;
        _segmentSize = (int)BitOperations.RoundUpToPowerOf2(
            (uint)Math.Clamp(Math.Min(budget, _newcomerBudget) / 128, 1024, SentReplyStore.MaxSegment));

        // Held back: the spare segments, two segments for the replies of admitted exchanges, which must be stored in any case, and a little
        // for the growth of the table.
        _budget = Math.Max(budget - ((MaxSpareSegments + 2) * _segmentSize) - (budget / 64), 2 * _segmentSize);

        // A third is for the table.
        _unverifiedBudget = (long)(_budget * limits.Deduplication.MaxUnverifiedFraction * 2 / 3);
        _recentBudget = Math.Max(2 * _segmentSize, (long)(_budget * limits.Deduplication.MaxSafeFraction / RecentLogs));
        for (int i = NewcomersRecent; i < LogCount; i++)
        {
            _logs[i] = new SentReplyStore(i);
        }

        _table = new DuplicateTable(_logs);
    }

    /// <summary>The number of sources with entries that stay for their lifetime.</summary>
    public int Sources => _shares.Count;

    /// <summary>The number of kept exchanges, including some expired ones.</summary>
    public int Entries => _logs.Skip(NewcomersRecent).Sum(static log => log.Entries);

    /// <summary>The memory of logs, spare segments and table in bytes, without the logs of newcomers.</summary>
    public long Bytes => _logBytes + ((long)_spareSegments.Count * _segmentSize) + _table.Bytes;

    /// <summary>The memory of the logs of newcomers in bytes.</summary>
    public long NewcomerBytes => _logs[NewcomersRecent].Bytes + _logs[Newcomers].Bytes;

    /// <summary>Returns the place of the finished exchange of a peer with a Message ID; 0 for none.</summary>
    public ulong Find(uint peer, ushort messageId) => _table.Find(peer, messageId);

    /// <summary>Reads the exchange at a place that <see cref="Find"/> returned.</summary>
    public bool TryGet(ulong place, out StoredReplyHeader header, out ReadOnlySpan<byte> reply) =>
        _logs[SentReplyStore.NumberOf(place)].TryGet(place, out header, out reply);

    /// <summary>Prefetches the memory in which a search begins. Allowed while other threads change the logs.</summary>
    public void Fetch(uint peer, ushort messageId) => _table.Fetch(peer, messageId);

    /// <summary>Lists the exchanges of a peer that must not be processed again, with the times that are left.</summary>
    public List<SeenMessage> SeenOf(uint peer, long now)
    {
        List<SeenMessage> seen = [];
        foreach (ulong place in _table.PlacesOf(peer))
        {
            if (TryGet(place, out StoredReplyHeader header, out ReadOnlySpan<byte> reply) && header.Class != MethodSafety.Safe
                && StoredReplyHeader.Clock.Left(header.Expiry, now) is var left and > 0)
            {
                seen.Add(new SeenMessage(header.MessageId, header.Class, header.Reply, left, reply.ToArray()));
            }
        }

        return seen;
    }

    /// <summary>Reserves bytes for the reply of a verified peer that must not be processed again.</summary>
    /// <returns>Whether there is room, within the share of the source.</returns>
    public bool TryReserve(CoapChannel peer, long now, out DuplicateMemoryReservation reservation)
    {
        // With what is left of a segment that the next one does not fit into.
        int needed = LargestEntryOf(peer);
        needed = needed < _segmentSize ? _segmentSize / (_segmentSize / needed) : needed;
        reservation = new DuplicateMemoryReservation(TakeShare(peer, needed, now), needed);
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
    public void Release(in DuplicateMemoryReservation reservation)
    {
        _reserved -= reservation.Bytes;
        _shares.Change(reservation.Share, -reservation.Bytes);
    }

    /// <summary>Keeps a finished exchange, if there is room for it.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="header">The exchange.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="lifetime">Its lifetime, in units of 100 ns.</param>
    /// <param name="reservation">What was reserved for it; the caller gives it back.</param>
    /// <param name="now">The current time.</param>
    /// <returns>Whether it is kept.</returns>
    public bool TryKeep(
        CoapChannel peer, StoredReplyHeader header, ReadOnlySpan<byte> reply, long lifetime,
            in DuplicateMemoryReservation reservation, long now)
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

        int number = isNewcomer ? header.Class == MethodSafety.Safe ? NewcomersRecent : Newcomers
            : header.Share != 0 ? LogOf(peer, header.Class, lifetime)
            : RecentOf(peer);

        // An admitted exchange is kept in any case: its room is reserved.
        int growth = _table.GrowthFor(header.Peer);
        if ((growth > 0 && !MakeRoom(growth, now) && number < Protected) || !(_logs[number].Fits(size) || AddSegment(number, size, now)))
        {
            // Its own duplicates are processed again, and not those of others.
            _shares.Change(header.Share, -size);
            bool isUnsafe = header.Class == MethodSafety.Unsafe;
            CountEvictions(others: isUnsafe ? 0 : 1, unsafes: isUnsafe ? 1 : 0, now);
            return false;
        }

        _table.Set(header.Peer, header.MessageId, _logs[number].Append(header, reply));
        return true;
    }

    /// <summary>Drops the oldest segments of all logs whose entries have all expired.</summary>
    public void DropExpired(long now)
    {
        for (int i = NewcomersRecent; i < LogCount; i++)
        {
            while (!_logs[i].IsEmpty && StoredReplyHeader.Clock.HasPassed(_logs[i].Head.LastExpiry, now))
            {
                DropHead(i, now);
            }
        }
    }

    /// <summary>Frees unused memory.</summary>
    public void Tidy()
    {
        _spareSegments.Clear();
        if (_logBytes + NewcomerBytes == 0)
        {
            _table.Clear();
        }
        else
        {
            _table.Tidy();
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

    private static bool IsRecent(int number) => number is NewcomersRecent or (>= UnverifiedRecent and < UnverifiedIdempotent);

    private static bool IsOfNewcomers(int number) => number is NewcomersRecent or Newcomers;

    private static bool IsUnverified(int number) =>
        number is >= UnverifiedRecent and < VerifiedRecent or UnverifiedIdempotent or UnverifiedUnsafe;

    // The log of an entry that stays for its lifetime, unless others need the memory.
    private static int LogOf(CoapChannel peer, MethodSafety @class, long lifetime)
    {
        if (@class == MethodSafety.Idempotent)
        {
            return peer.IsProtected ? VerifiedIdempotent : UnverifiedIdempotent;
        }

        if (!peer.IsProtected)
        {
            return UnverifiedUnsafe;
        }

        int number = Protected;
        while (number < LogCount - 1 && lifetime > s_shortLifetime << (2 * (number - Protected)))
        {
            number++;
        }

        return number;
    }

    // At least one reply, however small the memory is.
    private static int LargestEntryOf(CoapChannel peer) =>
        StoredReplyHeader.EntrySize(Math.Min(peer.Parameters.MaxMessageSize, ushort.MaxValue));

    private int RecentOf(CoapChannel peer)
    {
        if (peer.Messaging.RecentPart == 0)
        {
            peer.Messaging.RecentPart = (byte)(1 + (_sources.Of(peer.Remote, peer.PeerId).GetHashCode() & (RecentLogs - 1)));
        }

        return (peer.IsProtected ? VerifiedRecent : UnverifiedRecent) + peer.Messaging.RecentPart - 1;
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
            : _shares.Take(peer, needed, _unverifiedBudget, _logs[UnverifiedUnsafe].Bytes, LargestEntryOf(peer));
    }

    // The bytes of entries that are never evicted early, and of the table.
    private long LastingBytes()
    {
        long bytes = _logs[UnverifiedUnsafe].Bytes + _table.Bytes + _reserved;
        for (int i = Protected; i < LogCount; i++)
        {
            bytes += _logs[i].Bytes;
        }

        return bytes;
    }

    private bool HasCapacity(int needed) => _logBytes + _table.Bytes + _reserved + needed <= _budget;

    // Never evicts a finished non-idempotent exchange of a verified peer within its lifetime. Idempotent entries go first, for all senders.
    // Otherwise a verified peer could force repeated POSTs of others by sending GETs.
    private bool MakeRoom(int needed, long now)
    {
        if (HasCapacity(needed))
        {
            return true;
        }

        DropExpired(now);
        for (int i = UnverifiedRecent; i < Protected; i++)
        {
            while (!_logs[i].IsEmpty && !HasCapacity(needed))
            {
                DropHead(i, now);
            }
        }

        return HasCapacity(needed);
    }

    /// <summary>Adds a segment to a log, evicting other entries if necessary.</summary>
    private bool AddSegment(int number, int size, long now)
    {
        int segmentSize = Math.Max(_segmentSize, size);
        DropExpired(now);
        long most = number switch
        {
            NewcomersRecent => _newcomerRecentBudget,
            Newcomers => _newcomerBudget - _newcomerRecentBudget,
            _ => IsRecent(number) ? _recentBudget : long.MaxValue,
        };
        while (!_logs[number].IsEmpty && _logs[number].Bytes + segmentSize > most)
        {
            DropHead(number, now, isReplaced: IsRecent(number));
        }

        if (!IsOfNewcomers(number))
        {
            for (int i = UnverifiedRecent; i < Protected && IsUnverified(number); i++)
            {
                while (IsUnverified(i) && !_logs[i].IsEmpty && _unverifiedBytes + segmentSize > _unverifiedBudget)
                {
                    DropHead(i, now);
                }
            }

            // The reply of an admitted exchange has reserved room, except for the rounding to segments.
            if (!MakeRoom(segmentSize, now) && number < Protected)
            {
                return false;
            }

            _logBytes += segmentSize;
            _unverifiedBytes += IsUnverified(number) ? segmentSize : 0;
        }

        _logs[number].AddSegment(
            segmentSize == _segmentSize && _spareSegments.TryPop(out byte[]? spare)
                ? spare
                : GC.AllocateUninitializedArray<byte>(segmentSize));
        return true;
    }

    /// <summary>Drops the oldest segment of a log, and counts unexpired entries.</summary>
    private void DropHead(int number, long now, bool isReplaced = false)
    {
        int others = 0;
        int unsafes = 0;
        int offset = 0;
        SentReplyStore log = _logs[number];
        while (log.TryReadHead(ref offset, out StoredReplyHeader header))
        {
            _shares.Change(header.Share, -StoredReplyHeader.EntrySize(header.Length));
            if (!StoredReplyHeader.Clock.HasPassed(header.Expiry, now))
            {
                // Safe exchanges are kept for a while only, also when there is memory.
                unsafes += header.Class == MethodSafety.Unsafe ? 1 : 0;
                others += header.Class == MethodSafety.Idempotent || (header.Class == MethodSafety.Safe && !isReplaced) ? 1 : 0;
            }
        }

        CountEvictions(others, unsafes, now);
        byte[] buffer = log.DropHead();
        if (!IsOfNewcomers(number))
        {
            _logBytes -= buffer.Length;
            _unverifiedBytes -= IsUnverified(number) ? buffer.Length : 0;
        }

        if (buffer.Length == _segmentSize && _spareSegments.Count < MaxSpareSegments)
        {
            _spareSegments.Push(buffer);
        }
    }

    private sealed class EvictionWarning(long evictions) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) =>
            MessagingLog.UnsafeDuplicatesForgotten(shard.Environment.Logger, evictions, shard.Environment.Limits.Deduplication.Memory);
    }
}
