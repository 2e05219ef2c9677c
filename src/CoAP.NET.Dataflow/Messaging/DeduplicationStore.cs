namespace CoAP.NET.Messaging;

// RFC 7252 section 4.5: remembers received messages and their answers. Running exchanges are objects, finished ones are bytes in logs.

/// <summary>
/// Remembers the messages of a shard's peers for their lifetime, with the replies. Bounded by bytes. Guarded by the shard's lock.
/// </summary>
internal sealed class DeduplicationStore
{
    // Exchanges beyond the limit of served requests: responses on their way, and requests that are about to get 5.03.
    private const int RunningSlack = 1024;
    private static readonly long s_expiryPeriod = TimeSpan.FromSeconds(15).Ticks;

    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly DeduplicationTable _logs;
    private readonly ExpiryTimer _expiryTimer;
    private readonly Dictionary<ulong, RunningExchange> _running = [];

    public DeduplicationStore(CoapShard shard, int shardCount)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _logs = new DeduplicationTable(shard, shardCount);
        _expiryTimer = new ExpiryTimer(this);
    }

    /// <summary>The number of running exchanges in the shard.</summary>
    public int Running => _running.Count;

    /// <summary>Returns the running exchanges as a new list.</summary>
    public List<ReceivedMessage> AllRunning() => [.. _running.Values.Select(static running => running.Received)];

    /// <summary>The number of sources with entries that stay for their lifetime.</summary>
    public int Sources => _logs.Sources;

    /// <summary>The number of kept finished exchanges, including some expired ones.</summary>
    public int Finished => _logs.Entries;

    /// <summary>The memory of logs and table in bytes, without the logs of newcomers.</summary>
    public long Bytes => _logs.Bytes;

    /// <summary>The memory of the logs of newcomers in bytes.</summary>
    public long NewcomerBytes => _logs.NewcomerBytes;

    /// <summary>Prefetches the memory in which a search begins. Allowed while other threads change it.</summary>
    public void Fetch(CoapChannel peer, ushort messageId) => _logs.Fetch(peer.Messaging.Id, messageId);

    public DuplicateLookup Find(CoapChannel peer, ushort messageId, long now, out ReceivedMessage? running, out StoredReplyHeader header,
        out ReadOnlySpan<byte> reply)
    {
        running = null;
        header = default;
        reply = default;
        if (peer.Messaging.Running > 0 && _running.TryGetValue(peer.Messaging.KeyOf(messageId), out RunningExchange found))
        {
            running = found.Received;
            return DuplicateLookup.Running;
        }

        return _logs.Find(peer.Messaging.Id, messageId) is not 0 and ulong place && _logs.TryGet(place, out header, out reply)
            && !StoredReplyHeader.Clock.HasPassed(header.Expiry, now)
            ? DuplicateLookup.Finished
            : DuplicateLookup.Unknown;
    }

    /// <summary>Whether an exchange may begin. Refuses it if its reply must be kept and there is no room.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="class">The class of the request.</param>
    /// <param name="now">The current time.</param>
    /// <param name="reserved">What is reserved for the reply; pass it to <see cref="Begin"/>.</param>
    public bool TryAdmit(CoapChannel peer, MethodSafety @class, long now, out DuplicateMemoryReservation reserved)
    {
        reserved = default;
        return _running.Count < (long)_limits.Requests.MaxServed + RunningSlack
            && (@class != MethodSafety.Unsafe || !peer.IsProtected || _logs.TryReserve(peer, now, out reserved));
    }

    /// <summary>Adds a running exchange, which takes the place of a finished one with its Message ID.</summary>
    public void Begin(CoapChannel peer, ReceivedMessage received, in DuplicateMemoryReservation reserved, long now)
    {
        if (!_expiryTimer.IsScheduled)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }

        received.IsRemembered = true;
        peer.Messaging.Running++;
        _running[peer.Messaging.KeyOf(received.MessageId)] = new RunningExchange(received, reserved);
    }

    /// <summary>Ends an exchange and keeps the answer for duplicates.</summary>
    public void End(CoapChannel peer, ReceivedMessage received, DuplicateReplyKind kind, ReadOnlySpan<byte> reply, long now)
    {
        if (!received.IsRemembered)
        {
            return;
        }

        DuplicateMemoryReservation reserved = Remove(peer, received);
        MethodSafety @class = ClassOf(received.Code);
        long lifetime = peer.Messaging.Times.LifetimeOf(received.Type);
        if (received.ReceivedAt + lifetime > now && (@class != MethodSafety.Safe || reply.Length <= _limits.Deduplication.MaxSafeReplySize)
            && reply.Length <= ushort.MaxValue)
        {
            StoredReplyHeader header = new()
            {
                Expiry = StoredReplyHeader.Clock.After(received.ReceivedAt + lifetime),
                Hash = received.Hash,
                Length = (ushort)reply.Length,
                Reply = kind,
                Class = @class,
                Peer = peer.Messaging.Id,
                MessageId = received.MessageId,
            };
            if (_logs.TryKeep(peer, header, reply, lifetime, reserved, now))
            {
                peer.Messaging.LastExpiry = peer.Messaging.HasFinished
                    ? StoredReplyHeader.Clock.Later(peer.Messaging.LastExpiry, header.Expiry)
                    : header.Expiry;
                peer.Messaging.HasFinished = true;
            }
        }

        _logs.Release(reserved);
    }

    /// <summary>Ends an exchange and forgets it: a duplicate counts as a new message.</summary>
    public void Drop(CoapChannel peer, ReceivedMessage received)
    {
        if (received.IsRemembered)
        {
            _logs.Release(Remove(peer, received));
        }
    }

    /// <summary>Lists the messages of a peer whose copies must not be processed, including running exchanges.</summary>
    public List<SeenMessage> SeenOf(CoapChannel peer, long now)
    {
        List<SeenMessage> seen = _logs.SeenOf(peer.Messaging.Id, now);
        foreach (ReceivedMessage running in RunningOf(peer))
        {
            if (ClassOf(running.Code) == MethodSafety.Unsafe)
            {
                // The exchange may have taken effect, although its answer will not be kept.
                seen.Add(new SeenMessage(running.MessageId, MethodSafety.Unsafe,
                    running.Type == CoapMessageType.Confirmable ? DuplicateReplyKind.EmptyAcknowledgement : DuplicateReplyKind.Silence,
                    running.ReceivedAt + peer.Messaging.Times.LifetimeOf(running.Type) - now, []));
            }
        }

        return seen;
    }

    /// <summary>Imports an entry that <see cref="SeenOf"/> exported in another process.</summary>
    public void Restore(CoapChannel peer, in SeenMessage seen, long now)
    {
        if (!TryAdmit(peer, seen.Class, now, out DuplicateMemoryReservation reserved))
        {
            _logs.CountEvictions(others: 0, unsafes: 1, now);
            return;
        }

        long lifetime = peer.Messaging.Times.LifetimeOf(CoapMessageType.Confirmable);
        ReceivedMessage received = new(peer, CoapMessageType.Confirmable, seen.MessageId)
        {
            Code = seen.Class == MethodSafety.Unsafe ? CoapCode.Post : CoapCode.Put,
            Hash = StoredReplyHeader.AnyHash,
            ReceivedAt = now + Math.Min(seen.Left, lifetime) - lifetime,
        };
        Begin(peer, received, reserved, now);
        received.State = ReceivedMessageState.Replied;
        End(peer, received, seen.Kind, seen.Reply, now);
    }

    /// <summary>Whether the endpoint must still remember messages of a peer.</summary>
    public static bool Remembers(CoapChannel peer, long now) =>
        peer.Messaging.Running > 0 || (peer.Messaging.HasFinished && !StoredReplyHeader.Clock.HasPassed(peer.Messaging.LastExpiry, now));

    /// <summary>
    /// Ends the running exchanges of a peer that is forgotten. Finished ones stay until their time is over; nothing finds them.
    /// </summary>
    public void Forget(CoapChannel peer)
    {
        foreach (ReceivedMessage received in RunningOf(peer))
        {
            _shard.Wheel.Cancel(received);
            Drop(peer, received);
        }
    }

    internal static MethodSafety ClassOf(CoapCode code) =>
        !code.IsRequest || code.IsSafe ? MethodSafety.Safe : code.IsIdempotent ? MethodSafety.Idempotent : MethodSafety.Unsafe;

    private List<ReceivedMessage> RunningOf(CoapChannel peer)
    {
        List<ReceivedMessage> found = [];
        if (peer.Messaging.Running > 0)
        {
            foreach (RunningExchange running in _running.Values)
            {
                if (running.Received.Channel == peer)
                {
                    found.Add(running.Received);
                }
            }
        }

        return found;
    }

    private DuplicateMemoryReservation Remove(CoapChannel peer, ReceivedMessage received)
    {
        received.IsRemembered = false;
        _running.Remove(peer.Messaging.KeyOf(received.MessageId), out RunningExchange running);
        peer.Messaging.Running--;
        if (peer.Messaging.SessionHandover is { } retirement)
        {
            _shard.AfterRelease(retirement);
        }

        return running.Reserved;
    }

    private void OnExpiry(long now)
    {
        _logs.DropExpired(now);
        _logs.Tidy();

        // Peers may be forgotten before their entries; this timer then drops the entries.
        if (_running.Count > 0 || Finished > 0)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private readonly record struct RunningExchange(ReceivedMessage Received, DuplicateMemoryReservation Reserved);

    private sealed class ExpiryTimer(DeduplicationStore memory) : WheelTimer
    {
        internal override void Fire(long now) => memory.OnExpiry(now);
    }
}
