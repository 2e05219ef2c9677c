using CoAP.NET.Channels;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Messaging;

// What peers send: RFC 7252 sections 4.2 (Confirmable), 4.3 (Non-confirmable) and 4.5 (duplicates).
internal sealed partial class MessageLayer
{
    /// <summary>A message or format error came.</summary>
    /// <param name="item">What the Serializer made of a datagram.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="up">What goes up.</param>
    /// <returns>Whether something goes up.</returns>
    public bool Receive(in CoapInbound item, long now, out CoapInbound up)
    {
        up = default;
        switch (item.Kind)
        {
            case CoapInboundKind.FormatError:
                return ReceiveFormatError(item, now, out up);
            case CoapInboundKind.Message when item.Message is { } message:
                break;
            default:
                // Only this layer makes the other kinds; one from below would be a block's mistake.
                _counters.Add(CoapCounter.Ignored);
                return false;
        }

        CoapCode code = item.Message.Code;
        switch (item.Type)
        {
            case CoapMessageType.Acknowledgement:
                return ReceiveAcknowledgement(item, code, now, out up);
            case CoapMessageType.Reset:
                ReceiveReset(item, code, now);
                return false;
            case CoapMessageType.Confirmable when item.IsMulticast:
                // RFC 7252 section 8.1: multicast requests are Non-confirmable. An acknowledgement or reset would come from every member of the group.
                _counters.Add(CoapCounter.Ignored);
                item.Channel.NoteDrop(CoapCounter.Ignored);
                return false;
            case CoapMessageType.Confirmable when code.IsEmpty || code.IsReserved:
                // An Empty one is a ping (section 4.3); a reserved class is rejected (section 4.2).
                if (code.IsEmpty && item.Channel.Messaging.IsUsed)
                {
                    OnHeard(item.Channel, now);
                }

                PostEmpty(item.Channel, CoapMessageType.Reset, item.MessageId);
                return false;
            case CoapMessageType.Confirmable:
                return Accept(item, code, now, out up);
            case CoapMessageType.NonConfirmable when code.IsEmpty || code.IsReserved:
                _counters.Add(CoapCounter.Ignored);
                item.Channel.NoteDrop(CoapCounter.Ignored);
                return false;
            case CoapMessageType.NonConfirmable:
                return Accept(item, code, now, out up);
            default:
                _counters.Add(CoapCounter.Ignored);
                return false;
        }
    }

    /// <summary>What the stage above did not take: a request is answered 5.03 (RFC 7252 section 5.9.3.4); a Confirmable response may come again.</summary>
    public void OnNotTaken(CoapReception reception, CoapMessage? message, long now)
    {
        if (message is { Code.IsRequest: true } && IsBusyUnwanted(message))
        {
            Finish(reception, now);
            return;
        }

        if (message is null || !message.Code.IsRequest || reception.IsMulticast)
        {
            _shard.Wheel.Cancel(reception);
            reception.State = CoapReceptionState.Replied;
            _memory.Drop(Refresh(reception.Channel), reception);
            return;
        }

        _counters.Add(CoapCounter.Busy);
        reception.Channel.NoteDrop(CoapCounter.Busy);
        Reply(new CoapOutbound { Channel = reception.Channel, Reception = reception, Message = BusyResponse(message.Token) }, reception, now);
    }

    private bool ReceiveFormatError(in CoapInbound item, long now, out CoapInbound up)
    {
        up = default;
        bool hasHeader = item.Error.Rule is not (CoapFormatRule.HeaderTruncated or CoapFormatRule.UnknownVersion);
        if (!hasHeader || item.Type is not (CoapMessageType.Confirmable or CoapMessageType.NonConfirmable))
        {
            // Without a header there is no Message ID to answer; other versions and bad acknowledgements and resets are ignored (sections 3 and 4.2).
            return false;
        }

        bool isGroupConfirmable = item.Type == CoapMessageType.Confirmable && item.IsMulticast;
        if (item.Error.Rule is CoapFormatRule.MessageTooLarge or CoapFormatRule.TokenTooLong && item.Message is { Code.IsRequest: true } && !isGroupConfirmable)
        {
            // A request that is well-formed as far as can be told, and owed a 4.13 or 4.00 that only the stage above can make. A response is never
            // answered by a response (section 5.2): it is rejected as any message that cannot be processed.
            return Accept(item, CoapCode.Empty, now, out up);
        }

        if (item.Type == CoapMessageType.Confirmable && !item.IsMulticast)
        {
            PostEmpty(item.Channel, CoapMessageType.Reset, item.MessageId);
        }

        return false;
    }

    private bool Accept(in CoapInbound item, CoapCode code, long now, out CoapInbound up)
    {
        up = default;
        CoapChannel peer = Refresh(item.Channel);
        OnHeard(peer, now);
        Recall recall = _memory.Find(peer, item.MessageId, now, out CoapReception? running, out ReplyHeader header, out ReadOnlySpan<byte> reply);
        if (recall == Recall.Running && running!.Hash == item.Hash)
        {
            _counters.Add(CoapCounter.Duplicates);
            RepeatRunning(running, now);
            return false;
        }

        if (recall == Recall.Finished && header.Hash == item.Hash)
        {
            _counters.Add(CoapCounter.Duplicates);
            RepeatFinished(item, header.Reply, reply, now);
            return false;
        }

        if (recall != Recall.Unknown)
        {
            // A device that restarted begins with the same numbers; what it asked before the restart is of no use to it any more.
            _counters.Add(CoapCounter.MessageIdReused);
            if (running is not null)
            {
                _shard.Wheel.Cancel(running);
                running.State = CoapReceptionState.Replied;
                _memory.Drop(peer, running);
            }
        }

        MethodClass @class = DuplicateMemory.ClassOf(code);
        int reserved = 0;
        if (@class == MethodClass.Unsafe && _busy.Contains(item.Channel, item.MessageId, item.Hash, now))
        {
            _counters.Add(CoapCounter.Duplicates);
            RefuseBusy(item, code, peer, now);
            return false;
        }

        if (!_memory.TryAdmit(peer, @class, now, out reserved))
        {
            _counters.Add(CoapCounter.Busy);
            item.Channel.NoteDrop(CoapCounter.Busy);
            _busy.Add(item.Channel, item.MessageId, item.Hash, now + peer.Messaging.Times.LifetimeOf(item.Type));
            RefuseBusy(item, code, peer, now);
            return false;
        }

        CoapReception reception = new(item.Channel, item.Type, item.MessageId)
        {
            Code = code,
            Hash = item.Hash,
            IsMulticast = item.IsMulticast,
            Length = (ushort)Math.Min(item.Length, ushort.MaxValue),
            ReceivedAt = now,
        };
        _memory.Begin(peer, reception, reserved, now);
        if (item.Type == CoapMessageType.NonConfirmable)
        {
            _shard.Wheel.Schedule(reception, now + peer.Messaging.Times.NonLifetime);
        }
        else if (peer.Messaging.Times.PiggybackWindow > 0)
        {
            _shard.Wheel.Schedule(reception, now + peer.Messaging.Times.PiggybackWindow);
        }
        else
        {
            AcknowledgeEmpty(reception, peer);
        }

        up = item with { Reception = reception };
        return true;
    }

    private void RepeatRunning(CoapReception reception, long now)
    {
        if (reception.Type != CoapMessageType.Confirmable)
        {
            return;
        }

        switch (reception.State)
        {
            case CoapReceptionState.Pending:
                // The peer waits: from now on the response is a separate one.
                AcknowledgeEmpty(reception, Refresh(reception.Channel));
                break;
            case CoapReceptionState.Acknowledged:
                PostEmpty(reception.Channel, CoapMessageType.Acknowledgement, reception.MessageId);
                break;
            default:
                // The reply is on its way to the encoder.
                break;
        }
    }

    private void RepeatFinished(in CoapInbound item, StoredReply kind, ReadOnlySpan<byte> reply, long now)
    {
        switch (kind)
        {
            case StoredReply.EmptyAcknowledgement:
                PostEmpty(item.Channel, CoapMessageType.Acknowledgement, item.MessageId);
                break;
            case StoredReply.Reset:
                PostEmpty(item.Channel, CoapMessageType.Reset, item.MessageId);
                break;
            case StoredReply.Bytes when !_shard.Guard.MayAnswer(item.Channel, reply.Length, item.Length, now):
                // Lost, as a datagram may be: nobody showed that the address is the peer's own.
                break;
            case StoredReply.Bytes:
                // Copied: the memory may be used anew before the bytes have left.
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
        else if (!TryTakeMessageId(peer, response, now))
        {
            return;
        }
        else
        {
            response.Type = CoapMessageType.NonConfirmable;
        }

        _shard.Post(new CoapOutbound { Channel = item.Channel, Message = response });
    }

    // RFC 7967 section 2.1: the client said that it has no use for errors of the server.
    /// <summary>The answer to a request on a connection that the stage above did not take; null when there is none to give. Needs no lock.</summary>
    public CoapMessage? BusyResponseTo(CoapMessage? message) => message is { Code.IsRequest: true } && !IsBusyUnwanted(message) ? BusyResponse(message.Token) : null;

    private static bool IsBusyUnwanted(CoapMessage request) => request.HasOptions && request.OptionsToRead!.SuppressesResponse(CoapCode.ServiceUnavailable);

    private CoapMessage BusyResponse(CoapToken token)
    {
        CoapMessage response = new(CoapCode.ServiceUnavailable) { Token = token };
        response.Options.AddUInt(OptionNumber.MaxAge, (uint)_limits.BusyMaxAge);
        return response;
    }

    private void AcknowledgeEmpty(CoapReception reception, CoapChannel peer)
    {
        reception.State = CoapReceptionState.Acknowledged;
        PostEmpty(reception.Channel, CoapMessageType.Acknowledgement, reception.MessageId);
        _shard.Wheel.Schedule(reception, reception.ReceivedAt + peer.Messaging.Times.ExchangeLifetime);
    }

    public void OnReceptionDue(CoapReception reception, long now)
    {
        if (reception.Type == CoapMessageType.Confirmable && reception.State == CoapReceptionState.Pending)
        {
            AcknowledgeEmpty(reception, Refresh(reception.Channel));
        }
        else
        {
            // No duplicate can come any more. Whoever still works on it may answer nevertheless.
            _memory.Drop(Refresh(reception.Channel), reception);
        }
    }
}
