namespace CoAP.NET.Messaging;

/// <summary>
/// Sends messages of this endpoint: RFC 7252 sections 4.2 (retransmission) and 4.7 (congestion control). Call every method under the
/// shard's lock.
/// </summary>
internal sealed class MessageTransmitter : ITimerOwner
{
    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly TransmissionTimeCache _times;
    private readonly OutgoingMessageIds _ids;
    private readonly SendPacing _pacing;
    private readonly TransmissionRenewal _renewals;
    private readonly OutstandingMessages _outstanding;
    private readonly PeerSendTurnQueue _line;
    private readonly WaitingMessages _waiting;

    public MessageTransmitter(
        CoapShard shard, TransmissionTimeCache times, OutgoingMessageIds ids, SendPacing pacing, OutstandingMessages outstanding,
        TransmissionRenewal renewals,
        PeerSendTurnQueue line)
    {
        _shard = shard;
        _counters = shard.Environment.Counters;
        _times = times;
        _ids = ids;
        _pacing = pacing;
        _outstanding = outstanding;
        _renewals = renewals;
        _line = line;
        _waiting = new WaitingMessages(shard.Environment.Sources);
    }

    /// <summary>The number of messages in the shard that wait for their turn.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Sends a message as soon as it may leave.</summary>
    public void Send(CoapTransmission transmission, long now)
    {
        if (transmission is { IsRenewable: true, Message.Type: CoapMessageType.NonConfirmable })
        {
            SendPaced(transmission, now);
            return;
        }

        if (transmission.IsOver || transmission.IsOutstanding || transmission.IsQueued)
        {
            // Cancelled before it came here, or offered twice.
            return;
        }

        CoapChannel peer = _times.Refresh(transmission.Channel);
        SendInTurn(transmission, peer, now);
    }

    /// <summary>Sends a response with a Message ID of its own. It waits only for that.</summary>
    public void SendReply(in CoapOutbound item, long now)
    {
        CoapChannel peer = _times.Refresh(item.Channel);
        if (item.Transmission is { IsOver: true })
        {
            return;
        }

        bool isTracked = item.Transmission is not null || item.Message!.Type == CoapMessageType.Confirmable;
        if (!isTracked && (peer.Messaging.Sending is null || peer.Messaging.Sending.WaitingReplies.Count == 0)
            && _ids.TryTake(peer, item.Message!, now))
        {
            _shard.Post(new CoapOutbound { Channel = item.Channel, Message = item.Message });
            return;
        }

        CoapTransmission transmission = item.Transmission ?? new CoapTransmission(item.Channel, item.Message!, null);
        transmission.IsReply = true;
        transmission.IsLimited = true;
        SendInTurn(transmission, peer, now);
    }

    /// <summary>
    /// Sends the newest Non-confirmable message of an owner with newer ones. The owner controls the pace, so neither NSTART nor
    /// PROBING_RATE delays it. It never overtakes a waiting reply, and does not wait itself. All its messages share one place among the
    /// outstanding ones, so a reset finds them.
    /// </summary>
    private void SendPaced(CoapTransmission transmission, long now)
    {
        if (transmission.IsOver)
        {
            // Its lifetime ended between the order and here; a removed owner ignores it.
            Raise(CoapInboundKind.NotSent, transmission);
            return;
        }

        CoapChannel peer = _times.Refresh(transmission.Channel);
        PeerSendingState sending = SendingOf(peer);
        if (sending.WaitingReplies.Count > 0 || transmission.AwaitsProtection || _ids.FreeAt(peer) > now
            || (transmission.IsLimited && !_shard.Guard.MaySend(transmission.Channel, (int)transmission.Message.SizeBound, now))
            || (!transmission.IsOutstanding && !_line.MayTake(sending)))
        {
            _counters.Add(CoapCounter.NotSent);
            Raise(CoapInboundKind.NotSent, transmission);
        }
        else if (!transmission.IsOutstanding)
        {
            transmission.IsReply = true;
            Transmit(transmission, peer, sending, now);
        }
        else if (_renewals.TryRenew(transmission, peer, now))
        {
            transmission.Attempts++;
            transmission.Timeout = now + peer.Messaging.Times.NonLifetime;
            _outstanding.EvictFrom(transmission);
            _shard.Wheel.Schedule(transmission, transmission.Timeout);
            _shard.Post(new CoapOutbound { Channel = transmission.Channel, Message = transmission.Message, Transmission = transmission });
        }
    }

    /// <summary>Stops the copies of a message, and frees its place.</summary>
    public void Cancel(CoapTransmission transmission, long now)
    {
        if (transmission.IsQueued && transmission.Channel.Messaging.Sending is { } sending)
        {
            Dequeue(transmission, sending);

            // Messages behind it may go now; the timer belongs to the cancelled one.
            Pump(_times.Refresh(transmission.Channel), now);
        }
        else if (transmission.IsOutstanding)
        {
            CoapChannel peer = _times.Refresh(transmission.Channel);
            SendPacing.OnUnanswered(transmission, peer, now);
            peer.Messaging.Sending!.CancelledId = transmission.Message.MessageId;
            End(transmission, now);
        }

        transmission.IsOver = true;
    }

    void ITimerOwner.OnDue(WheelTimer timer, long now) => Pump(((PeerSendingState)timer).Peer, now);

    /// <summary>Handles a due copy of a message, or its end.</summary>
    public void OnDue(CoapTransmission transmission, long now)
    {
        CoapChannel peer = _times.Refresh(transmission.Channel);
        if (transmission.Message.Type != CoapMessageType.Confirmable)
        {
            if (transmission.CountsForNStart)
            {
                // Lost, or answered by silence: others may go. A reset can still match it.
                ReleaseInteraction(transmission, peer.Messaging.Sending!);
                _outstanding.EvictFrom(transmission);
                _shard.Wheel.Schedule(transmission, Math.Max(transmission.Timeout, now));
                Pump(peer, now);
                ServeLine(now);
            }
            else
            {
                End(transmission, now);
            }

            return;
        }

        if (transmission.Attempts > peer.Messaging.Times.Parameters.MaxRetransmit
            || SendPacing.IsPastSpan(transmission, peer.Messaging.Times))
        {
            _counters.Add(CoapCounter.TransmissionsGivenUp);
            transmission.Channel.NoteDrop(CoapCounter.TransmissionsGivenUp);
            SendPacing.OnUnanswered(transmission, peer, now);
            End(transmission, now);
            Raise(CoapInboundKind.NotAcknowledged, transmission);
            return;
        }

        if (transmission.IsRenewable)
        {
            long next = transmission.Owner!.MayLeaveAt(transmission, now);
            if (next > now)
            {
                _shard.Wheel.Schedule(transmission, next);
                return;
            }

            _renewals.TryRenew(transmission, peer, now);
        }

        transmission.Attempts++;
        _shard.Wheel.Schedule(transmission, _pacing.NextDue(transmission, peer.Messaging.Times, peer.Messaging.Sending!, now));
        if (!MayLeave(transmission, transmission.Encoded?.Length ?? (int)transmission.Message.SizeBound, now))
        {
            // As good as lost; the peer may ask again.
            return;
        }

        _counters.Add(CoapCounter.Retransmissions);
        if (transmission.Encoded is { } encoded)
        {
            SendPacing.Charge(peer, encoded.Length, now);
        }

        _shard.Post(new CoapOutbound
        {
            Channel = transmission.Channel,
            Message = transmission.Message,
            Transmission = transmission,
            Encoded = transmission.Encoded,
            KeepsBytes = transmission.Encoded is null && KeepsBytes(transmission),
        });
    }

    /// <summary>Keeps the encoded bytes of a message for copies.</summary>
    public void OnEncoded(CoapTransmission transmission, CoapMessage? encoded, ReadOnlySpan<byte> bytes, long now)
    {
        SendPacing.Charge(_times.Refresh(transmission.Channel), bytes.Length, now);
        if (transmission.IsOutstanding && transmission.Message.Type == CoapMessageType.Confirmable
            && (!transmission.IsRenewable || ReferenceEquals(encoded, transmission.Message)))
        {
            transmission.Encoded ??= bytes.ToArray();
        }
    }

    public void OnHeard(CoapChannel peer, long now)
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

    /// <summary>Ends a transmission: sends no further copies and frees its place.</summary>
    public void End(CoapTransmission transmission, long now)
    {
        CoapChannel peer = _times.Refresh(transmission.Channel);
        PeerSendingState sending = peer.Messaging.Sending!;
        Settle(transmission, sending);
        _outstanding.Remove(transmission, sending);
        if (peer.Messaging.SessionHandover is { } retirement)
        {
            _shard.AfterRelease(retirement);
        }

        Pump(peer, now);
        ServeLine(now);
    }

    public void Raise(CoapInboundKind kind, CoapTransmission transmission)
    {
        _shard.Raise(new CoapInbound
        {
            Channel = transmission.Channel,
            Kind = kind,
            Transmission = transmission,
            Type = transmission.Message.Type,
            MessageId = transmission.Message.MessageId,
        });
    }

    /// <summary>Ends all messages to a forgotten peer.</summary>
    public void GiveUpAll(CoapChannel peer)
    {
        if (peer.Messaging.Sending is not { } sending)
        {
            return;
        }

        _shard.Wheel.Cancel(sending);
        foreach (CoapTransmission transmission in _outstanding.RemoveAll(sending))
        {
            Settle(transmission, sending);
            Raise(CoapInboundKind.NotAcknowledged, transmission);
        }

        while ((sending.WaitingReplies.First ?? sending.Waiting.First) is { } waiting)
        {
            Dequeue(waiting, sending);
            waiting.IsOver = true;
            Raise(CoapInboundKind.NotSent, waiting);
        }

        ServeLine(_shard.Environment.Now);
    }

    /// <summary>Sends waiting messages that may leave, and sets the timer for the rest.</summary>
    public void Pump(CoapChannel peer, long now)
    {
        if (peer.Messaging.Sending is not { } sending)
        {
            return;
        }

        long due = long.MaxValue;
        bool lacksPlace = false;
        while (!lacksPlace && sending.WaitingReplies.First is { } reply)
        {
            due = DueOf(reply, peer, sending, now);
            if (due > now)
            {
                break;
            }

            lacksPlace = !TryTransmit(reply, peer, sending, now);
        }

        while (!lacksPlace && sending.Waiting.First is not null)
        {
            CoapTransmission first = SendPacing.FirstToProbe(peer, sending, now);
            if (DueOf(first, peer, sending, now) is var next && next > now)
            {
                due = Math.Min(due, next);
                break;
            }

            lacksPlace = !TryTransmit(first, peer, sending, now);
        }

        if (lacksPlace)
        {
            _line.Join(sending);
        }
        else
        {
            _line.Leave(sending);
        }

        if (due > now && due != long.MaxValue)
        {
            _shard.Wheel.Schedule(sending, due);
        }
    }

    // Most messages leave at once. Those that wait do so in the order of their turns.
    private void SendInTurn(CoapTransmission transmission, CoapChannel peer, long now)
    {
        PeerSendingState sending = SendingOf(peer);
        if (sending.WaitingReplies.Count == 0 && sending.Waiting.Count == 0
            && DueOf(transmission, peer, sending, now) <= now && _line.MayTake(sending))
        {
            Transmit(transmission, peer, sending, now);
            return;
        }

        _waiting.Add(transmission, sending);
        Pump(peer, now);
        if (!transmission.IsQueued)
        {
            return;
        }

        bool isFull = _waiting.Charge(transmission, sending) > peer.Messaging.Times.Parameters.MaxQueuedRequests;
        if (isFull || _waiting.Count > _line.Max)
        {
            // The second limit is for responses to addresses that appear once and never acknowledge: each has a queue of its own.
            CoapTransmission dropped = isFull
                ? WaitingMessages.LastOf(transmission, sending)
                : _waiting.ToEvict(transmission, sending);
            Dequeue(dropped, dropped.Channel.Messaging.Sending!);
            dropped.IsOver = true;
            _counters.Add(CoapCounter.NotSent);
            dropped.Channel.NoteDrop(CoapCounter.NotSent);
            Raise(CoapInboundKind.NotSent, dropped);
        }
    }

    // long.MaxValue until another message ends, because of NSTART.
    private long DueOf(CoapTransmission transmission, CoapChannel peer, PeerSendingState sending, long now)
    {
        if (transmission.PassesQueue)
        {
            return _ids.FreeAt(peer);
        }

        if (sending.Interactions >= peer.Messaging.Times.Parameters.NStart)
        {
            return long.MaxValue;
        }

        long due = Math.Max(_ids.FreeAt(peer), SendPacing.MayProbeAt(transmission, peer, sending, now));
        return due <= now && transmission.IsRenewable ? transmission.MayLeaveAt(now) : due;
    }

    private void Dequeue(CoapTransmission transmission, PeerSendingState sending)
    {
        _waiting.Remove(transmission, sending);
        if (sending.WaitingReplies.Count == 0 && sending.Waiting.Count == 0)
        {
            _line.Leave(sending);
        }
    }

    private bool TryTransmit(CoapTransmission transmission, CoapChannel peer, PeerSendingState sending, long now)
    {
        if (!_line.MayTake(sending))
        {
            return false;
        }

        _line.Leave(sending);
        if (!transmission.PassesQueue)
        {
            WaitingMessages.BeginTurn(sending);
        }

        Dequeue(transmission, sending);
        Transmit(transmission, peer, sending, now);
        return true;
    }

    /// <summary>Gives the free places to the waiting peers, in turn.</summary>
    private void ServeLine(long now)
    {
        // Each turn takes a place, or the peer leaves the line because it waits for something else.
        while (_line.First is { } first && _line.HasRoom())
        {
            Pump(_times.Refresh(first.Peer), now);
        }
    }

    private void Transmit(CoapTransmission transmission, CoapChannel peer, PeerSendingState sending, long now)
    {
        CoapMessage message = transmission.Message;
        if (transmission.IsRenewable)
        {
            if (transmission.TakeNewest(now) is not { } newest)
            {
                transmission.IsOver = true;
                if (transmission.AwaitsProtection)
                {
                    Raise(CoapInboundKind.NotSent, transmission);
                }

                return;
            }

            newest.Type = message.Type;
            transmission.Message = message = newest;
        }

        _ids.Take(peer, message, now);
        transmission.Attempts = 1;
        transmission.SentAt = now;
        _outstanding.Add(transmission, sending);
        if (!transmission.PassesQueue)
        {
            transmission.CountsForNStart = true;
            sending.Interactions++;
            sending.Unheard++;
        }

        if (message.Type == CoapMessageType.Confirmable)
        {
            transmission.Timeout = _pacing.FirstWait(transmission, peer.Messaging.Times, sending, now);
            _shard.Wheel.Schedule(transmission, now + transmission.Timeout);
        }
        else
        {
            message.Type = CoapMessageType.NonConfirmable;
            transmission.Timeout = now + peer.Messaging.Times.NonLifetime;
            if (transmission.PassesQueue)
            {
                _outstanding.EvictFrom(transmission);
            }

            _shard.Wheel.Schedule(transmission,
                transmission.PassesQueue ? transmission.Timeout : now + peer.Messaging.Times.NonConfirmableOutstandingTime);
            if (transmission.ReportsSent)
            {
                Raise(CoapInboundKind.Sent, transmission);
            }
        }

        if (!transmission.IsReply && !MayLeave(transmission, (int)message.SizeBound, now))
        {
            // As good as lost. A Confirmable one has copies that may leave later.
            return;
        }

        _shard.Post(new CoapOutbound
        {
            Channel = transmission.Channel,
            Message = message,
            Transmission = transmission,
            KeepsBytes = KeepsBytes(transmission)
        });
    }

    // Copies of messages that may change until they leave are encoded again. The same message yields the same bytes, and most never need a
    // copy.
    private static bool KeepsBytes(CoapTransmission transmission) => !transmission.IsRenewable;

    private bool MayLeave(CoapTransmission transmission, int size, long now) =>
        transmission.IsLimited
            ? _shard.Guard.MaySend(transmission.Channel, size, now)
            : _shard.Guard.MayRequest(transmission.Channel, size, now);

    private void Settle(CoapTransmission transmission, PeerSendingState sending)
    {
        _shard.Wheel.Cancel(transmission);
        ReleaseInteraction(transmission, sending);
        transmission.IsOver = true;
        transmission.Encoded = null;
    }

    private static void ReleaseInteraction(CoapTransmission transmission, PeerSendingState sending)
    {
        if (transmission.CountsForNStart)
        {
            transmission.CountsForNStart = false;
            sending.Interactions--;
        }
    }

    private PeerSendingState SendingOf(CoapChannel peer) => peer.Messaging.MakeRareState().Sending ??= new PeerSendingState(peer, this);
}
