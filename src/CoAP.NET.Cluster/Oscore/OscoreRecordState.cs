using System.Buffers.Binary;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Oscore;

namespace CoAP.NET.Cluster.Oscore;

/// <summary>
/// The state of an OSCORE context in a record (<see cref="CoapRecordKind.OscoreContext"/>): epoch, bound, and after an orderly end the
/// received numbers. Every version reads epoch and bound; a version that does not understand the rest continues without it.
/// </summary>
internal sealed record OscoreRecordState(ulong Epoch, ulong Bound, OscoreReceivedNumbers? Received)
{
    private const int BoundOffset = sizeof(ulong);
    private const int NextLength = sizeof(ulong);

    public byte[] ToBytes()
    {
        byte[] bytes = new byte[RecordBatchValidator.MinOscoreLength + (Received is null ? 0 : NextLength + Received.Seen.Length)];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, Epoch);
        BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(BoundOffset), Bound);
        if (Received is not null)
        {
            Span<byte> rest = bytes.AsSpan(RecordBatchValidator.MinOscoreLength);
            BinaryPrimitives.WriteUInt64BigEndian(rest, Received.Next);
            Received.Seen.Span.CopyTo(rest[NextLength..]);
        }

        return bytes;
    }

    /// <summary>Reads the state; null for invalid bytes.</summary>
    public static OscoreRecordState? Parse(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < RecordBatchValidator.MinOscoreLength)
        {
            return null;
        }

        ulong epoch = BinaryPrimitives.ReadUInt64BigEndian(bytes);
        ulong bound = BinaryPrimitives.ReadUInt64BigEndian(bytes[BoundOffset..]);
        return epoch > long.MaxValue || bound > 1UL << 40
            ? null
            : new OscoreRecordState(epoch, bound, ParseReceived(bytes[RecordBatchValidator.MinOscoreLength..]));
    }

    // Without it the context checks that the next message is fresh (RFC 8613 appendix B.1.2).
    private static OscoreReceivedNumbers? ParseReceived(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return bytes.Length < NextLength
                ? null
                : new OscoreReceivedNumbers(BinaryPrimitives.ReadUInt64BigEndian(bytes), bytes[NextLength..]);
        }
        catch (ArgumentOutOfRangeException)
        {
            return null;
        }
    }
}
