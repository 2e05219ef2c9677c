using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// What the stage above answers to a reception: RFC 7252 section 5.2.
internal sealed partial class MessageLayer
{
    /// <summary>Something goes down: a reply, a message of our own, or what is to become of one.</summary>
    public void Send(in CoapOutbound item, long now)
    {
        if (!item.Encoded.IsEmpty)
        {
            // Finished bytes of somebody else's making: only the order within the channel is ours.
            _shard.Post(item);
            return;
        }

        switch (item.Kind)
        {
            case CoapOutboundKind.Message when item.Message is null:
                _counters.Add(CoapCounter.Ignored);
                break;
            case CoapOutboundKind.Message when item.Reception is { } reception:
                Reply(item, reception, now);
                break;
            case CoapOutboundKind.Message:
                SendOwn(item.Transmission ?? new CoapTransmission(item.Channel, item.Message, null), now);
                break;
            case CoapOutboundKind.Acknowledge when item.Reception is { } reception:
                Acknowledge(reception, now);
                break;
            case CoapOutboundKind.Reject when item.Reception is { } reception:
                Reject(reception, now);
                break;
            case CoapOutboundKind.Reset when item.Reception is { } reception:
                Reset(reception, now);
                break;
            case CoapOutboundKind.Finish when item.Reception is { } reception:
                Finish(reception, now);
                break;
            case CoapOutboundKind.Forget when item.Reception is { State: CoapReceptionState.Pending } reception:
                _shard.Wheel.Cancel(reception);
                reception.State = CoapReceptionState.Replied;
                _memory.Drop(Refresh(item.Channel), reception);
                break;
            case CoapOutboundKind.Cancel when item.Transmission is { } transmission:
                Cancel(transmission, now);
                break;
            default:
                _counters.Add(CoapCounter.Ignored);
                break;
        }
    }

    /// <summary>The bytes of a message that may be needed again.</summary>
    public void OnEncoded(in CoapOutbound item, ReadOnlySpan<byte> bytes, long now)
    {
        if (item.Transmission is { } transmission)
        {
            Charge(Refresh(item.Channel), bytes.Length, now);
            if (transmission.IsOutstanding && transmission.Message.Type == CoapMessageType.Confirmable
                && (transmission.Source is null || ReferenceEquals(item.Message, transmission.Message)))
            {
                transmission.Encoded ??= bytes.ToArray();
            }
        }
        else if (item.Reception is { Place: not 0 } reception)
        {
            _shard.Wheel.Cancel(reception);
            _memory.End(Refresh(item.Channel), reception, StoredReply.Bytes, bytes, now);
        }
    }

    /// <summary>A reply was offered on and has not been encoded yet: a block in between keeps it, or dropped it. It is not waited for beyond its lifetime.</summary>
    public void OnEncodingDelayed(CoapReception reception)
    {
        if (reception.Place != 0)
        {
            _shard.Wheel.Schedule(reception, reception.ReceivedAt + Refresh(reception.Channel).Messaging.Times.ExchangeLifetime);
        }
    }

    /// <summary>A reply was declined, so that it is lost. What may be carried out again is forgotten, so that a duplicate is answered.</summary>
    public void OnReplyLost(CoapReception reception, long now)
    {
        _shard.Wheel.Cancel(reception);
        if (DuplicateMemory.ClassOf(reception.Code) == MethodClass.Unsafe)
        {
            _memory.End(Refresh(reception.Channel), reception, StoredReply.Silence, default, now);
        }
        else
        {
            _memory.Drop(Refresh(reception.Channel), reception);
        }
    }

    private void Reply(in CoapOutbound item, CoapReception reception, long now)
    {
        CoapMessage message = item.Message!;
        switch (reception.State)
        {
            case CoapReceptionState.Pending when reception.Type == CoapMessageType.Confirmable:
                _shard.Wheel.Cancel(reception);
                reception.State = CoapReceptionState.Replied;
                message.Type = CoapMessageType.Acknowledgement;
                message.MessageId = reception.MessageId;
                if (item.Transmission is { } rides)
                {
                    // It rides on the acknowledgement, which nobody acknowledges.
                    rides.IsOver = true;
                    if (rides.Source is not null)
                    {
                        RaiseEvent(CoapInboundKind.Acknowledged, rides);
                    }
                }

                if (!_shard.Post(new CoapOutbound { Channel = item.Channel, Message = message, Reception = reception, KeepsBytes = true }))
                {
                    OnReplyLost(reception, now);
                }

                break;
            case CoapReceptionState.Pending:
                EndReception(reception, CoapReceptionState.Replied, StoredReply.Silence, now);
                message.Type = CoapMessageType.NonConfirmable;
                SendReply(item, now);
                break;
            case CoapReceptionState.Acknowledged:
                EndReception(reception, CoapReceptionState.Replied, StoredReply.EmptyAcknowledgement, now);
                message.Type = item.NeverConfirmable ? CoapMessageType.NonConfirmable : CoapMessageType.Confirmable;
                SendReply(item, now);
                break;
            default:
                _counters.Add(CoapCounter.LateResponses);
                if (item.Transmission is { IsOver: false } late)
                {
                    late.IsOver = true;
                    RaiseEvent(CoapInboundKind.NotSent, late);
                }

                break;
        }
    }

    private void Acknowledge(CoapReception reception, long now)
    {
        if (reception.State is not (CoapReceptionState.Pending or CoapReceptionState.Acknowledged))
        {
            return;
        }

        if (!reception.Code.IsRequest)
        {
            // A response, so nothing else is owed.
            Finish(reception, now);
        }
        else if (reception.Type == CoapMessageType.Confirmable && reception.State == CoapReceptionState.Pending)
        {
            AcknowledgeEmpty(reception, Refresh(reception.Channel));
        }
    }

    private void Reject(CoapReception reception, long now)
    {
        if (reception.State != CoapReceptionState.Pending || reception.Type != CoapMessageType.Confirmable || reception.IsMulticast)
        {
            // What was acknowledged cannot be rejected any more, and a Non-confirmable one is rejected by silence (section 4.3).
            Finish(reception, now);
            return;
        }

        PostEmpty(reception.Channel, CoapMessageType.Reset, reception.MessageId);
        EndReception(reception, CoapReceptionState.Rejected, StoredReply.Reset, now);
    }

    private void Reset(CoapReception reception, long now)
    {
        if (reception.Type == CoapMessageType.NonConfirmable && reception.State == CoapReceptionState.Pending && !reception.IsMulticast)
        {
            PostEmpty(reception.Channel, CoapMessageType.Reset, reception.MessageId);
        }

        Reject(reception, now);
    }

    private void Finish(CoapReception reception, long now)
    {
        switch (reception.State)
        {
            case CoapReceptionState.Pending when reception.Type == CoapMessageType.Confirmable:
                PostEmpty(reception.Channel, CoapMessageType.Acknowledgement, reception.MessageId);
                EndReception(reception, CoapReceptionState.Replied, StoredReply.EmptyAcknowledgement, now);
                break;
            case CoapReceptionState.Acknowledged:
                EndReception(reception, CoapReceptionState.Replied, StoredReply.EmptyAcknowledgement, now);
                break;
            case CoapReceptionState.Pending:
                EndReception(reception, CoapReceptionState.Replied, StoredReply.Silence, now);
                break;
            default:
                break;
        }
    }

    private void EndReception(CoapReception reception, CoapReceptionState state, StoredReply kind, long now)
    {
        _shard.Wheel.Cancel(reception);
        reception.State = state;
        _memory.End(Refresh(reception.Channel), reception, kind, default, now);
    }

    /// <summary>Sends a response that has a Message ID of its own. It waits only for that.</summary>
    private void SendReply(in CoapOutbound item, long now)
    {
        CoapChannel peer = Refresh(item.Channel);
        if (item.Transmission is { IsOver: true })
        {
            return;
        }

        bool isTracked = item.Transmission is not null || item.Message!.Type == CoapMessageType.Confirmable;
        if (!isTracked && (peer.Messaging.Sending is null || peer.Messaging.Sending.WaitingReplies.Count == 0) && TryTakeMessageId(peer, item.Message!, now))
        {
            _shard.Post(new CoapOutbound { Channel = item.Channel, Message = item.Message });
            return;
        }

        CoapTransmission transmission = item.Transmission ?? new CoapTransmission(item.Channel, item.Message!, null);
        transmission.IsReply = true;
        transmission.IsLimited = true;
        SendingState sending = SendingOf(peer);
        Enqueue(transmission, ref sending.WaitingReplies, peer, now);
    }
}
