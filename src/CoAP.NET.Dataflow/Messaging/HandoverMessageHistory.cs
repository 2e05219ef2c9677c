using System.Buffers.Binary;

namespace CoAP.NET.Messaging;

/// <summary>The message history of a session that continues elsewhere.</summary>
/// <param name="Seen">The messages of the peer whose copies must not be processed.</param>
/// <param name="Sent">The newest local Message IDs, whose reuse the peer could take for copies.</param>
internal readonly record struct HandoverMessageHistory(List<SeenMessage> Seen, ushort[] Sent)
{
    /// <summary>The maximum number of bytes for one session.</summary>
    public const int MaxBytes = 32 * 1024;

    private const byte Version = 1;
    private const int StartBytes = 1 + sizeof(ushort);

    // Message ID, class and kind, milliseconds, length of the reply.
    private const int HeaderBytes = sizeof(ushort) + 1 + sizeof(uint) + sizeof(ushort);
    private const int KindBits = 4;
    private const int KindMask = (1 << KindBits) - 1;

    /// <summary>Encodes the history. If it does not fit, the oldest messages first lose their answers, and are then omitted.</summary>
    /// <returns>The bytes; empty for an empty history.</returns>
    public byte[] Write(out int leftOut)
    {
        leftOut = 0;
        if (Seen.Count == 0 && Sent.Length == 0)
        {
            return [];
        }

        Seen.Sort(static (one, other) => other.Left.CompareTo(one.Left));
        int room = MaxBytes - StartBytes - (Sent.Length * sizeof(ushort));
        int count = Math.Min(Seen.Count, room / HeaderBytes);
        leftOut = Seen.Count - count;
        room -= count * HeaderBytes;
        using MemoryStream bytes = new();
        Span<byte> header = stackalloc byte[HeaderBytes];
        header[0] = Version;
        BinaryPrimitives.WriteUInt16LittleEndian(header[1..], (ushort)Sent.Length);
        bytes.Write(header[..StartBytes]);
        foreach (ushort messageId in Sent)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(header, messageId);
            bytes.Write(header[..sizeof(ushort)]);
        }

        foreach (SeenMessage one in Seen.Take(count))
        {
            bool hasReply = one.Reply.Length <= room;
            byte[] reply = hasReply ? one.Reply : [];
            room -= reply.Length;
            BinaryPrimitives.WriteUInt16LittleEndian(header, one.MessageId);
            header[2] = (byte)(((int)one.Class << KindBits) | (int)(hasReply ? one.Kind : DuplicateReplyKind.Silence));
            BinaryPrimitives.WriteUInt32LittleEndian(header[3..], (uint)Math.Min(uint.MaxValue, one.Left / TimeSpan.TicksPerMillisecond));
            BinaryPrimitives.WriteUInt16LittleEndian(header[7..], (ushort)reply.Length);
            bytes.Write(header);
            bytes.Write(reply);
        }

        return bytes.ToArray();
    }

    /// <summary>Decodes the result of <see cref="Write"/>.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <returns>The history, oldest message first; empty for other data.</returns>
    public static HandoverMessageHistory Read(ReadOnlySpan<byte> bytes)
    {
        HandoverMessageHistory none = new([], []);
        if (bytes.Length is < StartBytes or > MaxBytes || bytes[0] != Version
            || BinaryPrimitives.ReadUInt16LittleEndian(bytes[1..]) is var count && bytes.Length < StartBytes + (count * sizeof(ushort)))
        {
            return none;
        }

        HandoverMessageHistory read = new([], new ushort[count]);
        bytes = bytes[StartBytes..];
        for (int i = 0; i < count; i++)
        {
            read.Sent[i] = BinaryPrimitives.ReadUInt16LittleEndian(bytes);
            bytes = bytes[sizeof(ushort)..];
        }

        while (bytes.Length >= HeaderBytes)
        {
            MethodSafety @class = (MethodSafety)(bytes[2] >> KindBits);
            DuplicateReplyKind kind = (DuplicateReplyKind)(bytes[2] & KindMask);
            int length = BinaryPrimitives.ReadUInt16LittleEndian(bytes[7..]);
            if (length > bytes.Length - HeaderBytes || @class > MethodSafety.Unsafe || kind > DuplicateReplyKind.Bytes)
            {
                return none;
            }

            read.Seen.Add(new SeenMessage(BinaryPrimitives.ReadUInt16LittleEndian(bytes), @class, kind,
                BinaryPrimitives.ReadUInt32LittleEndian(bytes[3..]) * TimeSpan.TicksPerMillisecond,
                bytes.Slice(HeaderBytes, length).ToArray()));
            bytes = bytes[(HeaderBytes + length)..];
        }

        read.Seen.Reverse();
        return bytes.IsEmpty ? read : none;
    }
}
