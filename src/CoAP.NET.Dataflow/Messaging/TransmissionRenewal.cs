namespace CoAP.NET.Messaging;

/// <summary>
/// Gives an outstanding message newer content under a Message ID of its own, and recognizes replies to the previous IDs (RFC 7641 section
/// 4.5.2). What the newer content is, the owner of the message says. Call every method under the shard's lock.
/// </summary>
internal sealed class TransmissionRenewal(CoapShard shard, OutgoingMessageIds ids, OutstandingMessages outstanding, SendPacing pacing)
{
    // The number of replaced messages whose acknowledgement or reset is still recognized.
    private const int MaxSuperseded = 4;

    /// <summary>
    /// Replaces an outstanding message by the newest one, with a Message ID of its own. The timer and the count of retransmissions stay.
    /// </summary>
    /// <returns>Whether there is a newer message.</returns>
    public bool TryRenew(CoapTransmission transmission, CoapChannel peer, long now)
    {
        if (peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime) > now
            || transmission.TakeNewest(now) is not { } message || ReferenceEquals(message, transmission.Message))
        {
            return false;
        }

        PeerSendingState sending = peer.Messaging.Sending!;
        List<ushort> superseded = transmission.Superseded ??= [];
        if (superseded.Count == MaxSuperseded)
        {
            outstanding.RemoveMessageId(superseded[0], sending);
            superseded.RemoveAt(0);
        }

        superseded.Add(transmission.Message.MessageId);
        message.Type = transmission.Message.Type;
        transmission.Message = message;
        transmission.Encoded = null;
        ids.Take(peer, message, now);
        outstanding.AddMessageId(transmission, sending);
        return true;
    }

    /// <summary>
    /// Handles the acknowledgement of a replaced message. The peer responds, so the newer one gets its copies and waits again (RFC 7641
    /// section 4.5.2), but still needs an acknowledgement of its own. Not counted as the first attempt, because it yields no reliable
    /// round-trip time.
    /// </summary>
    public void OnSupersededAcknowledged(CoapTransmission transmission, ushort messageId, CoapChannel peer, long now)
    {
        transmission.Superseded?.Remove(messageId);
        outstanding.RemoveMessageId(messageId, peer.Messaging.Sending!);
        transmission.Attempts = Math.Min(transmission.Attempts, 2);
        transmission.SentAt = now;
        transmission.Timeout = pacing.FirstWait(transmission, peer.Messaging.Times, peer.Messaging.Sending!, now);
        if (transmission.IsScheduled && transmission.Due > now + transmission.Timeout)
        {
            shard.Wheel.Schedule(transmission, now + transmission.Timeout);
        }
    }
}
