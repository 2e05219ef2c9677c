namespace CoAP.NET.Shard;

/// <summary>
/// An effect of a decision under the lock of a shard, to carry out after its release: an object continues, or a message is sent or
/// cancelled as if by the Exchanges stage.
/// </summary>
internal readonly struct ShardEffect
{
    /// <summary>The object that continues; null for a message.</summary>
    public IDeferredWork? Continuation { get; init; }

    /// <summary>The message that is sent; null for none.</summary>
    public CoapTransmission? Sent { get; init; }

    /// <summary>The message that is cancelled; null for none.</summary>
    public CoapTransmission? Cancelled { get; init; }
}
