using CoAP.NET.Channels;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Which representation a peer is fetching by a request. Later blocks come from it, so that a resource that changes stays one body, and a POST runs once.
/// Only what the handler gave to this peer for this request is found: what others may read is no matter. Guarded by Shard.Gate.
/// </summary>
internal sealed class BodyTransfer(BodyKey key, CoapChannel channel, StoredBody body) : BodyEntry(key, channel)
{
    /// <summary>What a transfer takes beside its body.</summary>
    public const int Overhead = 256;

    public StoredBody Body { get; } = body;

    /// <summary>The key without the payload of the request; null when that is no part of the key.</summary>
    public BodyKey? Short { get; init; }

    /// <summary>How far the peer got, in bytes. Only progress keeps a transfer alive; who asks for one block again and again sees a new state in the end.</summary>
    public long Reached { get; set; }

    /// <summary>What is being sent of it by Q-Block2.</summary>
    public QBlockSending? Sending { get; set; }
}
