using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// Messages that are replaced by newer ones while they are outstanding: RFC 7641 section 4.5.2.
internal sealed partial class MessageLayer
{
    // Of how many replaced messages an acknowledgement or reset is still understood.
    private const int MaxSuperseded = 4;

    /// <summary>
    /// Sends the newest Non-confirmable message of a source. The source paces itself, so that neither NSTART nor PROBING_RATE holds it up; it never goes before a reply
    /// that waits, and does not wait itself. All its messages have one place among the outstanding ones, so that a reset finds them.
    /// </summary>
    private void SendPaced(CoapTransmission transmission, ITransmissionSource source, long now)
    {
        if (transmission.IsOver)
        {
            // Its lifetime ended between the order and here; whoever was removed takes no notice.
            source.OnEnded(transmission, CoapInboundKind.NotSent, now);
            return;
        }

        CoapChannel peer = Refresh(transmission.Channel);
        SendingState sending = SendingOf(peer);
        if (sending.WaitingReplies.Count > 0 || MayUseMessageId(peer, now) > now
            || (transmission.IsLimited && !_shard.Guard.MaySend(transmission.Channel, (int)transmission.Message.SizeBound, now)))
        {
            _counters.Add(CoapCounter.NotSent);
            source.OnEnded(transmission, CoapInboundKind.NotSent, now);
        }
        else if (!transmission.IsOutstanding)
        {
            transmission.IsReply = true;
            Transmit(transmission, peer, sending, now);
        }
        else if (TryRenew(transmission, source, peer, now))
        {
            transmission.Attempts++;
            transmission.Timeout = now + peer.Messaging.Times.NonLifetime;
            _shard.Wheel.Schedule(transmission, transmission.Timeout);
            _shard.Post(new CoapOutbound { Channel = transmission.Channel, Message = transmission.Message, Transmission = transmission, KeepsBytes = true });
        }
    }

    /// <summary>Puts the newest message into the place of one that is outstanding, with a Message ID of its own. Timer and count of retransmissions stay.</summary>
    /// <returns>Whether there is a newer one.</returns>
    private bool TryRenew(CoapTransmission transmission, ITransmissionSource source, CoapChannel peer, long now)
    {
        if (peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime) > now
            || source.Take(transmission, now) is not { } message || ReferenceEquals(message, transmission.Message))
        {
            return false;
        }

        SendingState sending = peer.Messaging.Sending!;
        List<ushort> superseded = transmission.Superseded ??= [];
        if (superseded.Count == MaxSuperseded)
        {
            sending.Outstanding.Remove(superseded[0]);
            superseded.RemoveAt(0);
        }

        superseded.Add(transmission.Message.MessageId);
        message.Type = transmission.Message.Type;
        transmission.Message = message;
        transmission.Encoded = null;
        TakeMessageId(peer, message, now);
        if (sending.Outstanding.IsFull)
        {
            sending.Outstanding.Grow();
        }

        sending.Outstanding.Set(message.MessageId, transmission.Place);
        return true;
    }

    /// <summary>
    /// The peer acknowledged a message that a newer one has replaced. It is there, so the newer one gets its copies and waits anew (RFC 7641 section 4.5.2); but that one
    /// still needs an acknowledgement of its own. Not counted as the first attempt: nobody could tell a round-trip time from it.
    /// </summary>
    private void OnSupersededAcknowledged(CoapTransmission transmission, ushort messageId, long now)
    {
        CoapChannel peer = Refresh(transmission.Channel);
        transmission.Superseded?.Remove(messageId);
        peer.Messaging.Sending!.Outstanding.Remove(messageId);
        transmission.Attempts = Math.Min(transmission.Attempts, 2);
        transmission.SentAt = now;
        transmission.Timeout = FirstWait(transmission, peer.Messaging.Times, peer.Messaging.Sending!, now);
        if (transmission.IsScheduled && transmission.Due > now + transmission.Timeout)
        {
            _shard.Wheel.Schedule(transmission, now + transmission.Timeout);
        }

        OnHeard(peer, now);
    }

    private static void ForgetSuperseded(CoapTransmission transmission, SendingState sending)
    {
        if (transmission.Superseded is { } superseded)
        {
            foreach (ushort messageId in superseded)
            {
                sending.Outstanding.Remove(messageId);
            }

            transmission.Superseded = null;
        }
    }
}
