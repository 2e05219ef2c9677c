using System.Buffers.Binary;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tables;

/// <summary>An entry in the store.</summary>
/// <param name="Data">Its key, followed by its value: the future <see cref="TableEntry.Data"/>, which takes ownership.</param>
/// <param name="KeyLength">The length of the key in the data.</param>
/// <param name="Version">The number of times it was put.</param>
/// <param name="Lifetime">The remaining lifetime.</param>
internal readonly record struct TableRecord(byte[] Data, byte KeyLength, ushort Version, TimeSpan Lifetime)
{
    private const int HeaderLength = sizeof(ushort);

    public ReadOnlySpan<byte> Key => Data.AsSpan(0, KeyLength);

    public ReadOnlySpan<byte> Value => Data.AsSpan(KeyLength);

    public static byte[] StateOf(ushort version, ReadOnlySpan<byte> value)
    {
        byte[] state = new byte[HeaderLength + value.Length];
        BinaryPrimitives.WriteUInt16BigEndian(state, version);
        value.CopyTo(state.AsSpan(HeaderLength));
        return state;
    }

    /// <summary>Reads a record; null for invalid bytes.</summary>
    public static TableRecord? TryRead(CoapRecord record)
    {
        ReadOnlyMemory<byte> state = record.State;
        return state.Length < HeaderLength || record.Key.Bytes.Length > CoapTableKey.MaxLength
            ? null
            : new TableRecord(TableEntry.DataOf(record.Key.Bytes.Span, state.Span[HeaderLength..]), (byte)record.Key.Bytes.Length,
                BinaryPrimitives.ReadUInt16BigEndian(state.Span), record.Lifetime);
    }
}
