using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>An entry in the store.</summary>
/// <param name="Key">The bytes of its key.</param>
/// <param name="Version">How often it was put.</param>
/// <param name="Before">The number of the last change of its slot when it was decided.</param>
/// <param name="Value">The value.</param>
/// <param name="Lifetime">How long it still lasts.</param>
internal readonly record struct TableRecord(
    ReadOnlyMemory<byte> Key, ushort Version, long Before, ReadOnlyMemory<byte> Value, TimeSpan Lifetime)
{
    private const byte Format = 1;
    private const int HeaderLength = 1 + sizeof(ushort) + sizeof(long);

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
            : new TableRecord(record.Key.Bytes, BinaryPrimitives.ReadUInt16BigEndian(state.Span[1..]),
                BinaryPrimitives.ReadInt64BigEndian(state.Span[(1 + sizeof(ushort))..]), state[HeaderLength..], record.Lifetime);
    }
}
