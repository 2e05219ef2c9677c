using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>
/// A run of a process that takes part in a cluster. A process that starts again is another node: what the run before left is taken over as
/// that of any dead node.
/// </summary>
/// <param name="Value">16 random bytes; none, the default, stands for nobody.</param>
public readonly record struct CoapNodeId(Guid Value)
{
    /// <summary>Whether it is a node, and not nobody.</summary>
    public bool IsSet => Value != Guid.Empty;

    /// <summary>Makes one that no other node has.</summary>
    /// <param name="random">Where the bytes come from; null for the operating system.</param>
    /// <returns>The node.</returns>
    public static CoapNodeId New(CoapRandomSource? random = null)
    {
        Span<byte> bytes = stackalloc byte[16];
        (random ?? CoapRandomSource.Secure).Fill(bytes);
        return new CoapNodeId(new Guid(bytes));
    }

    /// <summary>64 bits of it, for engines that know numbers only, such as advisory locks.</summary>
    /// <returns>The number.</returns>
    public long ToInt64()
    {
        Span<byte> bytes = stackalloc byte[16];
        Value.TryWriteBytes(bytes);
        return BinaryPrimitives.ReadInt64BigEndian(bytes) ^ BinaryPrimitives.ReadInt64BigEndian(bytes[8..]);
    }

    /// <summary>The first 8 hexadecimal digits, which is enough for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Value.ToString("N")[..8];
}
