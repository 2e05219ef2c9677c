using System.Buffers.Binary;
using CoAP.NET.Oscore;

namespace CoAP.NET.Cluster;

/// <summary>The state of an OSCORE context in a record: version, epoch, bound, and after an orderly end the received numbers.</summary>
internal sealed record OscoreRecordState(ulong Epoch, ulong Bound, OscoreReceivedNumbers? Received)
{
    private const byte Version = 1;
    private const int HeadLength = 18;
    private const int NextLength = 8;

    public byte[] ToBytes()
    {
        byte[] bytes = new byte[HeadLength + (Received is null ? 0 : NextLength + Received.Seen.Length)];
        bytes[0] = Version;
        BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(1), Epoch);
        BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(9), Bound);
        if (Received is not null)
        {
            bytes[17] = 1;
            BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(HeadLength), Received.Next);
            Received.Seen.Span.CopyTo(bytes.AsSpan(HeadLength + NextLength));
        }

        return bytes;
    }

    /// <summary>Reads the state; null for invalid bytes.</summary>
    public static OscoreRecordState? Parse(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeadLength || bytes[0] != Version || bytes[17] > 1
            || (bytes[17] == 0 ? bytes.Length != HeadLength : bytes.Length < HeadLength + NextLength))
        {
            return null;
        }

        try
        {
            ulong bound = BinaryPrimitives.ReadUInt64BigEndian(bytes[9..]);
            return bound > 1UL << 40
                ? null
                : new OscoreRecordState(BinaryPrimitives.ReadUInt64BigEndian(bytes[1..]), bound, bytes[17] == 0
                    ? null
                    : new OscoreReceivedNumbers(BinaryPrimitives.ReadUInt64BigEndian(bytes[HeadLength..]),
                        bytes[(HeadLength + NextLength)..]));
        }
        catch (ArgumentOutOfRangeException)
        {
            return null;
        }
    }
}
