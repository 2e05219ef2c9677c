using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// Messages of our own: RFC 7252 sections 4.2 (retransmission), 4.4 (Message IDs) and 4.7 (congestion control).
internal sealed partial class MessageLayer
{
    private static readonly long s_retryPeriod = TimeSpan.FromSeconds(1).Ticks;

    private void SendOwn(CoapTransmission transmission, long now)
    {
        if (transmission is { Source: { } source, Message.Type: CoapMessageType.NonConfirmable })
        {
            SendPaced(transmission, source, now);
            return;
        }

        if (transmission.IsOver || transmission.IsOutstanding || transmission.IsQueued)
        {
            // Cancelled before it came here, or offered twice.
            return;
        }

        CoapChannel peer = Refresh(transmission.Channel);
        SendingState sending = SendingOf(peer);
        Enqueue(transmission, ref transmission.IsPaced ? ref sending.WaitingReplies : ref sending.Waiting, peer, now);
    }

    private void Cancel(CoapTransmission transmission, long now)
    {
        if (transmission.IsQueued && transmission.Channel.Messaging.Sending is { } sending)
        {
            Dequeue(transmission, sending);

            // What it held up may go now; the timer is that of the one that is gone.
            Pump(Refresh(transmission.Channel), now);
        }
        else if (transmission.IsOutstanding)
        {
            CoapChannel peer = Refresh(transmission.Channel);
            OnUnanswered(transmission, peer, now);
            peer.Messaging.Sending!.CancelledId = transmission.Message.MessageId;
            End(transmission, now);
        }

        transmission.IsOver = true;
    }

    private void Enqueue(CoapTransmission transmission, ref WaitingList waiting, CoapChannel peer, long now)
    {
        waiting.Add(transmission);
        _waiting++;
        transmission.IsQueued = true;
        Pump(peer, now);
        if (transmission.IsQueued && (waiting.Count > peer.Messaging.Times.Parameters.MaxQueuedRequests || _waiting > _maxOutstanding))
        {
            // The second bound is for responses to addresses that come once and never acknowledge: each has a queue of its own.
            Dequeue(transmission, peer.Messaging.Sending!);
            transmission.IsOver = true;
            _counters.Add(CoapCounter.NotSent);
            transmission.Channel.NoteDrop(CoapCounter.NotSent);
            RaiseEvent(CoapInboundKind.NotSent, transmission);
        }
    }

    private void Dequeue(CoapTransmission transmission, SendingState sending)
    {
        if (transmission.PassesQueue)
        {
            sending.WaitingReplies.Remove(transmission);
        }
        else
        {
            sending.Waiting.Remove(transmission);
        }

        _waiting--;
        transmission.IsQueued = false;
    }

    /// <summary>Sends what waits and may go, and sets the timer for the rest.</summary>
    private void Pump(CoapChannel peer, long now)
    {
        if (peer.Messaging.Sending is not { } sending)
        {
            return;
        }

        long due = long.MaxValue;
        while (sending.WaitingReplies.First is { } reply)
        {
            due = MayUseMessageId(peer, now);
            if (due > now)
            {
                break;
            }

            Dequeue(reply, sending);
            Transmit(reply, peer, sending, now);
        }

        while (sending.Waiting.First is not null && sending.Interactions < peer.Messaging.Times.Parameters.NStart)
        {
            (CoapTransmission first, long mayProbe) = FirstToProbe(peer, sending, now);
            long next = Math.Max(MayUseMessageId(peer, now), mayProbe);
            if (next <= now && first.Source is { } source)
            {
                next = source.MayBeTakenAt(first, now);
            }

            if (next > now)
            {
                due = Math.Min(due, next);
                break;
            }

            Dequeue(first, sending);
            Transmit(first, peer, sending, now);
        }

        if (due > now && due != long.MaxValue)
        {
            _shard.Wheel.Schedule(sending, due);
        }
    }

    /// <summary>When the next message may take a Message ID and a place among the outstanding ones; not after now when it may go.</summary>
    private long MayUseMessageId(CoapChannel peer, long now) =>
        _transmissions.Count >= _maxOutstanding ? now + s_retryPeriod
        : peer.Remote.IsMulticast ? _groupMessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime)
        : peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime);

    private void Transmit(CoapTransmission transmission, CoapChannel peer, SendingState sending, long now)
    {
        CoapMessage message = transmission.Message;
        if (transmission.Source is { } source)
        {
            if (source.Take(transmission, now) is not { } newest)
            {
                transmission.IsOver = true;
                return;
            }

            newest.Type = message.Type;
            transmission.Message = message = newest;
        }

        TakeMessageId(peer, message, now);
        transmission.Attempts = 1;
        transmission.SentAt = now;
        transmission.IsOutstanding = true;
        transmission.Place = _transmissions.Add(transmission);
        if (sending.Outstanding.IsFull)
        {
            sending.Outstanding.Grow();
        }

        sending.Outstanding.Set(message.MessageId, transmission.Place);
        if (!transmission.PassesQueue)
        {
            transmission.CountsForNStart = true;
            sending.Interactions++;
            sending.Unheard++;
        }

        if (message.Type == CoapMessageType.Confirmable)
        {
            transmission.Timeout = FirstWait(transmission, peer.Messaging.Times, sending, now);
            _shard.Wheel.Schedule(transmission, now + transmission.Timeout);
        }
        else
        {
            message.Type = CoapMessageType.NonConfirmable;
            transmission.Timeout = now + peer.Messaging.Times.NonLifetime;
            _shard.Wheel.Schedule(transmission, transmission.PassesQueue ? transmission.Timeout : now + peer.Messaging.Times.NonConfirmablePlace);
            if (transmission.TellsWhenSent)
            {
                RaiseEvent(CoapInboundKind.Sent, transmission);
            }
        }

        if (!transmission.IsReply && !MayLeave(transmission, (int)message.SizeBound, now))
        {
            // As good as lost. A Confirmable one has copies that may go later.
            return;
        }

        _shard.Post(new CoapOutbound { Channel = transmission.Channel, Message = message, Transmission = transmission, KeepsBytes = true });
    }

    public void OnTransmissionDue(CoapTransmission transmission, long now)
    {
        CoapChannel peer = Refresh(transmission.Channel);
        if (transmission.Message.Type != CoapMessageType.Confirmable)
        {
            if (transmission.CountsForNStart)
            {
                // Lost, or answered by silence: others may go. A reset can still match it.
                ReleaseInteraction(transmission, peer.Messaging.Sending!);
                _shard.Wheel.Schedule(transmission, Math.Max(transmission.Timeout, now));
                Pump(peer, now);
            }
            else
            {
                End(transmission, now);
            }

            return;
        }

        if (transmission.Attempts > peer.Messaging.Times.Parameters.MaxRetransmit || IsPastSpan(transmission, peer.Messaging.Times))
        {
            _counters.Add(CoapCounter.TransmissionsGivenUp);
            transmission.Channel.NoteDrop(CoapCounter.TransmissionsGivenUp);
            OnUnanswered(transmission, peer, now);
            End(transmission, now);
            RaiseEvent(CoapInboundKind.NotAcknowledged, transmission);
            return;
        }

        if (transmission.Source is { } source)
        {
            long next = source.MayBeTakenAt(transmission, now);
            if (next > now)
            {
                _shard.Wheel.Schedule(transmission, next);
                return;
            }

            TryRenew(transmission, source, peer, now);
        }

        transmission.Attempts++;
        _shard.Wheel.Schedule(transmission, NextDue(transmission, peer.Messaging.Times, peer.Messaging.Sending!, now));
        if (!MayLeave(transmission, transmission.Encoded?.Length ?? (int)transmission.Message.SizeBound, now))
        {
            // As good as lost; the peer may ask again.
            return;
        }

        _counters.Add(CoapCounter.Retransmissions);
        if (transmission.Encoded is { } encoded)
        {
            Charge(peer, encoded.Length, now);
        }

        _shard.Post(new CoapOutbound
        {
            Channel = transmission.Channel,
            Message = transmission.Message,
            Transmission = transmission,
            Encoded = transmission.Encoded,
            KeepsBytes = transmission.Encoded is null,
        });
    }

    private bool MayLeave(CoapTransmission transmission, int size, long now) =>
        transmission.IsLimited ? _shard.Guard.MaySend(transmission.Channel, size, now) : _shard.Guard.MayRequest(transmission.Channel, size, now);

    /// <summary>Ends a transmission: no further copies, its place is free.</summary>
    private void End(CoapTransmission transmission, long now)
    {
        CoapChannel peer = Refresh(transmission.Channel);
        SendingState sending = peer.Messaging.Sending!;
        Settle(transmission, sending);
        sending.Outstanding.Remove(transmission.Message.MessageId);
        ForgetSuperseded(transmission, sending);
        if (sending.Outstanding is { Count: 0, Capacity: > 16 })
        {
            sending.Outstanding.Rebuild(default, spare: 0);
        }

        Pump(peer, now);
    }

    private void Settle(CoapTransmission transmission, SendingState sending)
    {
        _shard.Wheel.Cancel(transmission);
        _transmissions.Remove(transmission.Place);
        ReleaseInteraction(transmission, sending);
        transmission.IsOutstanding = false;
        transmission.IsOver = true;
        transmission.Encoded = null;
    }

    private void GiveUpAll(SendingState sending)
    {
        _shard.Wheel.Cancel(sending);
        foreach (ulong entry in sending.Outstanding.Entries)
        {
            if (entry != 0 && _transmissions[MidTable.PlaceOf(entry)] is { } transmission)
            {
                Settle(transmission, sending);
                RaiseEvent(CoapInboundKind.NotAcknowledged, transmission);
            }
        }

        sending.Outstanding = default;
        while ((sending.WaitingReplies.First ?? sending.Waiting.First) is { } waiting)
        {
            Dequeue(waiting, sending);
            waiting.IsOver = true;
            RaiseEvent(CoapInboundKind.NotSent, waiting);
        }
    }

    private static void ReleaseInteraction(CoapTransmission transmission, SendingState sending)
    {
        if (transmission.CountsForNStart)
        {
            transmission.CountsForNStart = false;
            sending.Interactions--;
        }
    }

    private SendingState SendingOf(CoapChannel peer) => peer.Messaging.MakeExtras().Sending ??= new SendingState(peer, _resume);

    private bool TryTakeMessageId(CoapChannel peer, CoapMessage message, long now)
    {
        if (peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime) > now)
        {
            return false;
        }

        TakeMessageId(peer, message, now);
        return true;
    }

    private void TakeMessageId(CoapChannel peer, CoapMessage message, long now)
    {
        if (peer.Remote.IsMulticast)
        {
            message.MessageId = _groupMessageIds.Take(now);
            return;
        }

        MessagingExtras extras = peer.Messaging.MakeExtras();
        if (!extras.HasMessageIds)
        {
            extras.HasMessageIds = true;
            extras.MessageIds = new MessageIdSequence(_ghosts.StartOf(peer.Remote));
        }

        ushort messageId;
        do
        {
            messageId = _messageIds[extras.MessageIds.Take(now)];
        }
        while (GroupMessageIds.Contains(messageId));

        // Those of groups are passed over at once, so that the next one is either in a block that is known to be free, or the first of a block.
        while (!extras.MessageIds.IsAtBlock && GroupMessageIds.Contains(_messageIds[extras.MessageIds.Next]))
        {
            extras.MessageIds.Take(now);
        }

        message.MessageId = messageId;
    }

    /// <summary>A number from 0 up to 1. Seeded from the environment's random source, which must not be called under the lock.</summary>
    private double NextJitter() => _jitter.Next();
}
