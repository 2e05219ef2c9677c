namespace CoAP.NET.Oscore;

/// <summary>The few CBOR items (RFC 8949) in the inputs of OSCORE's key derivation and additional data.</summary>
internal static class CborHead
{
    public const byte Nil = 0xf6;

    private const byte Negative = 0x20;
    private const byte ByteString = 0x40;

    /// <summary>Writes an integer.</summary>
    /// <returns>The bytes written, at most 5.</returns>
    public static int WriteInteger(Span<byte> destination, int value) =>
        value >= 0 ? Write(destination, 0, value) : Write(destination, Negative, -1 - value);

    /// <summary>Writes a byte string.</summary>
    /// <returns>The bytes written, at most 5 more than the bytes given.</returns>
    public static int WriteBytes(Span<byte> destination, ReadOnlySpan<byte> bytes)
    {
        int head = WriteBytesHead(destination, bytes.Length);
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

    /// <summary>Writes the head of a byte string.</summary>
    /// <returns>The bytes written, at most 5.</returns>
    public static int WriteBytesHead(Span<byte> destination, int length) => Write(destination, ByteString, length);

    private static int Write(Span<byte> destination, byte type, int value)
    {
        switch (value)
        {
            case < 24:
                destination[0] = (byte)(type | value);
                return 1;
            case <= byte.MaxValue:
                destination[0] = (byte)(type | 24);
                destination[1] = (byte)value;
                return 2;
            case <= ushort.MaxValue:
                destination[0] = (byte)(type | 25);
                System.Buffers.Binary.BinaryPrimitives.WriteUInt16BigEndian(destination[1..], (ushort)value);
                return 3;
            default:
                destination[0] = (byte)(type | 26);
                System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(destination[1..], value);
                return 5;
        }
    }
}
