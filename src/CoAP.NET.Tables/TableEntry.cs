namespace CoAP.NET.Tables;

/// <summary>
/// An entry of a table: 32 bytes and its data. References to other entries are indexes in <see cref="TableSlotEntries"/>.
/// </summary>
internal struct TableEntry
{
    /// <summary>Its key, followed by its value. Never changed, only replaced.</summary>
    public byte[]? Data;

    /// <summary>Its end, in ticks of the table's time; <see cref="TableContents.Never"/> for no end.</summary>
    public long Expires;

    /// <summary>The next entry with the same hash, or the next free one.</summary>
    public int Next;

    /// <summary>Its position in the heap of expiring entries.</summary>
    public int Place;

    /// <summary>The number of times it was put; wraps around.</summary>
    public ushort Version;

    public byte KeyLength;

    /// <summary>Whether the store has confirmed its value.</summary>
    public bool IsDurable;

    public static byte[] DataOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte[] data = GC.AllocateUninitializedArray<byte>(key.Length + value.Length);
        key.CopyTo(data);
        value.CopyTo(data.AsSpan(key.Length));
        return data;
    }

    public readonly ReadOnlySpan<byte> Key => Data.AsSpan(0, KeyLength);

    public readonly ReadOnlyMemory<byte> Value => Data.AsMemory(KeyLength);
}
