namespace CoAP.NET.Messaging;

/// <summary>
/// The messaging state of a peer that gets messages with local Message IDs. Guarded by the shard's lock.
/// </summary>
internal sealed class PeerSendState
{
    /// <summary>The Message IDs for the peer; only with <see cref="HasMessageIds"/>.</summary>
    public MessageIdSequence MessageIds;

    public bool HasMessageIds { get; set; }

    public PeerSendingState? Sending { get; set; }

    /// <summary>Message IDs that an earlier process gave the peer in the same session; null for none.</summary>
    public HashSet<ushort>? OfProcessBefore { get; set; }

    /// <summary>Set when the peer may begin no more requests.</summary>
    public SessionHandover? SessionHandover { get; set; }
}
