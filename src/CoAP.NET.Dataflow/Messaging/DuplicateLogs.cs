using System.Numerics;

namespace CoAP.NET.Messaging;

/// <summary>
/// Keeps the finished exchanges of a shard, with their replies, as bytes in logs, and enforces the memory budget. Guarded by the shard's
/// lock.
/// </summary>
/// <remarks>
/// Each kind of entry with its own time of eviction has its own log, so eviction drops the oldest segment. When the budget is full, this
/// class decides which entries go first.
/// </remarks>
internal sealed class DuplicateLogs
{
    private const int Newcomers = 1;
    private const int UnverifiedSafe = 2;
    private const int VerifiedSafe = 5;

    // One log for each range of lifetimes, so a long lifetime does not keep short ones behind it.
    private const int LogCount = 11;
    private const int MaxSpareSegments = 4;

    // With less memory a shard could not keep one whole message of several peers.
    private const int LeastBytes = 16 * 1024;
    private static readonly long s_shortLifetime = TimeSpan.FromSeconds(512).Ticks;
    private static readonly long s_warningPeriod = TimeSpan.FromMinutes(1).Ticks;

    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly DuplicateIndexes _indexes;
    private readonly DuplicateShares _shares;
    private readonly long _budget;
    private readonly long _unverifiedBudget;
    private readonly long _newcomerBudget;
    private readonly int _peerBudget;
    private readonly int _segmentSize;
    private readonly int _safePerPeer;
    private readonly ReplyLog[] _logs = new ReplyLog[LogCount];
    private readonly Stack<byte[]> _spareSegments = new();
    private long _logBytes;
    private long _warnAt = long.MinValue;
    private long _unsafeEvictionsSinceWarning;

    public DuplicateLogs(CoapShard shard, DuplicateIndexes indexes, DuplicateShares shares, int shardCount)
    {
        _shard = shard;
        CoapLimits limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _indexes = indexes;
        _shares = shares;
        long budget = Math.Max(LeastBytes, limits.DeduplicationBytes / shardCount);
        _newcomerBudget = limits.NewcomerBytes / 2 / shardCount; // the channels of newcomers get the other half
        _segmentSize = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(Math.Min(budget, _newcomerBudget) / 128, 1024, 64 * 1024));

        // Held back: the spare segments, two segments for the replies of admitted exchanges, which must be stored in any case, and a little
        // for the growth of their indexes.
        _budget = Math.Max(budget - ((MaxSpareSegments + 2) * _segmentSize) - (budget / 64), 2 * _segmentSize);
        _unverifiedBudget = (long)(_budget * limits.UnverifiedDeduplicationShare);
        _safePerPeer = limits.SafeExchangesPerPeer;
        _peerBudget = (int)Math.Min(int.MaxValue / 2, _budget * limits.PeerDeduplicationShare);
        for (int i = Newcomers; i < LogCount; i++)
        {
            _logs[i] = new ReplyLog(i);
        }
    }

    /// <summary>The log of entries from unverified peers that must not be processed again.</summary>
    public const int UnverifiedUnsafe = UnverifiedSafe + (int)MethodClass.Unsafe;

    /// <summary>From this log on, entries are never evicted before their time.</summary>
    public const int Protected = 7;

    /// <summary>The bytes reserved for the replies of running exchanges.</summary>
    public long Reserved { get; set; }

    /// <summary>The number of kept exchanges, including some expired ones.</summary>
    public int Entries
    {
        get
        {
            int entries = 0;
            for (int i = Newcomers; i < LogCount; i++)
            {
                entries += _logs[i].Entries;
            }

            return entries;
        }
    }

    /// <summary>The memory of logs and spare segments in bytes, without the log of newcomers.</summary>
    public long Bytes => _logBytes + ((long)_spareSegments.Count * _segmentSize);

    /// <summary>The memory of the log of newcomers in bytes.</summary>
    public long NewcomerBytes => _logs[Newcomers].Bytes;

    public ReplyLog this[int number] => _logs[number];

    // Idempotent entries go first, for all senders. Otherwise a verified peer could force repeated POSTs of others by sending GETs.
    private static ReadOnlySpan<int> ForgottenFirst =>
        [UnverifiedSafe, VerifiedSafe, UnverifiedSafe + (int)MethodClass.Idempotent, VerifiedSafe + (int)MethodClass.Idempotent,
            UnverifiedUnsafe];

    // The bytes of entries that are never evicted early, and of the indexes.
    private long LastingBytes
    {
        get
        {
            long bytes = _logs[UnverifiedUnsafe].Bytes + _indexes.Bytes + Reserved;
            for (int i = Protected; i < LogCount; i++)
            {
                bytes += _logs[i].Bytes;
            }

            return bytes;
        }
    }

    private long UnverifiedBytes => _logs[2].Bytes + _logs[3].Bytes + _logs[4].Bytes + _indexes.UnverifiedBytes;

    /// <summary>Selects the log for the reply of a peer.</summary>
    public static int LogOf(CoapChannel channel, MethodClass @class, long lifetime)
    {
        if (!channel.IsProtected)
        {
            return channel.IsNewcomer ? Newcomers : UnverifiedSafe + (int)@class;
        }

        if (@class != MethodClass.Unsafe)
        {
            return VerifiedSafe + (int)@class;
        }

        int number = Protected;
        while (number < LogCount - 1 && lifetime > s_shortLifetime << (2 * (number - Protected)))
        {
            number++;
        }

        return number;
    }

    /// <summary>The share of one peer in bytes; at least one reply, however small the memory is.</summary>
    public int BudgetOf(CoapChannel peer) => Math.Max(_peerBudget, LargestEntryOf(peer));

    /// <summary>Whether a total number of bytes is within the share of a peer.</summary>
    public bool FitsPeer(CoapChannel peer, long bytes) => bytes <= _peerBudget || bytes <= LargestEntryOf(peer);

    /// <summary>Adds a segment to a log, evicting other entries if necessary.</summary>
    public bool AddSegment(int number, int size, long now)
    {
        int segmentSize = Math.Max(_segmentSize, size);
        DropExpired(now);
        if (number is Newcomers or UnverifiedSafe or VerifiedSafe && TryReuseHead(_logs[number], size, now))
        {
            return true;
        }

        if (number == Newcomers)
        {
            // Newcomers replace only newcomers.
            while (!_logs[Newcomers].IsEmpty && _logs[Newcomers].Bytes + segmentSize > _newcomerBudget)
            {
                DropHead(Newcomers, now);
            }
        }
        else
        {
            while (number < VerifiedSafe && UnverifiedBytes + segmentSize > _unverifiedBudget
                && EvictFirst(UnverifiedSafe, VerifiedSafe, now))
            {
            }

            // The reply of an admitted exchange has reserved room, except for the rounding to segments.
            if (!MakeRoom(segmentSize, now) && number < Protected)
            {
                return false;
            }

            _logBytes += segmentSize;
        }

        _logs[number].AddSegment(
            segmentSize == _segmentSize && _spareSegments.TryPop(out byte[]? spare)
                ? spare
                : GC.AllocateUninitializedArray<byte>(segmentSize));
        return true;
    }

    /// <summary>
    /// Makes room in the budget by evicting entries. Never evicts a running exchange, or a finished non-idempotent one of a verified peer
    /// within its lifetime.
    /// </summary>
    public bool MakeRoom(int needed, long now)
    {
        if (HasRoom(needed))
        {
            return true;
        }

        DropExpired(now);
        foreach (int number in ForgottenFirst)
        {
            while (!_logs[number].IsEmpty && !HasRoom(needed))
            {
                DropHead(number, now);
            }
        }

        return HasRoom(needed);
    }

    /// <summary>Drops the oldest segments of all logs whose entries have all expired.</summary>
    public void DropExpired(long now)
    {
        for (int i = Newcomers; i < LogCount; i++)
        {
            while (!_logs[i].IsEmpty && ReplyHeader.Clock.HasPassed(_logs[i].Head.LastExpiry, now))
            {
                DropHead(i, now);
            }
        }
    }

    /// <summary>Returns the size of a finished exchange in bytes; 0 for a running or evicted one.</summary>
    public int SizeAt(ulong place) =>
        ReplyLog.NumberOf(place) is > 0 and int number && _logs[number].TryGet(place, out ReplyHeader header, out _)
            ? ReplyHeader.EntrySize(header.Length)
            : 0;

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

    /// <summary>Whether an entry counts against the share of its source.</summary>
    public static bool Lasts(ulong place) => ReplyLog.NumberOf(place) is UnverifiedUnsafe or >= Protected;

    /// <summary>Whether additional bytes are within the share of the peer's source.</summary>
    public bool FitsShare(CoapChannel peer, int needed, bool isVerified, long now)
    {
        if (Fits())
        {
            return true;
        }

        DropExpired(now);
        return Fits();

        bool Fits() => isVerified
            ? _shares.Fits(peer, needed, _budget, LastingBytes, LargestEntryOf(peer))
            : _shares.Fits(peer, needed, _unverifiedBudget, _logs[UnverifiedUnsafe].Bytes + _indexes.UnverifiedBytes, LargestEntryOf(peer));
    }

    /// <summary>Returns the bytes of the largest possible reply to a peer.</summary>
    public static int LargestEntryOf(CoapChannel peer) => ReplyHeader.EntrySize(Math.Min(peer.Parameters.MaxMessageSize, ushort.MaxValue));

    private bool HasRoom(int needed) => _logBytes + _indexes.Bytes + Reserved + needed <= _budget;

    /// <summary>Drops the oldest segment of a log, updates the indexes, and counts unexpired entries.</summary>
    private void DropHead(int number, long now)
    {
        int others = 0;
        int unsafes = 0;
        HeadReader reader = new(_logs[number], _indexes);
        while (reader.TryRead(out ReplyHeader header, out ulong place))
        {
            _indexes.Remove(in header, place);
            if (!ReplyHeader.Clock.HasPassed(header.Expiry, now))
            {
                unsafes += header.Class == MethodClass.Unsafe ? 1 : 0;
                others += header.Class == MethodClass.Unsafe ? 0 : 1;
            }
        }

        CountEvictions(others, unsafes, now);
        byte[] buffer = _logs[number].DropHead();
        if (number != Newcomers)
        {
            _logBytes -= buffer.Length;
        }

        if (buffer.Length == _segmentSize && _spareSegments.Count < MaxSpareSegments)
        {
            _spareSegments.Push(buffer);
        }
    }

    /// <summary>
    /// Forgets safe exchanges in the oldest segment whose peers have enough others, moves the rest to the end, and reuses the segment.
    /// Under load the log then stays so small that the caches of the processor hold it.
    /// </summary>
    /// <returns>Whether the log now has room for an entry.</returns>
    private bool TryReuseHead(ReplyLog log, int size, long now)
    {
        if (!log.IsHeadWorthReading || log.Head.Buffer.Length != _segmentSize)
        {
            return false;
        }

        int lasting = 0;
        HeadReader reader = new(log, _indexes);
        while (reader.TryRead(out ReplyHeader header, out ulong place))
        {
            if (_indexes.OwnerOf(in header, place) is not { } owner)
            {
                continue;
            }

            if ((header.Class == MethodClass.Safe && owner.Messaging.Index.Count > _safePerPeer)
                || ReplyHeader.Clock.HasPassed(header.Expiry, now))
            {
                _indexes.Remove(in header, place);
            }
            else
            {
                lasting += ReplyHeader.EntrySize(header.Length);
            }
        }

        // Moving must pay: at least half of the segment is free afterwards.
        if (lasting > _segmentSize / 2 || lasting + size > _segmentSize)
        {
            log.PostponeHead();
            return false;
        }

        int idempotents = 0;
        int unsafes = 0;
        ReplyLog.Moved moved = log.MoveHeadToTail();
        while (moved.TryRead(out ReplyHeader header, out ulong place, out ReadOnlySpan<byte> reply))
        {
            if (_indexes.OwnerOf(in header, place) is { } owner)
            {
                // Written below the read position of the same buffer.
                owner.Messaging.Index.Set(header.MessageId, log.Append(in header, reply));
            }
            else if (header.Class != MethodClass.Safe && !ReplyHeader.Clock.HasPassed(header.Expiry, now))
            {
                // It went with its peer, a newcomer.
                idempotents += header.Class == MethodClass.Idempotent ? 1 : 0;
                unsafes += header.Class == MethodClass.Unsafe ? 1 : 0;
            }
        }

        CountEvictions(idempotents, unsafes, now);
        return true;
    }

    /// <summary>Drops the oldest segment of the first log in a range that has one.</summary>
    private bool EvictFirst(int from, int end, long now)
    {
        for (int i = from; i < end; i++)
        {
            if (!_logs[i].IsEmpty)
            {
                DropHead(i, now);
                return true;
            }
        }

        return false;
    }

    /// <summary>Frees the memory of unused segments.</summary>
    public void DropSpares() => _spareSegments.Clear();

    /// <summary>Reads the entries of the oldest segment of a log, and prefetches their peers.</summary>
    private struct HeadReader(ReplyLog log, DuplicateIndexes indexes)
    {
        private int _offset;
        private int _ahead;
        private int _left;

        public bool TryRead(out ReplyHeader header, out ulong place)
        {
            if (!log.TryReadHead(ref _offset, out header, out place))
            {
                return false;
            }

            if (_left-- == 0)
            {
                _left = indexes.FetchOwners(log, ref _ahead) - 1;
            }

            return true;
        }
    }

    private sealed class EvictionWarning(long evictions) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) =>
            MessagingLog.UnsafeDuplicatesForgotten(shard.Environment.Logger, evictions, shard.Environment.Limits.DeduplicationBytes);
    }
}
