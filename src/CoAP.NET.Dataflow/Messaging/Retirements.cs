namespace CoAP.NET.Messaging;

/// <summary>
/// Sessions that go on elsewhere, as at another server: their requests are finished here, and what must not be carried out twice goes with
/// them. Every method must be called under the shard's lock.
/// </summary>
/// <param name="memory">What came before.</param>
/// <param name="times">The times of peers.</param>
/// <param name="ids">The Message IDs of our messages.</param>
/// <param name="outstanding">What was sent and is not acknowledged.</param>
internal sealed class Retirements(DuplicateMemory memory, CurrentTimes times, OwnMessageIds ids, OutstandingMessages outstanding)
{
    /// <summary>Whether requests of a peer are under way, or answers to them not acknowledged.</summary>
    /// <param name="channel">The channel of the session.</param>
    public bool IsBusy(CoapChannel channel) => channel.Messaging.Running > 0 || outstanding.OwesReply(channel);

    /// <summary>Takes no request any more that a peer has not sent before.</summary>
    /// <param name="channel">The channel of the session.</param>
    /// <returns>Tells when something under way has ended.</returns>
    public static Retirement Begin(CoapChannel channel) => channel.Messaging.MakeExtras().Retirement ??= new Retirement();

    /// <summary>Ends what a peer may say, and gives what has to be known of what it said.</summary>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public RetiredMessages Retire(CoapChannel channel, long now)
    {
        // From now on nothing of it is taken: all that was is in what is given.
        channel.IsForgotten = true;
        times.Refresh(channel);
        return new RetiredMessages(memory.SeenOf(channel, now), ids.RecentOf(channel, now));
    }

    /// <summary>Has copies of what a peer said elsewhere answered, and not carried out.</summary>
    /// <param name="channel">The channel of the session, which is new.</param>
    /// <param name="retired">What <see cref="Retire"/> gave.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void Restore(CoapChannel channel, in RetiredMessages retired, long now)
    {
        times.Refresh(channel);
        OwnMessageIds.PassOver(channel, retired.Sent);
        foreach (SeenMessage one in retired.Seen)
        {
            memory.Restore(channel, one, now);
        }
    }
}
