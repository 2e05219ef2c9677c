using System.Buffers;
using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// The budget: who is forgotten when, if everything cannot be kept.
internal sealed partial class DuplicateMemory
{
    private const int MaxSpareSegments = 4;
    private static readonly long s_warningPeriod = TimeSpan.FromMinutes(1).Ticks;
    private static readonly long s_trimPeriod = TimeSpan.FromSeconds(4).Ticks;

    private readonly Stack<byte[]> _spareSegments = new();
    private long _warnAt = long.MinValue;
    private long _unsafeEvictionsSinceWarning;

    // What may run again first, whoever sent it: otherwise a verified peer has POSTs of others run again by sending GETs.
    private static ReadOnlySpan<int> ForgottenFirst =>
        [UnverifiedSafe, VerifiedSafe, UnverifiedSafe + (int)MethodClass.Idempotent, VerifiedSafe + (int)MethodClass.Idempotent, UnverifiedUnsafe];

    // What is not forgotten for whatever comes, and the indexes.
    private long LastingBytes
    {
        get
        {
            long bytes = _logs[UnverifiedUnsafe].Bytes + _indexBytes + _reserved;
            for (int i = Protected; i < LogCount; i++)
            {
                bytes += _logs[i].Bytes;
            }

            return bytes;
        }
    }

    private long UnverifiedBytes => _logs[2].Bytes + _logs[3].Bytes + _logs[4].Bytes + _unverifiedIndexBytes;

    /// <summary>Gives a log another segment, if need be by forgetting others.</summary>
    private bool AddSegment(int number, int size, long now)
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
            while (number < VerifiedSafe && UnverifiedBytes + segmentSize > _unverifiedBudget && EvictFirst(UnverifiedSafe, VerifiedSafe, now))
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
            segmentSize == _segmentSize && _spareSegments.TryPop(out byte[]? spare) ? spare : GC.AllocateUninitializedArray<byte>(segmentSize));
        return true;
    }

    /// <summary>Sees to it that some bytes may be added to the budget, by forgetting what may be forgotten. Never a running exchange, and never a finished non-idempotent one of a verified peer within its lifetime.</summary>
    private bool MakeRoom(int needed, long now)
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

    private bool HasRoom(int needed) => _logBytes + _indexBytes + _reserved + needed <= _budget;

    /// <summary>Drops the segments at the old ends of the logs in which everything has expired.</summary>
    private void DropExpired(long now)
    {
        for (int i = Newcomers; i < LogCount; i++)
        {
            while (!_logs[i].IsEmpty && ReplyHeader.Clock.HasPassed(_logs[i].Head.LastExpiry, now))
            {
                DropHead(i, now);
            }
        }
    }

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
                left = FetchOwners(_logs[number], ref ahead) - 1;
            }

            RemoveFromIndex(in header, place);
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

    /// <summary>Makes room within the share of a peer: what expired goes, then the oldest of its own, but for non-idempotent ones of a verified peer.</summary>
    /// <returns>Whether there is room for some more bytes now.</returns>
    private bool TrimPeer(CoapChannel peer, int needed, long now)
    {
        if (now < peer.Messaging.TrimAt)
        {
            return false;
        }

        ulong[] entries = ArrayPool<ulong>.Shared.Rent(Math.Max(1, peer.Messaging.Index.Count));
        int count = 0;
        long bytes = 0;
        foreach (ulong entry in peer.Messaging.Index.Entries)
        {
            ulong place = MidTable.PlaceOf(entry);
            int number = ReplyLog.NumberOf(place);
            if (entry == 0 || (number > 0 && (!_logs[number].TryGet(place, out ReplyHeader header, out _) || ReplyHeader.Clock.HasPassed(header.Expiry, now))))
            {
                continue;
            }

            bytes += SizeAt(place);
            entries[count++] = entry;
        }

        // Sorted by place: running ones, then by log in the order in which they are given up, then by age.
        Array.Sort(entries, 0, count);
        long wanted = _peerBudget - (_peerBudget / 8) - peer.Messaging.Reserved - needed;
        int kept = 0;
        int lasting = 0;
        int others = 0;
        int unsafes = 0;
        for (int i = 0; i < count; i++)
        {
            ulong place = MidTable.PlaceOf(entries[i]);
            int number = ReplyLog.NumberOf(place);
            if (bytes > wanted && number is > 0 and < Protected && _logs[number].TryGet(place, out ReplyHeader header, out _))
            {
                bytes -= SizeAt(place);
                unsafes += header.Class == MethodClass.Unsafe ? 1 : 0;
                others += header.Class == MethodClass.Unsafe ? 0 : 1;
            }
            else
            {
                entries[kept++] = entries[i];
                lasting += Lasts(place) ? SizeAt(place) : 0;
            }
        }

        Rebuild(peer, entries.AsSpan(0, kept));
        ArrayPool<ulong>.Shared.Return(entries);
        peer.Messaging.Bytes = (int)bytes;
        peer.Messaging.Keep(lasting - peer.Messaging.Lasting);
        if (bytes > wanted)
        {
            // Counting again would not help before something expires.
            peer.Messaging.MakeExtras().TrimAt = now + s_trimPeriod;
        }

        CountEvictions(others, unsafes, now);
        return bytes + peer.Messaging.Reserved + needed <= _peerBudget;
    }

    // Whether the entry of a place counts for its source.
    private static bool Lasts(ulong place) => ReplyLog.NumberOf(place) is UnverifiedUnsafe or >= Protected;

    /// <summary>Whether the source of a peer stays within its share with some bytes more.</summary>
    private bool FitsShare(CoapChannel peer, int needed, bool isVerified, long now)
    {
        if (Fits())
        {
            return true;
        }

        DropExpired(now);
        return Fits();

        bool Fits() => isVerified
            ? _shares.Fits(peer, needed, _budget, LastingBytes)
            : _shares.Fits(peer, needed, _unverifiedBudget, _logs[UnverifiedUnsafe].Bytes + _unverifiedIndexBytes);
    }

    private int SizeAt(ulong place) =>
        ReplyLog.NumberOf(place) is > 0 and int number && _logs[number].TryGet(place, out ReplyHeader header, out _) ? ReplyHeader.EntrySize(header.Length) : 0;

    private void CountEvictions(int others, int unsafes, long now)
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
            _shard.AfterRelease(static state => ((DuplicateMemory)state!).Warn(), this);
        }
    }

    private void Warn()
    {
        long evictions;
        lock (_shard.Gate)
        {
            evictions = _unsafeEvictionsSinceWarning;
            _unsafeEvictionsSinceWarning = 0;
        }

        Log.UnsafeDuplicatesForgotten(_shard.Environment.Logger, evictions, _limits.DeduplicationBytes);
    }
}
