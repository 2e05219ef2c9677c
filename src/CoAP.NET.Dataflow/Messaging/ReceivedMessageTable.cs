namespace CoAP.NET.Messaging;

// Messages from peers and the answers of the stage above: RFC 7252 sections 4.2 (Confirmable), 4.3 (Non-confirmable), 4.5 (duplicates) and
// 5.2.

/// <summary>
/// The unanswered messages from the peers of a shard, and the duplicates of answered ones. Call every method under the shard's lock.
/// </summary>
internal sealed class ReceivedMessageTable
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly DeduplicationStore _memory;
    private readonly TransmissionTimeCache _times;
    private readonly OutgoingMessageIds _ids;
    private readonly MessageTransmitter _transmissions;
    private readonly RejectedRequestTable _busy = new();

    public ReceivedMessageTable(
        CoapShard shard, DeduplicationStore memory, TransmissionTimeCache times, OutgoingMessageIds ids, MessageTransmitter transmissions)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _memory = memory;
        _times = times;
        _ids = ids;
        _transmissions = transmissions;
    }

    /// <summary>Handles an unreadable message.</summary>
    public bool ReceiveFormatError(in CoapInbound item, long now, out CoapInbound up)
    {
        up = default;
        bool hasHeader = item.Error.Rule is not (CoapMessageFormatViolation.HeaderTruncated or CoapMessageFormatViolation.UnknownVersion);
        if (!hasHeader || item.Type is not (CoapMessageType.Confirmable or CoapMessageType.NonConfirmable))
        {
            // Without a header there is no Message ID to answer; other versions and malformed acknowledgements and resets are ignored
            // (sections 3 and 4.2).
            return false;
        }

        bool isGroupConfirmable = item.Type == CoapMessageType.Confirmable && item.IsMulticast;
        if (item.Error.Rule is CoapMessageFormatViolation.MessageTooLarge or CoapMessageFormatViolation.TokenTooLong
            && item.Message is { Code.IsRequest: true }
            && !isGroupConfirmable)
        {
            // A request that appears well-formed and must get a 4.13 or 4.00, which only the stage above can create. A response is never
            // answered by a response (section 5.2): it is rejected like any message that cannot be processed.
            return Accept(item, CoapCode.Empty, now, out up);
        }

        if (item.Type == CoapMessageType.Confirmable && !item.IsMulticast)
        {
            PostEmpty(item.Channel, CoapMessageType.Reset, item.MessageId);
        }

        return false;
    }

    /// <summary>Handles a Confirmable or Non-confirmable message. Duplicates stay here.</summary>
    public bool Accept(in CoapInbound item, CoapCode code, long now, out CoapInbound up)
    {
        up = default;
        CoapChannel peer = _times.Refresh(item.Channel);
        _transmissions.OnHeard(peer, now);
        bool isKnown = _memory.TryFind(peer, item.MessageId, now, out ReceivedMessage? running, out StoredReplyHeader header,
            out ReadOnlySpan<byte> reply);
        if (isKnown && (running is null ? header.IsOf(item.Hash) : running.Hash == item.Hash))
        {
            _counters.Add(CoapCounter.Duplicates);
            if (running is null)
            {
                RepeatFinished(item, header.Reply, reply, now);
            }
            else
            {
                RepeatRunning(running, now);
            }

            return false;
        }

        if (code.IsRequest && peer.Messaging.SessionHandover is not null)
        {
            // Its session continues elsewhere soon, where the peer repeats the message.
            _counters.Add(CoapCounter.Ignored);
            return false;
        }

        if (isKnown)
        {
            // A restarted device begins with the same numbers; its requests from before the restart are obsolete.
            _counters.Add(CoapCounter.MessageIdReused);
            if (running is not null)
            {
                _shard.Wheel.Cancel(running);
                running.State = ReceivedMessageState.Replied;
                _memory.Drop(peer, running);
            }
        }

        if (DeduplicationStore.ClassOf(code) == MethodSafety.Unsafe && _busy.Contains(item.Channel, item.MessageId, item.Hash, now))
        {
            _counters.Add(CoapCounter.Duplicates);
            RefuseBusy(item, code, peer, now);
            return false;
        }

        ReceivedMessage received = _shard.KeepsRequests && code.IsRequest && item.Message is { } request
            ? new RequestInUserBlock(item.Channel, item.Type, item.MessageId, request)
            : new ReceivedMessage(item.Channel, item.Type, item.MessageId);
        received.Code = code;
        received.Hash = item.Hash;
        received.IsMulticast = item.IsMulticast;
        received.Length = (ushort)Math.Min(item.Length, ushort.MaxValue);
        received.ReceivedAt = now;
        if (!_memory.TryBegin(peer, received, now))
        {
            _counters.Add(CoapCounter.Busy);
            item.Channel.NoteDrop(CoapCounter.Busy);
            _busy.Add(item.Channel, item.MessageId, item.Hash, now + peer.Messaging.Times.LifetimeOf(item.Type));
            RefuseBusy(item, code, peer, now);
            return false;
        }

        if (item.Type == CoapMessageType.NonConfirmable)
        {
            _shard.Wheel.Schedule(received, now + peer.Messaging.Times.NonLifetime);
        }
        else if (peer.Messaging.Times.PiggybackWindow > 0)
        {
            _shard.Wheel.Schedule(received, now + peer.Messaging.Times.PiggybackWindow);
        }
        else
        {
            AcknowledgeEmpty(received, peer);
        }

        up = item with { Received = received };
        return true;
    }

    /// <summary>
    /// Handles an item that the stage above did not accept: a request is answered 5.03 (RFC 7252 section 5.9.3.4); a Confirmable response
    /// may come again.
    /// </summary>
    public void OnNotTaken(ReceivedMessage received, CoapMessage? message, long now)
    {
        if (message is { Code.IsRequest: true } && IsBusyUnwanted(message))
        {
            Finish(received, now);
            return;
        }

        if (message is null || !message.Code.IsRequest || received.IsMulticast)
        {
            Forget(received);
            return;
        }

        _counters.Add(CoapCounter.Busy);
        received.Channel.NoteDrop(CoapCounter.Busy);
        Reply(new CoapOutbound { Channel = received.Channel, Received = received, Message = BusyResponse(message.Token) }, received,
            now);
    }

    /// <summary>
    /// Answers 5.03 to all requests in a mesh with blocks of the application that have no answer yet, because the endpoint stops. Later
    /// answers are dropped.
    /// </summary>
    public void RefuseUnanswered(long now)
    {
        foreach (RequestInUserBlock received in _memory.AllRunning().OfType<RequestInUserBlock>())
        {
            if (received.State is ReceivedMessageState.Pending or ReceivedMessageState.Acknowledged
                && received is { IsMulticast: false, Channel.IsForgotten: false })
            {
                OnNotTaken(received, received.Request, now);
            }
        }
    }

    /// <summary>Handles a due acknowledgement, or the end of a message's lifetime.</summary>
    public void OnDue(ReceivedMessage received, long now)
    {
        if (received.Type == CoapMessageType.Confirmable && received.State == ReceivedMessageState.Pending)
        {
            AcknowledgeEmpty(received, _times.Refresh(received.Channel));
        }
        else
        {
            // No duplicate can arrive any more. A handler that still runs may answer nevertheless.
            _memory.Drop(_times.Refresh(received.Channel), received);
        }
    }

    /// <summary>Forgets a message: a duplicate counts as a new one.</summary>
    public void Forget(ReceivedMessage received)
    {
        _shard.Wheel.Cancel(received);
        received.State = ReceivedMessageState.Replied;
        _memory.Drop(_times.Refresh(received.Channel), received);
    }

    /// <summary>Keeps the bytes of a reply for duplicates.</summary>
    public void OnEncoded(ReceivedMessage received, ReadOnlySpan<byte> bytes, long now)
    {
        if (received.IsRemembered)
        {
            _shard.Wheel.Cancel(received);
            _memory.End(_times.Refresh(received.Channel), received, DuplicateReplyKind.Bytes, bytes, now);
        }
    }

    /// <summary>
    /// Handles a reply that was offered but is not encoded yet, because a block keeps or dropped it. It is not awaited beyond its lifetime.
    /// </summary>
    public void OnEncodingDelayed(ReceivedMessage received)
    {
        if (received.IsRemembered)
        {
            _shard.Wheel.Schedule(received, received.ReceivedAt + _times.Refresh(received.Channel).Messaging.Times.ExchangeLifetime);
        }
    }

    /// <summary>Handles a declined and therefore lost reply. An idempotent request is forgotten, so a duplicate is answered.</summary>
    public void OnReplyLost(ReceivedMessage received, long now)
    {
        _shard.Wheel.Cancel(received);
        if (DeduplicationStore.ClassOf(received.Code) == MethodSafety.Unsafe)
        {
            _memory.End(_times.Refresh(received.Channel), received, DuplicateReplyKind.Silence, default, now);
        }
        else
        {
            _memory.Drop(_times.Refresh(received.Channel), received);
        }
    }

    /// <summary>Handles the answer of the stage above to a message.</summary>
    public void Reply(in CoapOutbound item, ReceivedMessage received, long now)
    {
        CoapMessage message = item.Message!;
        switch (received.State)
        {
            case ReceivedMessageState.Pending when received.Type == CoapMessageType.Confirmable:
                _shard.Wheel.Cancel(received);
                received.State = ReceivedMessageState.Replied;
                message.Type = CoapMessageType.Acknowledgement;
                message.MessageId = received.MessageId;
                if (item.Transmission is { } rides)
                {
                    // It is piggybacked on the acknowledgement, which is never acknowledged itself.
                    rides.IsOver = true;
                    if (rides.IsRenewable)
                    {
                        _transmissions.Raise(CoapInboundKind.Acknowledged, rides);
                    }
                }

                if (!_shard.Post(new CoapOutbound { Channel = item.Channel, Message = message, Received = received, KeepsBytes = true }))
                {
                    OnReplyLost(received, now);
                }

                break;
            case ReceivedMessageState.Pending:
                End(received, ReceivedMessageState.Replied, DuplicateReplyKind.Silence, now);
                message.Type = CoapMessageType.NonConfirmable;
                _transmissions.SendReply(item, now);
                break;
            case ReceivedMessageState.Acknowledged:
                End(received, ReceivedMessageState.Replied, DuplicateReplyKind.EmptyAcknowledgement, now);
                message.Type = item.NeverConfirmable ? CoapMessageType.NonConfirmable : CoapMessageType.Confirmable;
                _transmissions.SendReply(item, now);
                break;
            default:
                _counters.Add(CoapCounter.LateResponses);
                if (item.Transmission is { IsOver: false } late)
                {
                    late.IsOver = true;
                    _transmissions.Raise(CoapInboundKind.NotSent, late);
                }

                break;
        }
    }

    /// <summary>Handles a message that the stage above has accepted and whose answer may take time.</summary>
    public void Acknowledge(ReceivedMessage received, long now)
    {
        if (received.State is not (ReceivedMessageState.Pending or ReceivedMessageState.Acknowledged))
        {
            return;
        }

        if (!received.Code.IsRequest)
        {
            // A response, so no more is due.
            Finish(received, now);
        }
        else if (received.Type == CoapMessageType.Confirmable && received.State == ReceivedMessageState.Pending)
        {
            AcknowledgeEmpty(received, _times.Refresh(received.Channel));
        }
    }

    /// <summary>Handles a message that the stage above rejects.</summary>
    public void Reject(ReceivedMessage received, long now)
    {
        if (received.State != ReceivedMessageState.Pending || received.Type != CoapMessageType.Confirmable || received.IsMulticast)
        {
            // An acknowledged message cannot be rejected any more, and a Non-confirmable one is rejected silently (section 4.3).
            Finish(received, now);
            return;
        }

        PostEmpty(received.Channel, CoapMessageType.Reset, received.MessageId);
        End(received, ReceivedMessageState.Rejected, DuplicateReplyKind.Reset, now);
    }

    /// <summary>Like <see cref="Reject"/>, but rejects a Non-confirmable message with a reset too.</summary>
    public void Reset(ReceivedMessage received, long now)
    {
        if (received.Type == CoapMessageType.NonConfirmable && received.State == ReceivedMessageState.Pending && !received.IsMulticast)
        {
            PostEmpty(received.Channel, CoapMessageType.Reset, received.MessageId);
        }

        Reject(received, now);
    }

    /// <summary>Handles a message that the stage above does not answer.</summary>
    public void Finish(ReceivedMessage received, long now)
    {
        switch (received.State)
        {
            case ReceivedMessageState.Pending when received.Type == CoapMessageType.Confirmable:
                PostEmpty(received.Channel, CoapMessageType.Acknowledgement, received.MessageId);
                End(received, ReceivedMessageState.Replied, DuplicateReplyKind.EmptyAcknowledgement, now);
                break;
            case ReceivedMessageState.Acknowledged:
                End(received, ReceivedMessageState.Replied, DuplicateReplyKind.EmptyAcknowledgement, now);
                break;
            case ReceivedMessageState.Pending:
                End(received, ReceivedMessageState.Replied, DuplicateReplyKind.Silence, now);
                break;
            default:
                break;
        }
    }

    /// <summary>
    /// Returns the answer to a request on a connection that the stage above did not accept; null for none. Needs no lock.
    /// </summary>
    public CoapMessage? BusyResponseTo(CoapMessage? message) =>
        message is { Code.IsRequest: true } && !IsBusyUnwanted(message) ? BusyResponse(message.Token) : null;

    /// <summary>Sends an Empty message.</summary>
    public void PostEmpty(CoapChannel channel, CoapMessageType type, ushort messageId)
    {
        if (type == CoapMessageType.Reset)
        {
            _counters.Add(CoapCounter.ResetsSent);
        }

        _shard.Post(new CoapOutbound { Channel = channel, Message = new CoapMessage { Type = type, MessageId = messageId } });
    }

    private void RepeatRunning(ReceivedMessage received, long now)
    {
        if (received.Type != CoapMessageType.Confirmable)
        {
            return;
        }

        switch (received.State)
        {
            case ReceivedMessageState.Pending:
                // The peer waits: from now on the response is a separate one.
                AcknowledgeEmpty(received, _times.Refresh(received.Channel));
                break;
            case ReceivedMessageState.Acknowledged:
                PostEmpty(received.Channel, CoapMessageType.Acknowledgement, received.MessageId);
                break;
            default:
                // The reply is on its way to the encoder.
                break;
        }
    }

    private void RepeatFinished(in CoapInbound item, DuplicateReplyKind kind, ReadOnlySpan<byte> reply, long now)
    {
        switch (kind)
        {
            case DuplicateReplyKind.EmptyAcknowledgement:
                PostEmpty(item.Channel, CoapMessageType.Acknowledgement, item.MessageId);
                break;
            case DuplicateReplyKind.Reset:
                PostEmpty(item.Channel, CoapMessageType.Reset, item.MessageId);
                break;
            case DuplicateReplyKind.Bytes when !_shard.Guard.MayAnswer(item.Channel, reply.Length, item.Length, now):
                // Lost, like any datagram: the address is not verified.
                break;
            case DuplicateReplyKind.Bytes:
                // Copied, because the memory may be reused before the bytes have left.
                _shard.Post(new CoapOutbound { Channel = item.Channel, Encoded = reply.ToArray() });
                break;
            default:
                break;
        }
    }

    private void RefuseBusy(in CoapInbound item, CoapCode code, CoapChannel peer, long now)
    {
        if (item.IsMulticast || !code.IsRequest || item.Message is not { } request)
        {
            return;
        }

        if (IsBusyUnwanted(request))
        {
            if (item.Type == CoapMessageType.Confirmable)
            {
                PostEmpty(item.Channel, CoapMessageType.Acknowledgement, item.MessageId);
            }

            return;
        }

        CoapMessage response = BusyResponse(request.Token);
        if (item.Type == CoapMessageType.Confirmable)
        {
            response.Type = CoapMessageType.Acknowledgement;
            response.MessageId = item.MessageId;
        }
        else if (!_ids.TryTake(peer, response, now))
        {
            return;
        }
        else
        {
            response.Type = CoapMessageType.NonConfirmable;
        }

        _shard.Post(new CoapOutbound { Channel = item.Channel, Message = response });
    }

    // RFC 7967 section 2.1: the client does not want server errors.
    private static bool IsBusyUnwanted(CoapMessage request) =>
        request.HasOptions && request.OptionsToRead!.SuppressesResponse(CoapCode.ServiceUnavailable);

    private CoapMessage BusyResponse(CoapToken token)
    {
        CoapMessage response = new(CoapCode.ServiceUnavailable) { Token = token };
        response.Options.AddUInt(OptionNumber.MaxAge, (uint)_limits.Requests.BusyMaxAge);
        return response;
    }

    private void AcknowledgeEmpty(ReceivedMessage received, CoapChannel peer)
    {
        received.State = ReceivedMessageState.Acknowledged;
        PostEmpty(received.Channel, CoapMessageType.Acknowledgement, received.MessageId);
        _shard.Wheel.Schedule(received, received.ReceivedAt + peer.Messaging.Times.ExchangeLifetime);
    }

    private void End(ReceivedMessage received, ReceivedMessageState state, DuplicateReplyKind kind, long now)
    {
        _shard.Wheel.Cancel(received);
        received.State = state;
        _memory.End(_times.Refresh(received.Channel), received, kind, default, now);
    }
}

/// <summary>
/// Remembers the last requests that were answered 5.03 for lack of memory, so that a duplicate is not executed although its sender believes
/// it was refused. A fixed table: newer entries replace older ones.
/// </summary>
internal sealed class RejectedRequestTable
{
    private const int Capacity = 1024;

    private Entry[]? _entries;

    public void Add(CoapChannel channel, ushort messageId, uint hash, long until)
    {
        _entries ??= new Entry[Capacity];
        _entries[IndexOf(channel, messageId)] = new Entry(channel, messageId, hash, until);
    }

    public bool Contains(CoapChannel channel, ushort messageId, uint hash, long now) =>
        _entries is not null
        && _entries[IndexOf(channel, messageId)] is var entry
        && entry.Channel == channel && entry.MessageId == messageId && entry.Hash == hash && now < entry.Until;

    private static int IndexOf(CoapChannel channel, ushort messageId) =>
        (int)(((uint)messageId + ((uint)channel.Remote.Low * 0x9e37_79b1u) + channel.Remote.Port) % Capacity);

    private readonly record struct Entry(CoapChannel? Channel, ushort MessageId, uint Hash, long Until);
}
