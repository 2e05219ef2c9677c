using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The header of a handshake message or of a fragment of it (RFC 6347 section 4.2.2).</summary>
/// <param name="Type">The type of the message.</param>
/// <param name="Length">Bytes of the whole message, without header.</param>
/// <param name="Number">The number of the message in the handshake.</param>
/// <param name="Offset">Where the fragment begins.</param>
/// <param name="FragmentLength">Bytes of the fragment.</param>
internal readonly record struct MessageHeader(HandshakeType Type, int Length, ushort Number, int Offset, int FragmentLength)
{
    /// <summary>Bytes of a header.</summary>
    public const int Size = 12;

    /// <summary>Whether the fragment is the whole message.</summary>
    public bool IsWhole => Offset == 0 && FragmentLength == Length;

    /// <summary>Reads the header of the first message or fragment in the rest of a record.</summary>
    /// <param name="rest">The rest.</param>
    /// <param name="header">The header.</param>
    /// <returns>Whether the whole fragment follows, within its message.</returns>
    public static bool TryRead(ReadOnlySpan<byte> rest, out MessageHeader header)
    {
        header = default;
        if (rest.Length < Size)
        {
            return false;
        }

        header = new MessageHeader(
            (HandshakeType)rest[0], Read24(rest[1..]), BinaryPrimitives.ReadUInt16BigEndian(rest[4..]), Read24(rest[6..]),
                Read24(rest[9..]));
        return header.FragmentLength <= rest.Length - Size && header.Offset + header.FragmentLength <= header.Length;
    }

    private static int Read24(ReadOnlySpan<byte> bytes) => (bytes[0] << 16) | BinaryPrimitives.ReadUInt16BigEndian(bytes[1..]);
}
