namespace CoAP.NET.Messaging;

/// <summary>
/// Sessions that continue elsewhere, for example at another server. Their requests finish here, and the history of messages that must not
/// be processed twice moves with them. Call every method under the shard's lock.
/// </summary>
internal sealed class MessagingSessionHandover(DeduplicationStore memory, TransmissionTimeCache times, OutgoingMessageIds ids)
{
    /// <summary>Whether requests of a peer are pending, or answers to them not acknowledged.</summary>
    public static bool IsBusy(CoapChannel channel) => channel.Messaging.Running > 0 || OutstandingMessages.OwesReply(channel);

    /// <summary>Stops accepting new requests of a peer.</summary>
    /// <returns>Notifies the caller when a pending exchange has ended.</returns>
    public static SessionHandover Begin(CoapChannel channel) => channel.Messaging.MakeRareState().SessionHandover ??= new SessionHandover();

    /// <summary>Ends a session here and returns its message history.</summary>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public HandoverMessageHistory ExportState(CoapChannel channel, long now)
    {
        // From now on no message of it is accepted: the returned history is complete.
        channel.IsForgotten = true;
        times.Refresh(channel);
        return new HandoverMessageHistory(memory.SeenOf(channel, now), ids.RecentOf(channel, now));
    }

    /// <summary>Answers copies of messages that another server processed, without processing them.</summary>
    /// <param name="channel">The channel of the new session.</param>
    /// <param name="retired">The result of <see cref="ExportState"/>.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Restore(CoapChannel channel, in HandoverMessageHistory retired, long now)
    {
        times.Refresh(channel);
        OutgoingMessageIds.PassOver(channel, retired.Sent);
        foreach (SeenMessage one in retired.Seen)
        {
            memory.Restore(channel, one, now);
        }
    }
}
