using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// RFC 7252 section 4, for the peers of one shard: reliability, duplicates, Message IDs, congestion control.
//
// A plain state machine: it is told of messages, replies and the clock under the shard's lock, and posts and raises what follows, which the shard carries
// out after the lock was released. No socket, no await, no lock in here.

/// <summary>The messaging layer of a shard. Every method must be called under the shard's lock.</summary>
internal sealed partial class MessageLayer
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly DuplicateMemory _memory;
    private readonly SlotTable<CoapTransmission> _transmissions = new();
    private readonly MessageIdScrambler _messageIds;
    private readonly GroupMessageIds _groupMessageIds;
    private readonly GhostCounters _ghosts;
    private readonly BusyMemory _busy = new();
    private readonly Action<CoapChannel, long> _resume;
    private PeerTimes _times = new(CoapTransmissionParameters.Default);
    private readonly int _maxOutstanding;
    private JitterSequence _jitter;
    private int _waiting;

    public MessageLayer(CoapShard shard, int shardCount, GroupMessageIds? groupMessageIds = null)
    {
        _groupMessageIds = groupMessageIds ?? new GroupMessageIds(shard.Environment.Random);
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _memory = new DuplicateMemory(shard, shardCount);
        _maxOutstanding = Math.Max(1, _limits.MaxOutstandingMessages / shardCount);
        _messageIds = new MessageIdScrambler(shard.Environment.Random);
        _ghosts = new GhostCounters(shard.Environment.Random);
        _jitter = new JitterSequence(shard.Environment.Random.NextUInt64());
        _resume = Pump;
    }

    /// <summary>The duplicate memory, for its gauges.</summary>
    public DuplicateMemory Memory => _memory;

    /// <summary>Messages of ours that an acknowledgement or reset can match, in the shard.</summary>
    public int Outstanding => _transmissions.Count;

    /// <summary>Messages of ours that wait for their turn, in the shard.</summary>
    public int Waiting => _waiting;

    /// <summary>Messages of ours to a peer that an acknowledgement or reset can match.</summary>
    public static int OutstandingTo(CoapChannel channel) => channel.Messaging.Sending?.Outstanding.Count ?? 0;

    /// <summary>Messages of ours to a peer that wait for their turn.</summary>
    public static int WaitingFor(CoapChannel channel) =>
        channel.Messaging.Sending is { } sending ? sending.Waiting.Count + sending.WaitingReplies.Count : 0;

    /// <summary>Exchanges of a peer that run: delivered up and not yet finished.</summary>
    public static int RunningOf(CoapChannel channel) => channel.Messaging.Running;

    /// <summary>
    /// Whether a peer may be forgotten: nothing runs, nothing is outstanding or waits, and nothing is younger than its lifetime. Of a newcomer that is not
    /// verified, or beyond the share of its source, only what runs, is outstanding or waits counts.
    /// </summary>
    public static bool CanForget(CoapChannel channel, long now)
    {
        ref readonly MessagingState state = ref channel.Messaging;
        if (state.Running > 0 || state.Sending is { } sending && (sending.Outstanding.Count > 0 || sending.Waiting.Count > 0 || sending.WaitingReplies.Count > 0))
        {
            return false;
        }

        return (channel.IsNewcomer && !channel.IsProtected)
            || (!DuplicateMemory.Remembers(channel, now)
                && !(state.MessageIds.WasUsed && now - state.MessageIds.LastUse < state.Times.MessageIdLifetime));
    }

    /// <summary>
    /// Forgets a peer; its next Message IDs will go on where they were. What is outstanding ends as <see cref="CoapInboundKind.NotAcknowledged"/>, what waits as
    /// <see cref="CoapInboundKind.NotSent"/>.
    /// </summary>
    public void Forget(CoapChannel channel)
    {
        if (channel.Messaging.Sending is { } sending)
        {
            GiveUpAll(sending);
        }

        // A session has numbers of its own; whoever comes from its address later is somebody else.
        if (channel is { IsConnection: false, Messaging.MessageIds: { WasUsed: true } messageIds })
        {
            _ghosts.Remember(channel.Remote, messageIds.Next);
        }

        _memory.Forget(channel);
        channel.Messaging = new MessagingState();
    }

    /// <summary>The peer, with the times of the parameters that it has now.</summary>
    private CoapChannel Refresh(CoapChannel channel)
    {
        if (!ReferenceEquals(channel.Messaging.Times?.Parameters, channel.Parameters))
        {
            channel.Messaging.Times = TimesOf(channel.Parameters);
        }

        return channel;
    }

    private PeerTimes TimesOf(CoapTransmissionParameters parameters)
    {
        if (!ReferenceEquals(_times.Parameters, parameters))
        {
            _times = new PeerTimes(parameters);
        }

        return _times;
    }

    /// <summary>Notes that a peer is there.</summary>
    private void OnHeard(CoapChannel peer, long now)
    {
        peer.Messaging.LastHeard = now;
        if (peer.Messaging.Sending is { } sending)
        {
            sending.Unheard = 0;
            sending.NextProbe = long.MinValue;
            if (sending.Waiting.Count > 0)
            {
                Pump(peer, now);
            }
        }
    }

    private void PostEmpty(CoapChannel channel, CoapMessageType type, ushort messageId)
    {
        if (type == CoapMessageType.Reset)
        {
            _counters.Add(CoapCounter.ResetsSent);
        }

        CoapMessage message = _shard.LendsMessages ? SpareMessage.Take(CoapCode.Empty, null) : new CoapMessage();
        message.Type = type;
        message.MessageId = messageId;
        message.IsLent = _shard.LendsMessages;
        _shard.Post(new CoapOutbound { Channel = channel, Message = message });
    }

    private void RaiseEvent(CoapInboundKind kind, CoapTransmission transmission)
    {
        if (transmission.Source is { } source)
        {
            source.OnEnded(transmission, kind, _shard.Environment.Now);
            return;
        }

        _shard.Raise(new CoapInbound
        {
            Channel = transmission.Channel,
            Kind = kind,
            Transmission = transmission,
            Type = transmission.Message.Type,
            MessageId = transmission.Message.MessageId,
        });
    }
}
