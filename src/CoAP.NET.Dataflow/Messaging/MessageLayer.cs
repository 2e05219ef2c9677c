using System.Net.Sockets;
using CoAP.NET.Signalling;

namespace CoAP.NET.Messaging;

// RFC 7252 section 4 for the peers of one shard: reliability, duplicates, Message IDs, congestion control. A plain state machine: it gets
// messages, replies and the clock under the shard's lock, and posts and raises effects, which the shard carries out after the lock was
// released. It uses no socket, no await and no lock. This class dispatches: ReceivedMessageTable handles messages from peers,
// MessageTransmitter those that are sent, TransmissionReplyHandler the answers to them; SendPacing decides when they leave.

/// <summary>The messaging layer of a shard. Call every method under the shard's lock.</summary>
internal sealed class MessageLayer : IPeerEvictionGuard, ITimerOwner
{
    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly DeduplicationStore _memory;
    private readonly TransmissionTimeCache _times = new();
    private readonly OutgoingMessageIds _ids;
    private readonly OutstandingMessages _outstanding = new();
    private readonly MessageTransmitter _transmissions;
    private readonly TransmissionReplyHandler _matching;
    private readonly ReceivedMessageTable _received;

    public MessageLayer(CoapShard shard, int shardCount, GroupMessageIds? groupMessageIds = null)
    {
        _shard = shard;
        _counters = shard.Environment.Counters;
        _memory = new DeduplicationStore(shard, shardCount);
        _ids = new OutgoingMessageIds(shard.Environment.Random, groupMessageIds);
        SendPacing pacing = new(shard.Environment);
        TransmissionRenewal renewals = new(shard, _ids, _outstanding, pacing);
        int maxOutstanding = Math.Max(1, shard.Environment.Limits.Messages.MaxOutstanding / shardCount);
        _transmissions = new MessageTransmitter(
            shard, _times, _ids, pacing, _outstanding, renewals, new PeerSendTurnQueue(shard, _outstanding, maxOutstanding));
        _matching = new TransmissionReplyHandler(shard, _times, _transmissions, _outstanding, renewals);
        _received = new ReceivedMessageTable(shard, _memory, _times, _ids, _transmissions);
        MessagingSessionHandover = new MessagingSessionHandover(_memory, _times, _ids);
    }

    /// <summary>The duplicate memory, for its gauges.</summary>
    public DeduplicationStore Memory => _memory;

    public MessagingSessionHandover MessagingSessionHandover { get; }

    /// <summary>The number of sent messages in the shard that an acknowledgement or reset can match.</summary>
    public int Outstanding => _outstanding.Count;

    /// <summary>The number of messages in the shard that wait for their turn.</summary>
    public int Waiting => _transmissions.Waiting;

    /// <summary>Returns the number of messages to a peer that an acknowledgement or reset can match.</summary>
    public static int OutstandingTo(CoapChannel channel) => channel.Messaging.Sending?.Outstanding.Count ?? 0;

    /// <summary>Returns the number of messages to a peer that wait for their turn.</summary>
    public static int WaitingFor(CoapChannel channel) =>
        channel.Messaging.Sending is { } sending ? sending.Waiting.Count + sending.WaitingReplies.Count : 0;

    /// <summary>Returns the number of running exchanges of a peer: delivered up and not yet finished.</summary>
    public static int RunningOf(CoapChannel channel) => channel.Messaging.Running;

    /// <summary>
    /// Returns the smoothed round-trip time to a peer, from Confirmable messages that were sent once and answered; null without one.
    /// </summary>
    public static TimeSpan? RttOf(CoapChannel channel) => SendPacing.RttOf(channel.Wire);

    /// <summary>Returns the minimum timeout of the first copy of a Confirmable message to a peer, without back-off.</summary>
    public static TimeSpan TimeoutOf(CoapChannel channel, long now) => SendPacing.TimeoutOf(channel.Wire, now);

    bool IPeerEvictionGuard.CanForget(CoapChannel channel, long now) => CanForget(channel, now);

    /// <summary>
    /// Whether a peer may be forgotten: nothing runs, is outstanding or waits, and nothing is younger than its lifetime. For a newcomer
    /// that is unverified or beyond the share of its source, only what runs, is outstanding or waits counts.
    /// </summary>
    public static bool CanForget(CoapChannel channel, long now)
    {
        ref readonly PeerMessagingState state = ref channel.Messaging;
        if (state.Running > 0
            || state.Sending is { } sending
            && (sending.Outstanding.Count > 0 || sending.Waiting.Count > 0 || sending.WaitingReplies.Count > 0))
        {
            return false;
        }

        return (channel.IsNewcomer && !channel.IsProtected)
            || (!DeduplicationStore.Remembers(channel, now)
                && !(state.MessageIds.WasUsed && now - state.MessageIds.LastUse < state.Times.MessageIdLifetime));
    }

    /// <summary>
    /// Forgets a peer; its Message IDs will continue where they were. Outstanding messages end as
    /// <see cref="CoapInboundKind.NotAcknowledged"/>, waiting ones as <see cref="CoapInboundKind.NotSent"/>.
    /// </summary>
    public void Forget(CoapChannel channel)
    {
        if (channel.Carried is not null)
        {
            // Its messages are those of its carrier.
            return;
        }

        _transmissions.GiveUpAll(channel);
        _ids.Remember(channel);
        _memory.Forget(channel);
        channel.Messaging = new PeerMessagingState();
    }

    /// <summary>Handles a message or format error.</summary>
    /// <param name="item">The result of the Serializer for a datagram.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="up">The item for the stage above.</param>
    /// <returns>Whether there is an item for the stage above.</returns>
    public bool Receive(in CoapInbound item, long now, out CoapInbound up)
    {
        up = default;
        switch (item.Kind)
        {
            case CoapInboundKind.FormatError:
                return _received.ReceiveFormatError(item, now, out up);
            case CoapInboundKind.Message when item.Message is { } message:
                break;
            default:
                // Only this layer creates the other kinds; one from below would be a block's mistake.
                _counters.Add(CoapCounter.Ignored);
                return false;
        }

        CoapCode code = item.Message.Code;
        switch (item.Type)
        {
            case CoapMessageType.Acknowledgement:
                return _matching.ReceiveAcknowledgement(item, code, now, out up);
            case CoapMessageType.Reset:
                _matching.ReceiveReset(item, code, now);
                return false;
            case CoapMessageType.Confirmable when item.IsMulticast:
                // RFC 7252 section 8.1: multicast requests are Non-confirmable. An acknowledgement or reset would come from every member of
                // the group.
                _counters.Add(CoapCounter.Ignored);
                item.Channel.NoteDrop(CoapCounter.Ignored);
                return false;
            case CoapMessageType.Confirmable when code.IsEmpty || code.IsReserved:
                // An Empty one is a ping (section 4.3); a reserved class is rejected (section 4.2).
                if (code.IsEmpty && item.Channel.Messaging.IsUsed)
                {
                    _transmissions.OnHeard(item.Channel, now);
                }

                _received.PostEmpty(item.Channel, CoapMessageType.Reset, item.MessageId);
                return false;
            case CoapMessageType.Confirmable:
                return _received.Accept(item, code, now, out up);
            case CoapMessageType.NonConfirmable when code.IsEmpty || code.IsReserved:
                _counters.Add(CoapCounter.Ignored);
                item.Channel.NoteDrop(CoapCounter.Ignored);
                return false;
            case CoapMessageType.NonConfirmable:
                return _received.Accept(item, code, now, out up);
            default:
                _counters.Add(CoapCounter.Ignored);
                return false;
        }
    }

    /// <summary>Like <see cref="Receive"/>, but ignores late messages of an ended session.</summary>
    public bool ReceiveUnlessEnded(in CoapInbound item, long now, out CoapInbound up)
    {
        if (item.Channel is { IsConnection: true, IsForgotten: true })
        {
            up = default;
            _counters.Add(CoapCounter.Ignored);
            return false;
        }

        return Receive(item, now, out up);
    }

    /// <summary>Handles an outbound item: a reply, a message of this endpoint, or an order about one.</summary>
    public void Send(in CoapOutbound item, long now)
    {
        if (!item.Encoded.IsEmpty)
        {
            // Bytes that another component encoded. Only the order within the channel matters here.
            _shard.Post(item);
            return;
        }

        switch (item.Kind)
        {
            case CoapOutboundAction.Message when item.Message is null:
                _counters.Add(CoapCounter.Ignored);
                break;
            case CoapOutboundAction.Message when item.Received is { } received:
                _received.Reply(item, received, now);
                break;
            case CoapOutboundAction.Message:
                _transmissions.Send(item.Transmission ?? new CoapTransmission(item.Channel, item.Message, null), now);
                break;
            case CoapOutboundAction.Acknowledge when item.Received is { } received:
                _received.Acknowledge(received, now);
                break;
            case CoapOutboundAction.Reject when item.Received is { } received:
                _received.Reject(received, now);
                break;
            case CoapOutboundAction.Reset when item.Received is { } received:
                _received.Reset(received, now);
                break;
            case CoapOutboundAction.Finish when item.Received is { } received:
                _received.Finish(received, now);
                break;
            case CoapOutboundAction.Forget when item.Received is { State: ReceivedMessageState.Pending } received:
                _received.Forget(received);
                break;
            case CoapOutboundAction.Forget when item.Received is { } received:
                // It is acknowledged already.
                _received.Finish(received, now);
                break;
            case CoapOutboundAction.Cancel when item.Transmission is { } transmission:
                _transmissions.Cancel(transmission, now);
                break;
            default:
                _counters.Add(CoapCounter.Ignored);
                break;
        }
    }

    /// <summary>Handles an item for an ended session: nothing is sent or kept, and waiting owners are notified.</summary>
    public void SendToEnded(in CoapOutbound item)
    {
        if (item.Received is { } received)
        {
            _shard.Wheel.Cancel(received);
            received.State = ReceivedMessageState.Replied;
        }

        if (item is not { Kind: CoapOutboundAction.Message, Transmission: { IsOver: false } transmission })
        {
            return;
        }

        transmission.IsOver = true;
        if (transmission.IsAwaited)
        {
            _shard.Raise(new CoapInbound
            {
                Channel = item.Channel,
                Kind = CoapInboundKind.Disconnected,
                Transmission = transmission,
                Reason = ConnectionSignallingState.Of(item.Channel)?.Reason,
            });
        }
    }

    /// <summary>Keeps the bytes of a message for later use.</summary>
    public void OnEncoded(in CoapOutbound item, ReadOnlySpan<byte> bytes, long now)
    {
        if (item.Transmission is { } transmission)
        {
            _transmissions.OnEncoded(transmission, item.Message, bytes, now);
        }
        else if (item.Received is { } received)
        {
            _received.OnEncoded(received, bytes, now);
        }
    }

    /// <summary>
    /// Handles a reply that was offered but is not encoded yet, because a block keeps or dropped it. It is not awaited beyond its lifetime.
    /// </summary>
    public void OnEncodingDelayed(ReceivedMessage received) => _received.OnEncodingDelayed(received);

    /// <summary>Handles a declined and therefore lost reply. An idempotent request is forgotten, so a duplicate is answered.</summary>
    public void OnReplyLost(ReceivedMessage received, long now) => _received.OnReplyLost(received, now);

    /// <summary>
    /// Handles an item that the stage above did not accept: a request is answered 5.03 (RFC 7252 section 5.9.3.4); a Confirmable response
    /// may come again.
    /// </summary>
    public void OnNotTaken(ReceivedMessage received, CoapMessage? message, long now) => _received.OnNotTaken(received, message, now);

    /// <summary>Answers 5.03 to requests that blocks of the application still hold, because the endpoint stops.</summary>
    public void RefuseUnanswered(long now) => _received.RefuseUnanswered(now);

    /// <summary>
    /// Returns the answer to a request on a connection that the stage above did not accept; null for none. Needs no lock.
    /// </summary>
    public CoapMessage? BusyResponseTo(CoapMessage? message) => _received.BusyResponseTo(message);

    /// <summary>Handles a due copy of a sent message, a due acknowledgement, or the end of a message.</summary>
    public void OnDue(WheelTimer timer, long now)
    {
        if (timer is CoapTransmission transmission)
        {
            _transmissions.OnDue(transmission, now);
        }
        else
        {
            _received.OnDue((ReceivedMessage)timer, now);
        }
    }

    /// <summary>
    /// Handles a report of the peer's host that its port is unreachable. Fails only the quoted message (RFC 7252 section 4.2).
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="quoted">The beginning of the sent datagram.</param>
    public void Unreachable(CoapChannel channel, ReadOnlySpan<byte> quoted) => _matching.Unreachable(channel, quoted);

    /// <summary>Handles a datagram that the operating system refused for a permanent reason.</summary>
    public void SendFailed(CoapChannel channel, ReadOnlySpan<byte> bytes, SocketError error) => _matching.SendFailed(channel, bytes, error);

    /// <summary>
    /// Whether nothing is pending with a peer: no request of it is being served, and no message to it waits for its turn or for an
    /// acknowledgement.
    /// </summary>
    public bool IsQuiet(CoapChannel channel) =>
        RunningOf(channel) == 0 && WaitingFor(channel) == 0 && !OutstandingMessages.AwaitsAcknowledgement(channel);
}
