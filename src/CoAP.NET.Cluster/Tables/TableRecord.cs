using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>An entry in the store.</summary>
/// <param name="Data">Its key, followed by its value: the future <see cref="TableEntry.Data"/>, which takes ownership.</param>
/// <param name="KeyLength">The length of the key in the data.</param>
/// <param name="Version">The number of times it was put.</param>
/// <param name="Before">The number of the slot's last change at the time of the decision.</param>
/// <param name="Lifetime">The remaining lifetime.</param>
internal readonly record struct TableRecord(
    byte[] Data, byte KeyLength, ushort Version, long Before, TimeSpan Lifetime)
{
    private const byte Format = 1;
    private const int HeaderLength = 1 + sizeof(ushort) + sizeof(long);

    public ReadOnlySpan<byte> Key => Data.AsSpan(0, KeyLength);

    public ReadOnlySpan<byte> Value => Data.AsSpan(KeyLength);

    /// <summary>Writes the state of a record.</summary>
    public static byte[] StateOf(ushort version, long before, ReadOnlySpan<byte> value)
    {
        byte[] state = new byte[HeaderLength + value.Length];
        state[0] = Format;
        BinaryPrimitives.WriteUInt16BigEndian(state.AsSpan(1), version);
        BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(1 + sizeof(ushort)), before);
        value.CopyTo(state.AsSpan(HeaderLength));
        return state;
    }

    /// <summary>Reads a record; null if it is from a later version of the library.</summary>
    public static TableRecord? TryRead(CoapRecord record)
    {
        ReadOnlyMemory<byte> state = record.State;
        return state.Length < HeaderLength || state.Span[0] != Format || record.Key.Bytes.Length > CoapTableKey.MaxLength
            ? null
            : new TableRecord(TableEntry.DataOf(record.Key.Bytes.Span, state.Span[HeaderLength..]), (byte)record.Key.Bytes.Length,
                BinaryPrimitives.ReadUInt16BigEndian(state.Span[1..]),
                BinaryPrimitives.ReadInt64BigEndian(state.Span[(1 + sizeof(ushort))..]), record.Lifetime);
    }
}
