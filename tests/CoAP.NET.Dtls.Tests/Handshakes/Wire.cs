using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Takes datagrams of a handshake apart.</summary>
internal static class Wire
{
    private const int TypeOffset = RecordHeader.Size;

    /// <summary>The records of a datagram, each for a datagram of its own; what is no whole record is left out.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="cidLength">Bytes of the Connection IDs in them.</param>
    public static IEnumerable<byte[]> Records(byte[] datagram, int cidLength = 0)
    {
        for (int at = 0; RecordHeader.TryRead(datagram.AsSpan(at), cidLength, out RecordHeader header);)
        {
            int length = header.HeaderLength + header.Length;
            yield return datagram[at..(at + length)];
            at += length;
        }
    }

    /// <summary>Makes a record without protection.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="content">Its content.</param>
    /// <param name="sequence">Its number.</param>
    public static byte[] Record(ContentType type, ReadOnlySpan<byte> content, ulong sequence = 100)
    {
        byte[] record = new byte[RecordHeader.Size + content.Length];
        new RecordHeader(type, 0, sequence, 0, content.Length).Write(record, []);
        content.CopyTo(record.AsSpan(RecordHeader.Size));
        return record;
    }

    /// <summary>The type of the only message of a record; null if it is protected, or no handshake record.</summary>
    /// <param name="record">The record.</param>
    public static HandshakeType? TypeOf(byte[] record) =>
        RecordHeader.TryRead(record, 0, out RecordHeader header) && header is { Type: ContentType.Handshake, Epoch: 0 }
            ? (HandshakeType)record[TypeOffset]
            : null;

    /// <summary>Rewrites a record with one message into records with a fragment each. Others, and ClientHellos, stay.</summary>
    /// <param name="record">The record.</param>
    /// <param name="length">Bytes of each fragment; the last one may be shorter.</param>
    /// <param name="step">Bytes from the beginning of one to that of the next: less than the length, they overlap.</param>
    /// <remarks>The handshake itself gets a ClientHello whole; the server puts its fragments together before.</remarks>
    public static IEnumerable<byte[]> Fragments(byte[] record, int length, int step)
    {
        if (TypeOf(record) is not { } type || type == HandshakeType.ClientHello)
        {
            yield return record;
            yield break;
        }

        byte[] message = record[RecordHeader.Size..];
        Assert.True(MessageHeader.TryRead(message, out MessageHeader header) && header.IsWhole);
        int offset = 0;
        do
        {
            int end = Math.Min(offset + length, header.Length);
            byte[] bytes = message[(MessageHeader.Size + offset)..(MessageHeader.Size + end)];
            yield return Record(ContentType.Handshake, Fragment(header, offset, bytes));
            offset += step;
        }
        while (offset < header.Length);
    }

    /// <summary>Makes a fragment of a message, with its header.</summary>
    /// <param name="header">The header of the message.</param>
    /// <param name="offset">Where the fragment begins.</param>
    /// <param name="bytes">Its bytes.</param>
    public static byte[] Fragment(in MessageHeader header, int offset, ReadOnlySpan<byte> bytes)
    {
        byte[] fragment = new byte[MessageHeader.Size + bytes.Length];
        fragment[0] = (byte)header.Type;
        Write24(fragment.AsSpan(1), header.Length);
        BinaryPrimitives.WriteUInt16BigEndian(fragment.AsSpan(4), header.Number);
        Write24(fragment.AsSpan(6), offset);
        Write24(fragment.AsSpan(9), bytes.Length);
        bytes.CopyTo(fragment.AsSpan(MessageHeader.Size));
        return fragment;
    }

    private static void Write24(Span<byte> field, int value)
    {
        field[0] = (byte)(value >> 16);
        BinaryPrimitives.WriteUInt16BigEndian(field[1..], (ushort)value);
    }
}
