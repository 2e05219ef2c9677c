using System.Buffers;

namespace CoAP.NET.Messaging;

// RFC 7252 section 4.5: remembers received messages and their answers. Running exchanges are in the index of their peer. Finished ones are
// bytes in logs. Each kind with its own time of eviction has its own log, so eviction drops the oldest segment. Each entry names its peer
// and Message ID, so eviction can update the index. Neighbouring entries in a log are neighbours in the index too, and an index never
// refers to an evicted entry.

/// <summary>
/// Remembers the messages of a shard's peers for their lifetime, with the replies. Bounded by bytes. Guarded by the shard's lock.
/// </summary>
internal sealed class DuplicateMemory
{
    // Exchanges beyond the limit of served requests: responses on their way, and requests that are about to get 5.03.
    private const int RunningSlack = 1024;
    private static readonly long s_trimPeriod = TimeSpan.FromSeconds(4).Ticks;
    private static readonly long s_expiryPeriod = TimeSpan.FromSeconds(15).Ticks;

    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly DuplicateShares _shares;
    private readonly DuplicateIndexes _indexes;
    private readonly DuplicateLogs _logs;
    private readonly ExpiryTimer _expiryTimer;
    private readonly SlotTable<CoapReception> _running = new();

    public DuplicateMemory(CoapShard shard, int shardCount)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _shares = new DuplicateShares(shard.Environment.Sources, _limits.SourceDeduplicationShare);
        _indexes = new DuplicateIndexes(_shares);
        _logs = new DuplicateLogs(shard, _indexes, _shares, shardCount);
        _expiryTimer = new ExpiryTimer(this);
    }

    /// <summary>The number of running exchanges in the shard.</summary>
    public int Running => _running.Count;

    /// <summary>Returns the running exchanges as a new list.</summary>
    public List<CoapReception> AllRunning() => _running.All();

    /// <summary>The number of sources with entries that must not be processed again.</summary>
    public int Sources => _shares.Count;

    /// <summary>The number of kept finished exchanges, including some expired ones.</summary>
    public int Finished => _logs.Entries;

    /// <summary>The number of peers with entries in their index.</summary>
    public int Peers => _indexes.Peers;

    /// <summary>The memory of logs and indexes in bytes, without the log of newcomers.</summary>
    public long Bytes => _logs.Bytes + _indexes.Bytes;

    /// <summary>The memory of the log of newcomers in bytes.</summary>
    public long NewcomerBytes => _logs.NewcomerBytes;

    /// <summary>Looks up a Message ID of a peer.</summary>
    public Recall Find(CoapChannel peer, ushort messageId, long now, out CoapReception? running, out ReplyHeader header,
        out ReadOnlySpan<byte> reply)
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

        return _logs[number].TryGet(place, out header, out reply) && !ReplyHeader.Clock.HasPassed(header.Expiry, now)
            ? Recall.Finished
            : Recall.Unknown;
    }

    /// <summary>Whether an exchange may begin. Refuses it if its reply must be kept and there is no room.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="class">The class of the request.</param>
    /// <param name="now">The current time.</param>
    /// <param name="reserved">The bytes reserved for the reply; pass them to <see cref="Begin"/>.</param>
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

        int needed = DuplicateLogs.LargestEntryOf(peer);
        if (!_logs.FitsPeer(peer, (long)peer.Messaging.Bytes + peer.Messaging.Reserved + needed) && !TrimPeer(peer, needed, now))
        {
            return false;
        }

        if (!_logs.FitsShare(peer, needed, isVerified: true, now) || !_logs.MakeRoom(needed, now))
        {
            return false;
        }

        reserved = needed;
        return true;
    }

    /// <summary>Adds a running exchange to the index of its peer and replaces an older entry with its Message ID.</summary>
    public void Begin(CoapChannel peer, CoapReception reception, int reserved, long now)
    {
        reception.Reserved = reserved;
        if (reserved > 0)
        {
            _shares.Join(peer);
            peer.Messaging.Reserve(reserved);
            _logs.Reserved += reserved;
        }

        peer.Messaging.Running++;
        reception.Place = _running.Add(reception);
        if (peer.Messaging.Index.IsFull)
        {
            GrowIndex(peer, now);
        }

        // Growing may have removed this peer from the table.
        if (peer.Messaging.Number < 0)
        {
            _indexes.Register(peer);
            if (!_expiryTimer.IsScheduled)
            {
                _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
            }
        }

        ulong before = peer.Messaging.Index.Find(reception.MessageId);
        peer.Messaging.Bytes -= _logs.SizeAt(before);
        if (DuplicateLogs.Lasts(before))
        {
            peer.Messaging.Keep(-_logs.SizeAt(before));
        }

        peer.Messaging.Index.Set(reception.MessageId, reception.Place);
    }

    /// <summary>Ends an exchange and keeps the answer for duplicates.</summary>
    public void End(CoapChannel peer, CoapReception reception, StoredReply kind, ReadOnlySpan<byte> reply, long now)
    {
        if (reception.Place == 0)
        {
            return;
        }

        // It stays in the index as running until its place in a log is known, because making room may visit this peer.
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

    /// <summary>Ends an exchange and forgets it: a duplicate counts as a new message.</summary>
    public void Drop(CoapChannel peer, CoapReception reception)
    {
        if (Release(peer, reception))
        {
            Remove(peer, reception.MessageId);
        }
    }

    /// <summary>Lists the messages of a peer whose copies must not be processed, including running exchanges.</summary>
    public List<SeenMessage> SeenOf(CoapChannel peer, long now)
    {
        List<SeenMessage> seen = [];
        foreach (ulong entry in peer.Messaging.Index.Entries)
        {
            ulong place = MidTable.PlaceOf(entry);
            if (ReplyLog.NumberOf(place) is var number and > 0)
            {
                if (_logs[number].TryGet(place, out ReplyHeader header, out ReadOnlySpan<byte> reply) && header.Class != MethodClass.Safe
                    && ReplyHeader.Clock.Left(header.Expiry, now) is var left and > 0)
                {
                    seen.Add(new SeenMessage(header.MessageId, header.Class, header.Reply, left, reply.ToArray()));
                }
            }
            else if (entry != 0 && _running[place] is { } running && ClassOf(running.Code) == MethodClass.Unsafe)
            {
                // The exchange may have taken effect, although its answer will not be kept.
                seen.Add(new SeenMessage(running.MessageId, MethodClass.Unsafe,
                    running.Type == CoapMessageType.Confirmable ? StoredReply.EmptyAcknowledgement : StoredReply.Silence,
                    running.ReceivedAt + peer.Messaging.Times.LifetimeOf(running.Type) - now, []));
            }
        }

        return seen;
    }

    /// <summary>Imports an entry that <see cref="SeenOf"/> exported in another process.</summary>
    public void Restore(CoapChannel peer, in SeenMessage seen, long now)
    {
        if (!TryAdmit(peer, seen.Class, now, out int reserved))
        {
            _logs.CountEvictions(others: 0, unsafes: 1, now);
            return;
        }

        long lifetime = peer.Messaging.Times.LifetimeOf(CoapMessageType.Confirmable);
        CoapReception reception = new(peer, CoapMessageType.Confirmable, seen.MessageId)
        {
            Code = seen.Class == MethodClass.Unsafe ? CoapCode.Post : CoapCode.Put,
            Hash = ReplyHeader.AnyHash,
            ReceivedAt = now + Math.Min(seen.Left, lifetime) - lifetime,
        };
        Begin(peer, reception, reserved, now);
        reception.State = CoapReceptionState.Replied;
        End(peer, reception, seen.Kind, seen.Reply, now);
    }

    /// <summary>Whether the endpoint must still remember messages of a peer.</summary>
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

        _indexes.Unregister(peer);
        _shares.Leave(peer);
    }

    internal static MethodClass ClassOf(CoapCode code) =>
        !code.IsRequest || code.IsSafe ? MethodClass.Safe : code.IsIdempotent ? MethodClass.Idempotent : MethodClass.Unsafe;

    /// <summary>Removes an exchange from the running ones.</summary>
    /// <returns>Whether its Message ID still refers to it in the index.</returns>
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
        if (peer.Messaging.Retirement is { } retirement)
        {
            _shard.AfterRelease(retirement);
        }

        return peer.Messaging.Index.Find(reception.MessageId) == place;
    }

    /// <summary>
    /// Removes a Message ID from the index of its peer. A peer without any leaves the table, which may hold the last reference to it.
    /// </summary>
    private void Remove(CoapChannel peer, ushort messageId)
    {
        peer.Messaging.Index.Remove(messageId);
        if (peer.Messaging.Index.Count == 0)
        {
            _indexes.Unregister(peer);
        }
    }

    private void ReleaseReserved(CoapChannel peer, CoapReception reception)
    {
        if (reception.Reserved > 0)
        {
            peer.Messaging.Reserve(-reception.Reserved);
            _logs.Reserved -= reception.Reserved;
            reception.Reserved = 0;
        }
    }

    /// <summary>Appends a finished exchange to its log.</summary>
    /// <returns>The place of the entry; 0 when it is not kept.</returns>
    private ulong Store(CoapChannel peer, CoapReception reception, StoredReply kind, ReadOnlySpan<byte> reply, long now)
    {
        MethodClass @class = ClassOf(reception.Code);
        long lifetime = peer.Messaging.Times.LifetimeOf(reception.Type);
        if (reception.ReceivedAt + lifetime <= now || (@class == MethodClass.Safe && reply.Length > _limits.MaxStoredSafeReply)
            || reply.Length > ushort.MaxValue)
        {
            return 0;
        }

        int size = ReplyHeader.EntrySize(reply.Length);
        int number = DuplicateLogs.LogOf(peer, @class, lifetime);
        if (!HasPlace(peer, number, size, now))
        {
            // Its own duplicates are processed again, and not those of others.
            bool isUnsafe = @class == MethodClass.Unsafe;
            _logs.CountEvictions(others: isUnsafe ? 0 : 1, unsafes: isUnsafe ? 1 : 0, now);
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
        if (number is DuplicateLogs.UnverifiedUnsafe or >= DuplicateLogs.Protected)
        {
            _shares.Join(peer);
            peer.Messaging.Keep(size);
        }

        peer.Messaging.LastExpiry = peer.Messaging.HasFinished
            ? ReplyHeader.Clock.Later(peer.Messaging.LastExpiry, header.Expiry)
            : header.Expiry;
        peer.Messaging.HasFinished = true;
        return _logs[number].Append(header, reply);
    }

    /// <summary>
    /// Makes room for an entry in a log by evicting others. Returns true when there is room within the shares of peer and source.
    /// </summary>
    private bool HasPlace(CoapChannel peer, int number, int size, long now) =>
        (_logs.FitsPeer(peer, (long)peer.Messaging.Bytes + size) || number >= DuplicateLogs.Protected || TrimPeer(peer, size, now))
            && (number != DuplicateLogs.UnverifiedUnsafe || _logs.FitsShare(peer, size, isVerified: false, now))
            && (_logs[number].Fits(size) || _logs.AddSegment(number, size, now));

    private void GrowIndex(CoapChannel peer, long now)
    {
        // Others make room for it. If they cannot, the index grows nevertheless: a running exchange is always in the index.
        _logs.MakeRoom(peer.Messaging.Index.GrowthBytes, now);
        if (peer.Messaging.Index.IsFull)
        {
            _indexes.Grow(peer);
        }
    }

    /// <summary>
    /// Makes room within the share of a peer: evicts expired entries, then the oldest of the peer, but no non-idempotent ones of a verified
    /// peer.
    /// </summary>
    /// <returns>True when there is room for the additional bytes.</returns>
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
            if (entry == 0 || (number > 0
                && (!_logs[number].TryGet(place, out ReplyHeader header, out _) || ReplyHeader.Clock.HasPassed(header.Expiry, now))))
            {
                continue;
            }

            bytes += _logs.SizeAt(place);
            entries[count++] = entry;
        }

        // Sorted by place: running ones, then by log in the order of eviction, then by age.
        Array.Sort(entries, 0, count);
        int budget = _logs.BudgetOf(peer);
        long wanted = Math.Max(0, budget - (budget / 8) - peer.Messaging.Reserved - needed);
        int kept = 0;
        int lasting = 0;
        int others = 0;
        int unsafes = 0;
        for (int i = 0; i < count; i++)
        {
            ulong place = MidTable.PlaceOf(entries[i]);
            int number = ReplyLog.NumberOf(place);
            if (bytes > wanted && number is > 0 and < DuplicateLogs.Protected && _logs[number].TryGet(place, out ReplyHeader header, out _))
            {
                bytes -= _logs.SizeAt(place);
                unsafes += header.Class == MethodClass.Unsafe ? 1 : 0;
                others += header.Class == MethodClass.Unsafe ? 0 : 1;
            }
            else
            {
                entries[kept++] = entries[i];
                lasting += DuplicateLogs.Lasts(place) ? _logs.SizeAt(place) : 0;
            }
        }

        _indexes.Rebuild(peer, entries.AsSpan(0, kept));
        ArrayPool<ulong>.Shared.Return(entries);
        peer.Messaging.Bytes = (int)bytes;
        peer.Messaging.Keep(lasting - peer.Messaging.Lasting);
        bool fits = bytes + peer.Messaging.Reserved + needed <= budget;
        if (bytes > wanted || !fits)
        {
            // Another attempt is useless until something expires.
            peer.Messaging.MakeExtras().TrimAt = now + s_trimPeriod;
        }

        _logs.CountEvictions(others, unsafes, now);
        return fits;
    }

    private void OnExpiry(long now)
    {
        _logs.DropExpired(now);
        _logs.DropSpares();

        // Peers may be forgotten before their entries; this timer then drops the entries.
        if (_indexes.Peers > 0 || Finished > 0)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private sealed class ExpiryTimer(DuplicateMemory memory) : WheelTimer
    {
        internal override void Fire(long now) => memory.OnExpiry(now);
    }
}
