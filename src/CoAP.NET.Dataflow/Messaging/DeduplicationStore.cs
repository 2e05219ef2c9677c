namespace CoAP.NET.Messaging;

// RFC 7252 section 4.5: remembers received messages and their answers. Running exchanges are objects, finished ones are bytes.

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
    private readonly ReplyMemory _replies;
    private readonly ExpiryTimer _expiryTimer;
    private readonly Dictionary<ulong, RunningExchange> _running = [];

    public DeduplicationStore(CoapShard shard, int shardCount)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _replies = new ReplyMemory(shard, shardCount);
        _expiryTimer = new ExpiryTimer(this);
    }

    /// <summary>The number of running exchanges in the shard.</summary>
    public int Running => _running.Count;

    /// <summary>Returns the running exchanges as a new list.</summary>
    public List<ReceivedMessage> AllRunning() => [.. _running.Values.Select(static running => running.Received)];

    /// <summary>The number of sources with entries that stay for their lifetime.</summary>
    public int Sources => _replies.Sources;

    /// <summary>The number of kept finished exchanges, including some expired ones.</summary>
    public int Finished => _replies.Count;

    /// <summary>The memory of the replies and their table in bytes, without those of newcomers.</summary>
    public long Bytes => _replies.Bytes;

    /// <summary>The memory of the replies to newcomers in bytes.</summary>
    public long NewcomerBytes => _replies.NewcomerBytes;

    /// <summary>Prefetches the memory in which a search begins. Allowed while other threads change it.</summary>
    public void Fetch(CoapChannel peer, ushort messageId) => _replies.Fetch(peer.Messaging.Id, messageId);

    /// <summary>Finds the exchange of a peer with a Message ID, if it runs or has finished within its lifetime.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="messageId">The Message ID.</param>
    /// <param name="now">The current time.</param>
    /// <param name="running">The exchange if it runs; null if it has finished.</param>
    /// <param name="header">The exchange if it has finished.</param>
    /// <param name="reply">The bytes of its reply if it has finished; empty for none.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryFind(CoapChannel peer, ushort messageId, long now, out ReceivedMessage? running, out StoredReplyHeader header,
        out ReadOnlySpan<byte> reply)
    {
        if (peer.Messaging.Running > 0 && _running.TryGetValue(peer.Messaging.KeyOf(messageId), out RunningExchange found))
        {
            running = found.Received;
            header = default;
            reply = default;
            return true;
        }

        running = null;
        return _replies.TryFind(peer.Messaging.Id, messageId, out header, out reply)
            && !StoredReplyHeader.Clock.HasPassed(header.Expiry, now);
    }

    /// <summary>
    /// Adds a running exchange, which takes the place of a finished one with its Message ID. Refuses it if its reply must be kept and there
    /// is no room.
    /// </summary>
    /// <returns>Whether it may begin.</returns>
    public bool TryBegin(CoapChannel peer, ReceivedMessage received, long now)
    {
        ReplyReservation reserved = default;
        if (_running.Count >= (long)_limits.Requests.MaxServed + RunningSlack
            || (ClassOf(received.Code) == MethodSafety.Unsafe && peer.IsProtected && !_replies.TryReserve(peer, now, out reserved)))
        {
            return false;
        }

        if (!_expiryTimer.IsScheduled)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }

        received.IsRemembered = true;
        peer.Messaging.Running++;
        _running[peer.Messaging.KeyOf(received.MessageId)] = new RunningExchange(received, reserved);
        return true;
    }

    /// <summary>Ends an exchange and keeps the answer for duplicates.</summary>
    public void End(CoapChannel peer, ReceivedMessage received, DuplicateReplyKind kind, ReadOnlySpan<byte> reply, long now)
    {
        if (!received.IsRemembered)
        {
            return;
        }

        ReplyReservation reserved = Remove(peer, received);
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
            if (_replies.TryKeep(peer, header, reply, lifetime, reserved, now))
            {
                peer.Messaging.LastExpiry = peer.Messaging.HasFinished
                    ? StoredReplyHeader.Clock.Later(peer.Messaging.LastExpiry, header.Expiry)
                    : header.Expiry;
                peer.Messaging.HasFinished = true;
            }
        }

        _replies.Release(reserved);
    }

    /// <summary>Ends an exchange and forgets it: a duplicate counts as a new message.</summary>
    public void Drop(CoapChannel peer, ReceivedMessage received)
    {
        if (received.IsRemembered)
        {
            _replies.Release(Remove(peer, received));
        }
    }

    /// <summary>Lists the messages of a peer whose copies must not be processed, including running exchanges.</summary>
    public List<SeenMessage> SeenOf(CoapChannel peer, long now)
    {
        List<SeenMessage> seen = _replies.SeenOf(peer.Messaging.Id, now);
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
        long lifetime = peer.Messaging.Times.LifetimeOf(CoapMessageType.Confirmable);
        ReceivedMessage received = new(peer, CoapMessageType.Confirmable, seen.MessageId)
        {
            Code = seen.Class == MethodSafety.Unsafe ? CoapCode.Post : CoapCode.Put,
            Hash = StoredReplyHeader.AnyHash,
            ReceivedAt = now + Math.Min(seen.Left, lifetime) - lifetime,
        };
        if (!TryBegin(peer, received, now))
        {
            _replies.CountEvictions(others: 0, unsafes: 1, now);
            return;
        }

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

    private ReplyReservation Remove(CoapChannel peer, ReceivedMessage received)
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
        _replies.DropExpired(now);
        _replies.Trim();

        // Peers may be forgotten before their entries; this timer then drops the entries.
        if (_running.Count > 0 || Bytes + NewcomerBytes > 0)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private readonly record struct RunningExchange(ReceivedMessage Received, ReplyReservation Reserved);

    private sealed class ExpiryTimer(DeduplicationStore memory) : WheelTimer
    {
        internal override void Fire(long now) => memory.OnExpiry(now);
    }
}
