namespace CoAP.NET.Blockwise;

/// <summary>A body in memory whose blocks come in order. Its memory grows as they come.</summary>
/// <param name="limit">The largest body in bytes.</param>
/// <param name="trusted">How many bytes of an announced size are taken at once. Beyond them it only keeps the memory from growing too
/// far.</param>
internal sealed class BodyBuffer(long limit, int trusted = 0)
{
    private byte[] _bytes = [];

    /// <summary>How many bytes came.</summary>
    public int Length { get; private set; }

    public int Capacity => _bytes.Length;

    public ReadOnlyMemory<byte> Body => _bytes.AsMemory(0, Length);

    /// <summary>How much memory it will have with so many more bytes.</summary>
    /// <param name="count">How many.</param>
    /// <param name="announced">The size of the body that its sender says; null for none.</param>
    public int CapacityWith(int count, long? announced)
    {
        int length = Length + count;
        if (length <= _bytes.Length)
        {
            return _bytes.Length;
        }

        long doubled = Math.Max(length, 2L * _bytes.Length);
        long grown = announced is { } size && size >= length ? Math.Min(size, Math.Max(doubled, trusted)) : doubled;
        return (int)Math.Min(grown, Math.Min(Math.Max(length, limit), Array.MaxLength));
    }

    /// <summary>Appends a block. The parameters are those of <see cref="CapacityWith"/>.</summary>
    public void Append(ReadOnlySpan<byte> block, long? announced)
    {
        int capacity = CapacityWith(block.Length, announced);
        if (capacity > _bytes.Length)
        {
            Array.Resize(ref _bytes, capacity);
        }

        block.CopyTo(_bytes.AsSpan(Length));
        Length += block.Length;
    }

    /// <summary>Whether a block was stored already, byte by byte.</summary>
    public bool Holds(long offset, ReadOnlySpan<byte> block) =>
        offset + block.Length <= Length && _bytes.AsSpan((int)offset, block.Length).SequenceEqual(block);

    /// <summary>Takes back the last bytes.</summary>
    public void RemoveLast(int count) => Length -= count;

    /// <summary>Returns the body without memory that it does not need, for who keeps it long.</summary>
    public ReadOnlyMemory<byte> ToTrimmed()
    {
        if (_bytes.Length - Length > Length / 4)
        {
            Array.Resize(ref _bytes, Length);
        }

        return Body;
    }
}
