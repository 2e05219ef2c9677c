using CoAP.NET.Content;

namespace CoAP.NET.Oscore.Protection;

/// <summary>The few CBOR items (RFC 8949) in the inputs of OSCORE's key derivation and additional data.</summary>
internal static class OscoreCborEncoding
{
    public const byte Nil = 0xf6;

    private const byte ByteString = CborHeadWriter.ByteString << 5;

    /// <summary>Writes an integer.</summary>
    /// <returns>The bytes written, at most 5.</returns>
    public static int WriteInteger(Span<byte> destination, int value) => value >= 0
        ? CborHeadWriter.WriteHead(destination, CborHeadWriter.UnsignedInteger, (ulong)value)
        : CborHeadWriter.WriteHead(destination, CborHeadWriter.NegativeInteger, (ulong)(-1 - value));

    /// <summary>Writes a byte string.</summary>
    /// <returns>The bytes written, at most 5 more than the bytes given.</returns>
    public static int WriteBytes(Span<byte> destination, ReadOnlySpan<byte> bytes)
    {
        int head = CborHeadWriter.WriteHead(destination, CborHeadWriter.ByteString, (ulong)bytes.Length);
        bytes.CopyTo(destination[head..]);
        return head + bytes.Length;
    }

    /// <summary>Reads a single byte string in its shortest encoding.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="bytes">Its content.</param>
    /// <returns>Whether the source is one, of at most 255 bytes.</returns>
    public static bool TryReadBytes(ReadOnlySpan<byte> source, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        int head = source.IsEmpty ? 0
            : source[0] is >= ByteString and < ByteString + 24 && source.Length - 1 == source[0] - ByteString ? 1
            : source[0] == (ByteString | 24) && source.Length >= 2 && source[1] >= 24 && source.Length - 2 == source[1] ? 2
            : 0;
        if (head > 0)
        {
            bytes = source[head..];
        }

        return head > 0;
    }
}
