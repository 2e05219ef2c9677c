namespace CoAP.NET.Messaging;

/// <summary>
/// The messaging state of one peer: a struct inside the channel, so a request finds it in the memory that is already prefetched. Small,
/// because a server has many peers: state for sending is created on first use. Guarded by the shard's lock.
/// </summary>
internal struct PeerMessagingState
{
    private PeerSendState? _rareState;

    public PeerMessagingState()
    {
    }

    /// <summary>The times of the peer's parameters; null before the first use of the peer.</summary>
    public TransmissionTimes Times { get; set; } = null!;

    /// <summary>Stands for the peer in the tables of Messaging, and for no other peer of the shard; 0 before its first use.</summary>
    public uint Id { get; set; }

    // ---- Duplicate memory

    /// <summary>Which of the logs for safe exchanges is that of the source, from 1 on; 0 when not known yet.</summary>
    public byte RecentPart { get; set; }

    /// <summary>When the last finished exchange may be forgotten; valid only if there was one.</summary>
    public uint LastExpiry { get; set; }

    /// <summary>The number of running exchanges: delivered up and not finished.</summary>
    public int Running { get; set; }

    public bool HasFinished { get; set; }

    /// <summary>Set when the peer may begin no more requests, because its session continues elsewhere.</summary>
    public readonly SessionHandover? SessionHandover => _rareState?.SessionHandover;

    /// <summary>Rarely used state; null before its first use.</summary>
    public readonly PeerSendState? RareState => _rareState;

    // ---- Sending

    /// <summary>The time of the peer's last message; long.MinValue for never.</summary>
    public long LastHeard { get; set; } = long.MinValue;

    public readonly bool IsUsed => Times is not null;

    public readonly PeerSendingState? Sending => _rareState?.Sending;

    /// <summary>The Message IDs for the peer, for reading.</summary>
    public readonly MessageIdSequence MessageIds => _rareState?.MessageIds ?? default;

    /// <summary>The key of a message in tables of the shard.</summary>
    public readonly ulong KeyOf(ushort messageId) => ((ulong)Id << 16) | messageId;

    /// <summary>Returns the rarely used state, created on first use.</summary>
    public PeerSendState MakeRareState() => _rareState ??= new PeerSendState();
}
