using System.Numerics;
using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// RFC 7252 section 4.5: which messages came before, and what was answered.
//
// Exchanges that run stand in the index of their peer. Finished ones lie as bytes in logs, one for each kind that is given up at another time, so that
// giving up means dropping the oldest segment. Each entry names its peer and Message ID, so that the index of the peer is told: entries that were stored
// one after another lie close together there, too, and an index never holds anything that is gone.

/// <summary>The messages that a shard's peers sent within their lifetime, with the replies. Bounded by bytes. Guarded by the shard's lock.</summary>
internal sealed partial class DuplicateMemory
{
    private const int Newcomers = 1;
    private const int UnverifiedSafe = 2;
    private const int UnverifiedUnsafe = UnverifiedSafe + (int)MethodClass.Unsafe;
    private const int VerifiedSafe = 5;

    // From here on nothing is given up before its time. One log for each range of lifetimes, so that a long one does not keep short ones behind it.
    private const int Protected = 7;
    private const int LogCount = 11;
    private static readonly long s_shortLifetime = TimeSpan.FromSeconds(512).Ticks;

    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly long _budget;
    private readonly long _unverifiedBudget;
    private readonly long _newcomerBudget;
    private readonly int _peerBudget;
    private readonly int _segmentSize;
    private readonly ReplyLog[] _logs = new ReplyLog[LogCount];
    private readonly SlotTable<CoapReception> _running = new();
    private readonly DuplicateShares _shares;
    private long _logBytes;
    private long _indexBytes;
    private long _unverifiedIndexBytes;
    private long _reserved;

    public DuplicateMemory(CoapShard shard, int shardCount)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        long budget = _limits.DeduplicationBytes / shardCount;
        _newcomerBudget = _limits.NewcomerBytes / 2 / shardCount; // the other half is for their channels
        _segmentSize = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(Math.Min(budget, _newcomerBudget) / 128, 1024, 64 * 1024));

        // Held back: the spare segments, two for what must be stored whatever is full, which is the reply of an exchange that was let in, and a little for
        // indexes that must grow for it.
        _budget = Math.Max(budget - ((MaxSpareSegments + 2) * _segmentSize) - (budget / 64), 2 * _segmentSize);
        _unverifiedBudget = (long)(_budget * _limits.UnverifiedDeduplicationShare);
        _peerBudget = (int)Math.Min(int.MaxValue / 2, _budget * _limits.PeerDeduplicationShare);
        _shares = new DuplicateShares(shard.Environment.Sources, _limits.SourceDeduplicationShare);
        for (int i = Newcomers; i < LogCount; i++)
        {
            _logs[i] = new ReplyLog(i);
        }

        _expiryTimer = new ExpiryTimer(this);
    }

    /// <summary>Exchanges that run in the shard.</summary>
    public int Running => _running.Count;

    /// <summary>Sources of which something is kept that must not run again.</summary>
    public int Sources => _shares.Count;

    /// <summary>Finished exchanges that are kept, with some whose lifetime is over.</summary>
    public int Finished
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

    /// <summary>The memory of logs and indexes, in bytes, without the log of newcomers.</summary>
    public long Bytes => _logBytes + _indexBytes + ((long)_spareSegments.Count * _segmentSize);

    /// <summary>The memory of the log of newcomers, in bytes.</summary>
    public long NewcomerBytes => _logs[Newcomers].Bytes;

    /// <summary>What is known of a Message ID of a peer.</summary>
    public Recall Find(CoapChannel peer, ushort messageId, long now, out CoapReception? running, out ReplyHeader header, out ReadOnlySpan<byte> reply)
    {
        running = null;
        header = default;
        reply = default;
        ulong place = peer.Messaging.Index.Find(messageId);
        if (place == 0)
        {
            return Recall.Unknown;
        }

        int number = ReplyLog.NumberOf(place);
        if (number == 0)
        {
            running = _running[place];
            return running is null ? Recall.Unknown : Recall.Running;
        }

        return _logs[number].TryGet(place, out header, out reply) && !ReplyHeader.Clock.HasPassed(header.Expiry, now) ? Recall.Finished : Recall.Unknown;
    }

    /// <summary>Whether an exchange may begin. If its reply would have to be kept but there is no room, it may not.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="class">The class of the request.</param>
    /// <param name="now">Now.</param>
    /// <param name="reserved">What was set aside for the reply; give it to <see cref="Begin"/>.</param>
    public bool TryAdmit(CoapChannel peer, MethodClass @class, long now, out int reserved)
    {
        reserved = 0;
        if (_running.Count >= _limits.MaxRequestsServed + RunningSlack)
        {
            return false;
        }

        if (@class != MethodClass.Unsafe || !peer.IsProtected)
        {
            return true;
        }

        int needed = ReplyHeader.EntrySize(Math.Min(peer.Parameters.MaxMessageSize, ushort.MaxValue));
        if ((long)peer.Messaging.Bytes + peer.Messaging.Reserved + needed > _peerBudget && !TrimPeer(peer, needed, now))
        {
            return false;
        }

        if (!FitsShare(peer, needed, isVerified: true, now) || !MakeRoom(needed, now))
        {
            return false;
        }

        reserved = needed;
        return true;
    }

    /// <summary>Puts an exchange that runs into the index of its peer, in the place of whatever had its Message ID.</summary>
    public void Begin(CoapChannel peer, CoapReception reception, int reserved, long now)
    {
        reception.Reserved = reserved;
        if (reserved > 0)
        {
            _shares.Join(peer);
            peer.Messaging.Reserve(reserved);
            _reserved += reserved;
        }

        peer.Messaging.Running++;
        reception.Place = _running.Add(reception);
        if (peer.Messaging.Index.IsFull)
        {
            GrowIndex(peer, now);
        }

        // Growing may have taken this very peer off the table.
        if (peer.Messaging.Number < 0)
        {
            Register(peer, now);
        }

        ulong before = peer.Messaging.Index.Find(reception.MessageId);
        peer.Messaging.Bytes -= SizeAt(before);
        if (Lasts(before))
        {
            peer.Messaging.Keep(-SizeAt(before));
        }

        peer.Messaging.Index.Set(reception.MessageId, reception.Place);
    }

    /// <summary>Ends an exchange and keeps what duplicates are answered with.</summary>
    public void End(CoapChannel peer, CoapReception reception, StoredReply kind, ReadOnlySpan<byte> reply, long now)
    {
        if (reception.Place == 0)
        {
            return;
        }

        // It stands in the index as a running one until its place in a log is known: making room may visit this very peer.
        ulong place = 0;
        ReleaseReserved(peer, reception);
        if (peer.Messaging.Index.Find(reception.MessageId) == reception.Place)
        {
            place = Store(peer, reception, kind, reply, now);
        }

        if (Release(peer, reception))
        {
            if (place != 0)
            {
                peer.Messaging.Index.Set(reception.MessageId, place);
            }
            else
            {
                Remove(peer, reception.MessageId);
            }
        }
    }

    /// <summary>Ends an exchange and forgets it: a duplicate would be a new one.</summary>
    public void Drop(CoapChannel peer, CoapReception reception)
    {
        if (Release(peer, reception))
        {
            Remove(peer, reception.MessageId);
        }
    }

    /// <summary>Whether something of a peer must still be remembered.</summary>
    public static bool Remembers(CoapChannel peer, long now) =>
        peer.Messaging.Running > 0 || (peer.Messaging.HasFinished && !ReplyHeader.Clock.HasPassed(peer.Messaging.LastExpiry, now));

    /// <summary>Forgets a peer.</summary>
    public void Forget(CoapChannel peer)
    {
        foreach (ulong entry in peer.Messaging.Index.Entries)
        {
            if (entry != 0 && ReplyLog.NumberOf(MidTable.PlaceOf(entry)) == 0 && _running[MidTable.PlaceOf(entry)] is { } reception)
            {
                _shard.Wheel.Cancel(reception);
                Release(peer, reception);
            }
        }

        Unregister(peer);
        _shares.Leave(peer);
    }

    internal static MethodClass ClassOf(CoapCode code) =>
        !code.IsRequest || code.IsSafe ? MethodClass.Safe : code.IsIdempotent ? MethodClass.Idempotent : MethodClass.Unsafe;

    private static int LogOf(CoapChannel channel, MethodClass @class, long lifetime)
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

    /// <summary>Takes an exchange from those that run.</summary>
    /// <returns>Whether its Message ID still stands for it in the index.</returns>
    private bool Release(CoapChannel peer, CoapReception reception)
    {
        ulong place = reception.Place;
        if (place == 0)
        {
            return false;
        }

        ReleaseReserved(peer, reception);
        reception.Place = 0;
        _running.Remove(place);
        peer.Messaging.Running--;
        return peer.Messaging.Index.Find(reception.MessageId) == place;
    }

    /// <summary>Takes a Message ID off the index of its peer. A peer without any is taken off the table, which may be all that still holds it.</summary>
    private void Remove(CoapChannel peer, ushort messageId)
    {
        peer.Messaging.Index.Remove(messageId);
        if (peer.Messaging.Index.Count == 0)
        {
            Unregister(peer);
        }
    }

    private void ReleaseReserved(CoapChannel peer, CoapReception reception)
    {
        if (reception.Reserved > 0)
        {
            peer.Messaging.Reserve(-reception.Reserved);
            _reserved -= reception.Reserved;
            reception.Reserved = 0;
        }
    }

    /// <summary>Appends a finished exchange to the log where it belongs.</summary>
    /// <returns>Its place; 0 when it is not kept.</returns>
    private ulong Store(CoapChannel peer, CoapReception reception, StoredReply kind, ReadOnlySpan<byte> reply, long now)
    {
        MethodClass @class = ClassOf(reception.Code);
        long lifetime = peer.Messaging.Times.LifetimeOf(reception.Type);
        if (reception.ReceivedAt + lifetime <= now || (@class == MethodClass.Safe && reply.Length > _limits.MaxStoredSafeReply) || reply.Length > ushort.MaxValue)
        {
            return 0;
        }

        int size = ReplyHeader.EntrySize(reply.Length);
        int number = LogOf(peer, @class, lifetime);
        if ((long)peer.Messaging.Bytes + size > _peerBudget && number < Protected && !TrimPeer(peer, size, now))
        {
            return 0;
        }

        if (number == UnverifiedUnsafe && !FitsShare(peer, size, isVerified: false, now))
        {
            // Its own duplicates run again, and not those of others.
            CountEvictions(others: 0, unsafes: 1, now);
            return 0;
        }

        ReplyLog log = _logs[number];
        if (!log.Fits(size) && !AddSegment(number, size, now))
        {
            return 0;
        }

        ReplyHeader header = new()
        {
            Expiry = ReplyHeader.Clock.After(reception.ReceivedAt + lifetime),
            Hash = reception.Hash,
            Length = (ushort)reply.Length,
            Reply = kind,
            Class = @class,
            Owner = peer.Messaging.Number,
            MessageId = reception.MessageId,
        };
        peer.Messaging.Bytes += size;
        if (number is UnverifiedUnsafe or >= Protected)
        {
            _shares.Join(peer);
            peer.Messaging.Keep(size);
        }

        peer.Messaging.LastExpiry = peer.Messaging.HasFinished ? ReplyHeader.Clock.Later(peer.Messaging.LastExpiry, header.Expiry) : header.Expiry;
        peer.Messaging.HasFinished = true;
        return log.Append(header, reply);
    }
}
