using System.Numerics;

namespace CoAP.NET.Messaging;

/// <summary>
/// The finished exchanges of a shard, with their replies, as bytes in logs: one for each kind that is given up at another time, so that
/// giving up means dropping the oldest segment. Also the budget: who is forgotten when, if everything cannot be kept. Guarded by the
/// shard's lock.
/// </summary>
internal sealed class DuplicateLogs
{
    private const int Newcomers = 1;
    private const int UnverifiedSafe = 2;
    private const int VerifiedSafe = 5;

    // One log for each range of lifetimes, so that a long one does not keep short ones behind it.
    private const int LogCount = 11;
    private const int MaxSpareSegments = 4;

    // With less than this a shard could not keep one whole message of several peers.
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
        _newcomerBudget = limits.NewcomerBytes / 2 / shardCount; // the other half is for their channels
        _segmentSize = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(Math.Min(budget, _newcomerBudget) / 128, 1024, 64 * 1024));

        // Held back: the spare segments, two for what must be stored whatever is full, which is the reply of an exchange that was let in,
        // and a little for indexes that must grow for it.
        _budget = Math.Max(budget - ((MaxSpareSegments + 2) * _segmentSize) - (budget / 64), 2 * _segmentSize);
        _unverifiedBudget = (long)(_budget * limits.UnverifiedDeduplicationShare);
        _peerBudget = (int)Math.Min(int.MaxValue / 2, _budget * limits.PeerDeduplicationShare);
        for (int i = Newcomers; i < LogCount; i++)
        {
            _logs[i] = new ReplyLog(i);
        }
    }

    /// <summary>The log of what must not run again, of peers that nobody verified.</summary>
    public const int UnverifiedUnsafe = UnverifiedSafe + (int)MethodClass.Unsafe;

    /// <summary>From this log on nothing is given up before its time.</summary>
    public const int Protected = 7;

    /// <summary>What is set aside for the replies of exchanges that run, in bytes.</summary>
    public long Reserved { get; set; }

    /// <summary>Exchanges that are kept, with some whose lifetime is over.</summary>
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

    /// <summary>The memory of logs and spare segments, in bytes, without the log of newcomers.</summary>
    public long Bytes => _logBytes + ((long)_spareSegments.Count * _segmentSize);

    /// <summary>The memory of the log of newcomers, in bytes.</summary>
    public long NewcomerBytes => _logs[Newcomers].Bytes;

    public ReplyLog this[int number] => _logs[number];

    // What may run again first, whoever sent it: otherwise a verified peer has POSTs of others run again by sending GETs.
    private static ReadOnlySpan<int> ForgottenFirst =>
        [UnverifiedSafe, VerifiedSafe, UnverifiedSafe + (int)MethodClass.Idempotent, VerifiedSafe + (int)MethodClass.Idempotent,
            UnverifiedUnsafe];

    // What is not forgotten for whatever comes, and the indexes.
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

    /// <summary>Which log the reply of a peer goes to.</summary>
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

    /// <summary>The share of one peer, in bytes: one reply at least, however small the memory is.</summary>
    public int BudgetOf(CoapChannel peer) => Math.Max(_peerBudget, LargestEntryOf(peer));

    /// <summary>Whether a peer stays within its share with some bytes in all.</summary>
    public bool FitsPeer(CoapChannel peer, long bytes) => bytes <= _peerBudget || bytes <= LargestEntryOf(peer);

    /// <summary>Gives a log another segment, if need be by forgetting others.</summary>
    public bool AddSegment(int number, int size, long now)
    {
        int segmentSize = Math.Max(_segmentSize, size);
        DropExpired(now);
        if (number == Newcomers)
        {
            // Newcomers replace newcomers, nobody else.
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

            // The reply of an exchange that was let in has its room, but for the rounding to segments.
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
    /// Sees to it that some bytes may be added to the budget, by forgetting what may be forgotten. Never a running exchange, and never a
    /// finished non-idempotent one of a verified peer within its lifetime.
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

    /// <summary>Drops the segments at the old ends of the logs in which everything has expired.</summary>
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

    /// <summary>The bytes of a finished exchange; 0 for one that runs or is gone.</summary>
    public int SizeAt(ulong place) =>
        ReplyLog.NumberOf(place) is > 0 and int number && _logs[number].TryGet(place, out ReplyHeader header, out _)
            ? ReplyHeader.EntrySize(header.Length)
            : 0;

    /// <summary>Counts what was forgotten before its time.</summary>
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

    /// <summary>Whether the entry of a place counts for its source.</summary>
    public static bool Lasts(ulong place) => ReplyLog.NumberOf(place) is UnverifiedUnsafe or >= Protected;

    /// <summary>Whether the source of a peer stays within its share with some bytes more.</summary>
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

    /// <summary>What the largest reply to a peer takes, in bytes.</summary>
    public static int LargestEntryOf(CoapChannel peer) => ReplyHeader.EntrySize(Math.Min(peer.Parameters.MaxMessageSize, ushort.MaxValue));

    private bool HasRoom(int needed) => _logBytes + _indexes.Bytes + Reserved + needed <= _budget;

    /// <summary>Forgets the oldest segment of a log, tells the indexes, and counts what had not expired.</summary>
    private void DropHead(int number, long now)
    {
        int offset = 0;
        int ahead = 0;
        int left = 0;
        int others = 0;
        int unsafes = 0;
        while (_logs[number].TryReadHead(ref offset, out ReplyHeader header, out ulong place))
        {
            if (left-- == 0)
            {
                left = _indexes.FetchOwners(_logs[number], ref ahead) - 1;
            }

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

    /// <summary>Forgets the oldest segment of the first of some logs that has one.</summary>
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

    /// <summary>Gives back the memory of segments that nobody needs now.</summary>
    public void DropSpares() => _spareSegments.Clear();

    private sealed class EvictionWarning(long evictions) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) =>
            Log.UnsafeDuplicatesForgotten(shard.Environment.Logger, evictions, shard.Environment.Limits.DeduplicationBytes);
    }
}
