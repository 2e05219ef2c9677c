namespace CoAP.NET.Messaging;

// RFC 7252 section 4.4.

/// <summary>
/// The Message IDs of our messages: which one is next for each peer, and when it is free. Every method must be called under the shard's
/// lock.
/// </summary>
internal sealed class OwnMessageIds
{
    /// <summary>So many of the newest ones of a session are passed over where it goes on.</summary>
    public const int MaxRecent = 256;

    private readonly GroupMessageIds _ofGroups;
    private readonly MessageIdScrambler _scrambler;
    private readonly GhostCounters _ghosts;

    public OwnMessageIds(CoapRandomSource random, GroupMessageIds? ofGroups)
    {
        _ofGroups = ofGroups ?? new GroupMessageIds(random);
        _scrambler = new MessageIdScrambler(random);
        _ghosts = new GhostCounters(random);
    }

    /// <summary>When the next message to a peer may take a Message ID, in units of 100 ns; not after now when it may at once.</summary>
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

        MessagingExtras extras = peer.Messaging.MakeExtras();
        if (!extras.HasMessageIds)
        {
            extras.HasMessageIds = true;
            extras.MessageIds = new MessageIdSequence(_ghosts.StartOf(peer.Remote));
        }

        ushort messageId;
        do
        {
            messageId = _scrambler[extras.MessageIds.Take(now)];
        }
        while (IsTaken(extras, messageId));

        // Those of groups are passed over at once, so that the next one is either in a block that is known to be free, or the first of a
        // block.
        while (!extras.MessageIds.IsAtBlock && IsTaken(extras, _scrambler[extras.MessageIds.Next]))
        {
            extras.MessageIds.Take(now);
        }

        message.MessageId = messageId;
    }

    /// <summary>The newest Message IDs that a peer had of us within their lifetime, those of a process before among them.</summary>
    /// <returns>At most <see cref="MaxRecent"/>.</returns>
    public ushort[] RecentOf(CoapChannel peer, long now)
    {
        HashSet<ushort>? before = peer.Messaging.Extras?.OfProcessBefore;
        MessageIdSequence ids = peer.Messaging.MessageIds;
        if (!ids.WasUsed || now - ids.LastUse >= peer.Messaging.Times.MessageIdLifetime)
        {
            return [.. before ?? []];
        }

        int count = Math.Min(ids.Taken, MaxRecent);
        return [.. Enumerable.Range(1, count).Select(back => _scrambler[(ushort)(ids.Next - back)]).Concat(before ?? []).Distinct()
            .Take(MaxRecent)];
    }

    /// <summary>Passes Message IDs over that a process before gave a peer: it could take the messages for copies.</summary>
    public static void PassOver(CoapChannel peer, ReadOnlySpan<ushort> messageIds)
    {
        if (!messageIds.IsEmpty)
        {
            peer.Messaging.MakeExtras().OfProcessBefore = [.. messageIds];
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

    private static bool IsTaken(MessagingExtras extras, ushort messageId) =>
        GroupMessageIds.Contains(messageId) || extras.OfProcessBefore?.Contains(messageId) == true;

    /// <summary>
    /// Keeps how far the Message IDs of a peer went that is forgotten. A session has numbers of its own; whoever comes from its address
    /// later is somebody else.
    /// </summary>
    public void Remember(CoapChannel channel)
    {
        if (channel is { IsConnection: false, Messaging.MessageIds: { WasUsed: true } messageIds })
        {
            _ghosts.Remember(channel.Remote, messageIds.Next);
        }
    }
}
