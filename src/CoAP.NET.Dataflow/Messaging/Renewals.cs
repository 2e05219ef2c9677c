namespace CoAP.NET.Messaging;

/// <summary>
/// Messages that are replaced by newer ones while they are outstanding (RFC 7641 section 4.5.2). Every method must be called under the
/// shard's lock.
/// </summary>
internal sealed class Renewals(CoapShard shard, OwnMessageIds ids, Pacing pacing)
{
    // Of how many replaced messages an acknowledgement or reset is still understood.
    private const int MaxSuperseded = 4;

    /// <summary>
    /// Puts the newest message into the place of one that is outstanding, with a Message ID of its own. Timer and count of retransmissions
    /// stay.
    /// </summary>
    /// <returns>Whether there is a newer one.</returns>
    public bool TryRenew(CoapTransmission transmission, CoapChannel peer, long now)
    {
        if (peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime) > now
            || transmission.TakeNewest(now) is not { } message || ReferenceEquals(message, transmission.Message))
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
        ids.Take(peer, message, now);
        OutstandingMessages.AddMessageId(transmission, sending);
        return true;
    }

    /// <summary>
    /// The peer acknowledged a message that a newer one has replaced. It is there, so the newer one gets its copies and waits anew (RFC
    /// 7641 section 4.5.2); but that one still needs an acknowledgement of its own. Not counted as the first attempt: nobody could tell a
    /// round-trip time from it.
    /// </summary>
    public void OnSupersededAcknowledged(CoapTransmission transmission, ushort messageId, CoapChannel peer, long now)
    {
        transmission.Superseded?.Remove(messageId);
        peer.Messaging.Sending!.Outstanding.Remove(messageId);
        transmission.Attempts = Math.Min(transmission.Attempts, 2);
        transmission.SentAt = now;
        transmission.Timeout = pacing.FirstWait(transmission, peer.Messaging.Times, peer.Messaging.Sending!, now);
        if (transmission.IsScheduled && transmission.Due > now + transmission.Timeout)
        {
            shard.Wheel.Schedule(transmission, now + transmission.Timeout);
        }
    }
}
