namespace CoAP.NET.Cluster;

/// <summary>An entry of a table: 48 bytes and its data. Numbers of other entries are places in the <see cref="TableEntries"/>.</summary>
internal struct TableEntry
{
    /// <summary>Its key, and then its value. Never changed, only replaced.</summary>
    public byte[]? Data;

    /// <summary>When it ends, in ticks of the table's time; <see cref="TableContents.Never"/> for no end.</summary>
    public long Expires;

    /// <summary>The number of its last change in its slot.</summary>
    public long Number;

    /// <summary>The next one with the same hash, or the next one that is free.</summary>
    public int Next;

    /// <summary>The one that was changed before it.</summary>
    public int Older;

    /// <summary>The one that was changed after it.</summary>
    public int Newer;

    /// <summary>Its place in the heap of those that end.</summary>
    public int Place;

    /// <summary>How often it was put since it is there; wraps around.</summary>
    public ushort Version;

    /// <summary>How many bytes of the data are its key.</summary>
    public byte KeyLength;

    /// <summary>Whether the store has confirmed its value.</summary>
    public bool IsDurable;

    /// <summary>Puts a key and a value into one piece.</summary>
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
