using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

/// <summary>What Messaging keeps for one peer. Small, because a server has many: what only sending needs is made when something is sent. Guarded by the shard's lock.</summary>
internal sealed class MessagingState
{
    public MessagingState(CoapChannel channel, PeerTimes times)
    {
        Channel = channel;
        Times = times;
    }

    public CoapChannel Channel { get; }

    public PeerTimes Times { get; set; }

    // ---- of the duplicate memory

    /// <summary>Message IDs of the peer: running exchanges, and finished ones that the memory keeps.</summary>
    public MidTable Index;

    /// <summary>The number in the memory's table of states; -1 when there is nothing in the index.</summary>
    public int Number { get; set; } = -1;

    /// <summary>What the memory was charged for the index, and which part of it as that of an unverified peer.</summary>
    public int IndexBytes { get; set; }

    /// <summary>See <see cref="IndexBytes"/>.</summary>
    public int UnverifiedIndexBytes { get; set; }

    /// <summary>At most this many bytes of the memory belong to the peer; what expired is taken off when it matters.</summary>
    public int Bytes { get; set; }

    /// <summary>Set aside for running exchanges whose reply must not be forgotten.</summary>
    public int Reserved { get; set; }

    /// <summary>When the last finished exchange may be forgotten; only if there was one.</summary>
    public uint LastExpiry { get; set; }

    public bool HasFinished { get; set; }

    /// <summary>Before this time it is no use to look for something of the peer that may be forgotten.</summary>
    public long TrimAt { get; set; } = long.MinValue;

    /// <summary>Exchanges that run: delivered up and not finished.</summary>
    public int Running { get; set; }

    // ---- of sending

    public MessageIdSequence MessageIds;

    public bool HasMessageIds { get; set; }

    /// <summary>When the peer was last heard; long.MinValue for never.</summary>
    public long LastHeard { get; set; } = long.MinValue;

    public SendingState? Sending { get; set; }
}
