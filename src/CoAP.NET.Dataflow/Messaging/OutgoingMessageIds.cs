namespace CoAP.NET.Messaging;

// RFC 7252 section 4.4.

/// <summary>
/// The Message IDs of sent messages: the next one for each peer, and when it is free. Call every method under the shard's lock.
/// </summary>
internal sealed class OutgoingMessageIds
{
    /// <summary>The number of newest Message IDs of a session to skip where it continues.</summary>
    public const int MaxRecent = 256;

    private readonly GroupMessageIds _ofGroups;
    private readonly MessageIdScrambler _scrambler;
    private readonly ForgottenPeerMessageIds _forgotten;

    public OutgoingMessageIds(CoapRandomSource random, GroupMessageIds? ofGroups)
    {
        _ofGroups = ofGroups ?? new GroupMessageIds(random);
        _scrambler = new MessageIdScrambler(random);
        _forgotten = new ForgottenPeerMessageIds(random);
    }

    /// <summary>
    /// Returns when the next message to a peer may take a Message ID, in units of 100 ns; at once if that is not in the future.
    /// </summary>
    public long FreeAt(CoapChannel peer) =>
        peer.Remote.IsMulticast
            ? _ofGroups.FreeAt(peer.Messaging.Times.MessageIdLifetime)
            : peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime);

    public void Take(CoapChannel peer, CoapMessage message, long now)
    {
        if (peer.Remote.IsMulticast)
        {
            message.MessageId = _ofGroups.Take(now);
            return;
        }

        PeerSendState extras = peer.Messaging.MakeRareState();
        if (!extras.HasMessageIds)
        {
            extras.HasMessageIds = true;
            extras.MessageIds = new MessageIdSequence(_forgotten.StartOf(peer.Remote));
        }

        ushort messageId;
        do
        {
            messageId = _scrambler[extras.MessageIds.Take(now)];
        }
        while (IsTaken(extras, messageId));

        // Skips those of groups at once, so that the next one is either in a block that is known to be free, or the first of a block.
        while (!extras.MessageIds.IsAtBlock && IsTaken(extras, _scrambler[extras.MessageIds.Next]))
        {
            extras.MessageIds.Take(now);
        }

        message.MessageId = messageId;
    }

    /// <summary>Returns the newest Message IDs for a peer within their lifetime, including those of an earlier process.</summary>
    /// <returns>At most <see cref="MaxRecent"/>.</returns>
    public ushort[] RecentOf(CoapChannel peer, long now)
    {
        HashSet<ushort>? before = peer.Messaging.RareState?.OfProcessBefore;
        MessageIdSequence ids = peer.Messaging.MessageIds;
        if (!ids.WasUsed || now - ids.LastUse >= peer.Messaging.Times.MessageIdLifetime)
        {
            return [.. before ?? []];
        }

        int count = Math.Min(ids.Taken, MaxRecent);
        return [.. Enumerable.Range(1, count).Select(back => _scrambler[(ushort)(ids.Next - back)]).Concat(before ?? []).Distinct()
            .Take(MaxRecent)];
    }

    /// <summary>Skips Message IDs that an earlier process gave a peer, which could take the messages for copies.</summary>
    public static void PassOver(CoapChannel peer, ReadOnlySpan<ushort> messageIds)
    {
        if (!messageIds.IsEmpty)
        {
            peer.Messaging.MakeRareState().OfProcessBefore = [.. messageIds];
        }
    }

    public bool TryTake(CoapChannel peer, CoapMessage message, long now)
    {
        if (peer.Messaging.MessageIds.FreeAt(peer.Messaging.Times.MessageIdLifetime) > now)
        {
            return false;
        }

        Take(peer, message, now);
        return true;
    }

    private static bool IsTaken(PeerSendState extras, ushort messageId) =>
        GroupMessageIds.Contains(messageId) || extras.OfProcessBefore?.Contains(messageId) == true;

    /// <summary>
    /// Stores the counter of a forgotten peer. A session that resumes another is the same one (RFC 7252 section 9.1.1), and some peers do
    /// not distinguish sessions from one address at all.
    /// </summary>
    public void Remember(CoapChannel channel)
    {
        if (channel.Messaging.MessageIds is { WasUsed: true } messageIds)
        {
            _forgotten.Remember(channel.Remote, messageIds.Next);
        }
    }
}
