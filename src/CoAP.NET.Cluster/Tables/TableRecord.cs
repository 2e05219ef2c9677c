using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>An entry in the store.</summary>
/// <param name="Data">Its key, and then its value: as <see cref="TableEntry.Data"/> has it, which takes it over.</param>
/// <param name="KeyLength">How many bytes of the data are its key.</param>
/// <param name="Version">How often it was put.</param>
/// <param name="Before">The number of the last change of its slot when it was decided.</param>
/// <param name="Lifetime">How long it still lasts.</param>
internal readonly record struct TableRecord(
    byte[] Data, byte KeyLength, ushort Version, long Before, TimeSpan Lifetime)
{
    private const byte Format = 1;
    private const int HeaderLength = 1 + sizeof(ushort) + sizeof(long);

    public ReadOnlySpan<byte> Key => Data.AsSpan(0, KeyLength);

    public ReadOnlySpan<byte> Value => Data.AsSpan(KeyLength);

    /// <summary>The state of a record.</summary>
    public static byte[] StateOf(ushort version, long before, ReadOnlySpan<byte> value)
    {
        byte[] state = new byte[HeaderLength + value.Length];
        state[0] = Format;
        BinaryPrimitives.WriteUInt16BigEndian(state.AsSpan(1), version);
        BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(1 + sizeof(ushort)), before);
        value.CopyTo(state.AsSpan(HeaderLength));
        return state;
    }

    /// <summary>Reads a record; null when it is of a later version of the library.</summary>
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
