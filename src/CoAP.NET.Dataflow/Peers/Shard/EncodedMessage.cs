namespace CoAP.NET.Shard;

/// <summary>The encoded bytes of a message with <see cref="CoapOutbound.KeepsBytes"/>.</summary>
internal readonly ref struct EncodedMessage
{
    /// <summary>The encoded item.</summary>
    public required CoapOutbound Outbound { get; init; }

    /// <summary>The bytes, valid only while the target handles them.</summary>
    public required ReadOnlySpan<byte> Bytes { get; init; }
}
