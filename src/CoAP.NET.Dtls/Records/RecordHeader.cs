using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Records;

/// <summary>The header of a record (RFC 6347 section 4.1, RFC 9146 section 4).</summary>
/// <param name="type">Its content type.</param>
/// <param name="epoch">The epoch of its keys; 0 for none.</param>
/// <param name="sequence">Its number within the epoch, 48 bits.</param>
/// <param name="cidLength">Bytes of its Connection ID; 0 if its type has none.</param>
/// <param name="length">Bytes that follow.</param>
internal readonly struct RecordHeader(ContentType type, ushort epoch, ulong sequence, int cidLength, int length)
{
    /// <summary>Bytes of a header without Connection ID.</summary>
    public const int Size = 13;

    /// <summary>The first byte of the version of DTLS 1.0 and 1.2; a ClientHello may carry either.</summary>
    public const byte MajorVersion = 0xFE;

    /// <summary>DTLS 1.2.</summary>
    public const ushort Version = 0xFEFD;

    /// <summary>Maximum bytes of a record's content (RFC 5246 section 6.2.3).</summary>
    public const int MaxLength = 16_384 + 2_048;

    private const int SequenceOffset = 3;
    private const int CidOffset = 11;
    private const ulong SequenceMask = (1UL << 48) - 1;

    public ContentType Type { get; } = type;

    public ushort Epoch { get; } = epoch;

    public ulong Sequence { get; } = sequence;

    public int CidLength { get; } = cidLength;

    /// <summary>Bytes of the content, as it is on the wire.</summary>
    public int Length { get; } = length;

    /// <summary>Bytes of the header, with its Connection ID.</summary>
    public int HeaderLength => Size + CidLength;

    /// <summary>Returns the Connection ID of a record.</summary>
    /// <param name="record">A record that begins with this header.</param>
    public ReadOnlySpan<byte> Cid(ReadOnlySpan<byte> record) => record.Slice(CidOffset, CidLength);

    /// <summary>Reads the header of the first record in the rest of a datagram.</summary>
    /// <param name="rest">The rest.</param>
    /// <param name="ownCidLength">Length of the Connection IDs that this endpoint assigned.</param>
    /// <param name="header">Its header.</param>
    /// <returns>Whether a whole record follows, of a type that DTLS 1.2 has.</returns>
    public static bool TryRead(ReadOnlySpan<byte> rest, int ownCidLength, out RecordHeader header)
    {
        header = default;
        if (rest.Length < Size || rest[0] is not ((>= 20 and <= 23) or 25 or 27) || rest[1] != MajorVersion)
        {
            return false;
        }

        ContentType type = (ContentType)rest[0];
        int cidLength = type == ContentType.Tls12Cid ? ownCidLength : 0;
        if (rest.Length < Size + cidLength)
        {
            return false;
        }

        ulong number = BinaryPrimitives.ReadUInt64BigEndian(rest[SequenceOffset..]);
        int length = BinaryPrimitives.ReadUInt16BigEndian(rest[(CidOffset + cidLength)..]);
        header = new RecordHeader(type, (ushort)(number >> 48), number & SequenceMask, cidLength, length);
        return length is > 0 and <= MaxLength && rest.Length - Size - cidLength >= length;
    }

    /// <summary>Writes a header.</summary>
    /// <param name="record">Receives the header.</param>
    /// <param name="cid">The Connection ID, for a record that has one.</param>
    public void Write(Span<byte> record, ReadOnlySpan<byte> cid)
    {
        record[0] = (byte)Type;
        BinaryPrimitives.WriteUInt16BigEndian(record[1..], Version);
        BinaryPrimitives.WriteUInt64BigEndian(record[SequenceOffset..], ((ulong)Epoch << 48) | Sequence);
        cid.CopyTo(record[CidOffset..]);
        BinaryPrimitives.WriteUInt16BigEndian(record[(CidOffset + cid.Length)..], (ushort)Length);
    }
}
