namespace CoAP.NET.Messaging;

/// <summary>
/// What Messaging keeps for a peer that gets messages with Message IDs of ours, or that is at the bound of what it may have remembered.
/// Guarded by the shard's lock.
/// </summary>
internal sealed class MessagingExtras
{
    /// <summary>The Message IDs towards the peer; only with <see cref="HasMessageIds"/>.</summary>
    public MessageIdSequence MessageIds;

    public bool HasMessageIds { get; set; }

    /// <summary>See <see cref="MessagingState.TrimAt"/>.</summary>
    public long TrimAt { get; set; } = long.MinValue;

    public SendingState? Sending { get; set; }

    /// <summary>Message IDs that a process before gave the peer in the same session; null for none.</summary>
    public HashSet<ushort>? OfProcessBefore { get; set; }

    /// <summary>Set where the peer begins no request any more.</summary>
    public Retirement? Retirement { get; set; }

    /// <summary>See <see cref="MessagingState.Share"/>.</summary>
    public DuplicateShares.Share? Share { get; set; }

    /// <summary>See <see cref="MessagingState.Lasting"/>.</summary>
    public int Lasting { get; set; }
}
