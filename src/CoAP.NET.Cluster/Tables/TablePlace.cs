using System.Buffers;

namespace CoAP.NET.Cluster;

/// <summary>A position in the order of comparison of a slot's entries: by part, and by key.</summary>
/// <param name="Part">The part.</param>
/// <param name="Key">The bytes of the key; empty for the start of the part.</param>
internal readonly record struct TablePlace(int Part, byte[] Key) : IComparable<TablePlace>
{
    /// <summary>The start.</summary>
    public static TablePlace First { get; } = new(0, []);

    /// <summary>The end.</summary>
    public static TablePlace Last { get; } = new(TableDigests.Count, []);

    public int CompareTo(TablePlace other) => Part != other.Part ? Part.CompareTo(other.Part) : Key.AsSpan().SequenceCompareTo(other.Key);

    public bool Equals(TablePlace other) => CompareTo(other) == 0;

    public override int GetHashCode() => Part;

    public void Write(IBufferWriter<byte> to)
    {
        TableWire.WriteByte(to, (byte)(Part >> 8));
        TableWire.WriteByte(to, (byte)Part);
        TableWire.WriteBytes(to, Key);
    }

    public static bool TryRead(ref ReadOnlySpan<byte> from, out TablePlace place)
    {
        place = default;
        if (!TableWire.TryReadByte(ref from, out byte high) || !TableWire.TryReadByte(ref from, out byte low)
            || !TableWire.TryReadBytes(ref from, out ReadOnlySpan<byte> key))
        {
            return false;
        }

        place = new TablePlace((high << 8) | low, key.ToArray());
        return true;
    }
}
