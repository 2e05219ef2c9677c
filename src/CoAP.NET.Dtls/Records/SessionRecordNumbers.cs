using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// The part of the state of a session that each message changes, in 24 bytes: record numbers, neither keys nor addresses.
/// </summary>
/// <param name="Heard">The time of the last received record, in ticks of UTC.</param>
/// <param name="Received">The highest received record number plus one.</param>
/// <param name="Sequence">The number with which the next owner begins.</param>
internal readonly record struct SessionRecordNumbers(long Heard, ulong Received, ulong Sequence)
{
    private const int Length = 3 * sizeof(long);

    public byte[] ToBytes()
    {
        byte[] bytes = new byte[Length];
        BinaryPrimitives.WriteInt64BigEndian(bytes, Heard);
        BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(sizeof(long)), Received);
        BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(2 * sizeof(long)), Sequence);
        return bytes;
    }

    /// <summary>Reads what <see cref="ToBytes"/> wrote; the lowest values for no bytes.</summary>
    /// <exception cref="InvalidDataException">The bytes have another format.</exception>
    public static SessionRecordNumbers Parse(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            return default;
        }

        if (bytes.Length != Length)
        {
            throw new InvalidDataException("The progress of a saved session has another format.");
        }

        return new SessionRecordNumbers(
            BinaryPrimitives.ReadInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[sizeof(long)..]),
            BinaryPrimitives.ReadUInt64BigEndian(bytes[(2 * sizeof(long))..]));
    }
}
