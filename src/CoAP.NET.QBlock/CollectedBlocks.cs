using CoAP.NET.Blockwise;

namespace CoAP.NET.QBlock;

/// <summary>The blocks of a body that come in any order (RFC 9177). They have memory only where blocks came.</summary>
internal sealed class CollectedBlocks
{
    // A piece of the body holds whole blocks, because it is as large as 16 of the largest.
    private const int PieceBits = 14;

    private byte[]?[] _pieces = [];
    private ulong[] _present = [];

    /// <param name="size">The size of the body in bytes.</param>
    /// <param name="sizeExponent">The size exponent of its blocks, 0 to 6.</param>
    public CollectedBlocks(int size, int sizeExponent)
    {
        (Size, SizeExponent) = (size, sizeExponent);
        Left = Count = Math.Max(1, BlockPayloadSize.CountOf(size, sizeExponent));
    }

    public int Size { get; }

    public int SizeExponent { get; }

    public int Count { get; }

    /// <summary>How many are missing.</summary>
    public int Left { get; private set; }

    /// <summary>How many came without a gap, from the first one on.</summary>
    public int Prefix { get; private set; }

    /// <summary>The largest number that came; -1 before the first.</summary>
    public int Highest { get; private set; } = -1;

    /// <summary>The memory, in bytes, that records which blocks have arrived, and where they are.</summary>
    public int IndexSize => (Count / 8) + ((PieceOf(Count - 1) + 1) * IntPtr.Size);

    /// <summary>The memory for the blocks that are here, in bytes.</summary>
    public int Capacity { get; private set; }

    /// <summary>How much memory it will have with a block.</summary>
    public int CapacityWith(int number)
    {
        int piece = PieceOf(number);
        return piece < _pieces.Length && _pieces[piece] is not null ? Capacity : Capacity + LengthOf(piece);
    }

    public bool Has(int number) => number >> 6 < _present.Length && (_present[number >> 6] & (1UL << (number & 63))) != 0;

    /// <summary>Adds a block that is not here yet.</summary>
    public void Put(int number, ReadOnlySpan<byte> block)
    {
        int piece = PieceOf(number);
        if (piece >= _pieces.Length)
        {
            Array.Resize(ref _pieces, Math.Min(PieceOf(Count - 1) + 1, Math.Max(piece + 1, 2 * _pieces.Length)));
        }

        if (_pieces[piece] is null)
        {
            _pieces[piece] = new byte[LengthOf(piece)];
            Capacity += LengthOf(piece);
        }

        if (number >> 6 >= _present.Length)
        {
            Array.Resize(ref _present, Math.Min((Count + 63) >> 6, Math.Max((number >> 6) + 1, 2 * _present.Length)));
        }

        block.CopyTo(_pieces[piece].AsSpan((number << (SizeExponent + 4)) & ((1 << PieceBits) - 1)));
        _present[number >> 6] |= 1UL << (number & 63);
        Left--;
        Highest = Math.Max(Highest, number);
        while (Prefix < Count && Has(Prefix))
        {
            Prefix++;
        }
    }

    /// <summary>The missing numbers below one, ascending.</summary>
    public IEnumerable<int> Missing(int end)
    {
        for (int number = Prefix; number < Math.Min(end, Count); number++)
        {
            if (!Has(number))
            {
                yield return number;
            }
        }
    }

    /// <summary>Returns the whole body; the blocks are no longer kept.</summary>
    public byte[] TakeAll()
    {
        byte[] whole = new byte[Size];
        for (int piece = 0; piece < _pieces.Length; piece++)
        {
            _pieces[piece]?.CopyTo(whole, piece << PieceBits);
        }

        Free();
        return whole;
    }

    /// <summary>Gives up the memory.</summary>
    public void Free()
    {
        _pieces = [];
        _present = [];
        Capacity = 0;
    }

    private int PieceOf(int number) => (int)(((long)number << (SizeExponent + 4)) >> PieceBits);

    private int LengthOf(int piece) => (int)Math.Min(1L << PieceBits, Size - ((long)piece << PieceBits));
}
