namespace CoAP.NET.Messaging;

// RFC 7252 section 4.4.

/// <summary>
/// The Message IDs of our messages: which one is next for each peer, and when it is free. Every method must be called under the shard's
/// lock.
/// </summary>
internal sealed class OwnMessageIds
{
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
        while (GroupMessageIds.Contains(messageId));

        // Those of groups are passed over at once, so that the next one is either in a block that is known to be free, or the first of a
        // block.
        while (!extras.MessageIds.IsAtBlock && GroupMessageIds.Contains(_scrambler[extras.MessageIds.Next]))
        {
            extras.MessageIds.Take(now);
        }

        message.MessageId = messageId;
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
