namespace CoAP.NET.Blockwise;

/// <summary>
/// The state of a peer for block-wise transfers: results of earlier transfers that later ones use. Created when the first is set. The
/// values are hints, so no lock guards them.
/// </summary>
internal sealed class PeerBlockwiseState : IPeerFeatureState
{
    /// <summary>The block size in bytes that the peer requested for an upload; 0 before that.</summary>
    public int UploadBlockSize { get; set; }

    /// <summary>The block size in bytes that the peer used for a download; 0 before that.</summary>
    public int DownloadBlockSize { get; set; }

    /// <summary>Whether the peer refused a block.</summary>
    public bool RefusesBlocks { get; set; }

    /// <summary>The end of the time for which the peer is assumed to support Q-Block, in units of 100 ns.</summary>
    public long KnowsQBlockUntil { get; set; } = long.MinValue;

    /// <summary>The end of the time for which the peer is assumed not to support Q-Block, in units of 100 ns.</summary>
    public long LacksQBlockUntil { get; set; } = long.MinValue;

    /// <summary>Returns the state of a peer; null for none.</summary>
    public static PeerBlockwiseState? Of(CoapChannel channel) => channel.FeatureState<PeerBlockwiseState>(PeerFeatureKind.Blockwise);

    /// <summary>Returns the state of a peer; creates it if it is missing.</summary>
    public static PeerBlockwiseState GetOrAdd(CoapChannel channel) =>
        channel.GetOrAddFeatureState<PeerBlockwiseState>(PeerFeatureKind.Blockwise);

    /// <summary>
    /// Whether a peer has not refused a block. A CSM without an option about blocks does not refuse them (RFC 8323 section 5.3.2).
    /// </summary>
    public static bool TakesBlocks(CoapChannel channel) => Of(channel.Wire) is not { RefusesBlocks: true };

    /// <summary>
    /// Whether SZX 7 is allowed in both directions (RFC 8323 section 6): both ends support block-wise transfer and accept messages of more
    /// than 1,152 bytes.
    /// </summary>
    public static bool TakesBert(CoapChannel channel) =>
        channel is { IsReliable: true, Connection.Capabilities.ReportsBlockSupport: true }
            && channel.MaxMessageSize > MaxMessageSizeOption.BaseValue
            && channel.Shard.Environment.Limits.Connections.MaxMessageSize > MaxMessageSizeOption.BaseValue;
}
