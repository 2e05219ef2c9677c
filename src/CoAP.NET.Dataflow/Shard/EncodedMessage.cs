namespace CoAP.NET.Shard;

/// <summary>The encoded bytes of a message with <see cref="CoapOutbound.KeepsBytes"/>.</summary>
/// <param name="outbound">The encoded item.</param>
/// <param name="bytes">The bytes, valid only while the target handles them.</param>
internal readonly ref struct EncodedMessage(ref readonly CoapOutbound outbound, ReadOnlySpan<byte> bytes)
{
    private readonly ref readonly CoapOutbound _outbound = ref outbound;

    /// <summary>The encoded item.</summary>
    public ref readonly CoapOutbound Outbound => ref _outbound;

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Bytes { get; } = bytes;
}
