namespace CoAP.NET.Blockwise;

/// <summary>
/// Facts that block-wise transfers have found out about a peer, for later ones. Created with the first fact. Hints, so not guarded.
/// </summary>
internal sealed class PeerBlockFacts : IPeerFeatureState
{
    /// <summary>The block size in bytes that the peer requested for an upload; 0 before that.</summary>
    public int UploadBlockSize { get; set; }

    /// <summary>The block size in bytes that the peer used for a download; 0 before that.</summary>
    public int DownloadBlockSize { get; set; }

    /// <summary>Whether the peer refused a block.</summary>
    public bool RefusesBlocks { get; set; }

    /// <summary>Until when the peer is assumed to support Q-Block, in units of 100 ns.</summary>
    public long KnowsQBlockUntil { get; set; } = long.MinValue;

    /// <summary>Until when the peer is assumed not to support Q-Block, in units of 100 ns.</summary>
    public long LacksQBlockUntil { get; set; } = long.MinValue;

    /// <summary>Returns the facts about a peer; null for none.</summary>
    public static PeerBlockFacts? Of(CoapChannel channel) => channel.Part<PeerBlockFacts>(PeerFeatureKind.Blockwise);

    /// <summary>Returns the facts about a peer, for another one.</summary>
    public static PeerBlockFacts GetOrAdd(CoapChannel channel) =>
        channel.GetOrAddPart<PeerBlockFacts>(PeerFeatureKind.Blockwise);

    /// <summary>
    /// Whether a peer has refused no block: a CSM without an option about blocks does not refuse them (RFC 8323 section 5.3.2).
    /// </summary>
    public static bool TakesBlocks(CoapChannel channel) => Of(channel.Wire) is not { RefusesBlocks: true };

    /// <summary>
    /// Whether SZX 7 is allowed in both directions (RFC 8323 section 6): both ends support block-wise transfer and take more than 1,152
    /// bytes.
    /// </summary>
    public static bool TakesBert(CoapChannel channel) =>
        channel is { IsReliable: true, Connection.Capabilities.ReportsBlockSupport: true }
            && channel.MaxMessageSize > MaxMessageSizeOption.BaseValue
            && channel.Shard.Environment.Limits.Connections.MaxMessageSize > MaxMessageSizeOption.BaseValue;
}
