namespace CoAP.NET.Messaging;

/// <summary>
/// The messaging state of a peer that gets messages with local Message IDs, or that is at the limit of its remembered messages. Guarded by
/// the shard's lock.
/// </summary>
internal sealed class MessagingExtras
{
    /// <summary>The Message IDs for the peer; only with <see cref="HasMessageIds"/>.</summary>
    public MessageIdSequence MessageIds;

    public bool HasMessageIds { get; set; }

    /// <summary>See <see cref="MessagingState.TrimAt"/>.</summary>
    public long TrimAt { get; set; } = long.MinValue;

    public SendingState? Sending { get; set; }

    /// <summary>Message IDs that an earlier process gave the peer in the same session; null for none.</summary>
    public HashSet<ushort>? OfProcessBefore { get; set; }

    /// <summary>Set when the peer may begin no more requests.</summary>
    public Retirement? Retirement { get; set; }

    /// <summary>See <see cref="MessagingState.Share"/>.</summary>
    public DuplicateShares.Share? Share { get; set; }

    /// <summary>See <see cref="MessagingState.Lasting"/>.</summary>
    public int Lasting { get; set; }
}
