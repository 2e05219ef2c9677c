namespace CoAP.NET.QBlock.Client;

/// <summary>
/// A body on its way from a server by Q-Block2, as the client sees it (RFC 9177 section 4.4): what came, and what is missing.
/// </summary>
/// <param name="maxSize">The largest body in bytes that is taken.</param>
internal sealed class QBlockDownload(long maxSize)
{
    private readonly List<byte[]> _former = [];
    private byte[]? _etag;
    private byte[] _bytes = [];
    private bool[] _present = [];
    private int _left;
    private int _size;

    public int SizeExponent { get; private set; }

    /// <summary>How many blocks the body has; 0 before the first came.</summary>
    public int Count { get; private set; }

    /// <summary>The largest number that came; -1 for none.</summary>
    public int Highest { get; private set; } = -1;

    /// <summary>How many blocks came without a gap, from the first one on.</summary>
    public int Prefix { get; private set; }

    public ReadOnlyMemory<byte> Body => _bytes.AsMemory(0, _size);

    public QBlockDownloadVerdict OnBlock(CoapMessage message, BlockValue block)
    {
        CoapOptionCollection options = message.Options;
        if (!options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag) || options.Size2 is not { } size || block.IsBert
            || block.ByteOffset >= size || message.Payload.Length != Math.Min(block.Size, size - block.ByteOffset)
            || block.More != block.ByteOffset + block.Size < size)
        {
            return QBlockDownloadVerdict.Bad;
        }

        if (size > maxSize || size > Array.MaxLength)
        {
            return QBlockDownloadVerdict.TooLarge;
        }

        foreach (byte[] former in _former)
        {
            if (etag.SequenceEqual(former))
            {
                return QBlockDownloadVerdict.Ignored;
            }
        }

        bool isChanged = _etag is not null && !etag.SequenceEqual(_etag);
        if (isChanged)
        {
            _former.Add(_etag!);
        }

        if (isChanged || _etag is null)
        {
            Begin(etag.ToArray(), (int)size, block.SizeExponent);
        }
        else if (size != _size || block.SizeExponent != SizeExponent)
        {
            return QBlockDownloadVerdict.Bad;
        }

        if (_present[block.Number])
        {
            return QBlockDownloadVerdict.Ignored;
        }

        Put(block, message.Payload.Span);
        return _left == 0 ? QBlockDownloadVerdict.Complete : isChanged ? QBlockDownloadVerdict.Changed : QBlockDownloadVerdict.Taken;
    }

    /// <summary>The missing numbers below one, ascending.</summary>
    /// <param name="end">The number.</param>
    /// <param name="max">How many at most.</param>
    public int[] Missing(int end, int max) =>
        [.. Enumerable.Range(Prefix, Math.Max(0, Math.Min(end, Count) - Prefix)).Where(number => !_present[number]).Take(max)];

    private void Begin(byte[] etag, int size, int sizeExponent)
    {
        _etag = etag;
        _size = size;
        SizeExponent = sizeExponent;
        Count = _left = (size + (16 << sizeExponent) - 1) >> (sizeExponent + 4);
        _present = new bool[Count];
        _bytes = [];
        Highest = -1;
        Prefix = 0;
    }

    private void Put(BlockValue block, ReadOnlySpan<byte> payload)
    {
        // Memory reaches as far as what came, whatever size is announced.
        int end = (int)block.ByteOffset + payload.Length;
        if (end > _bytes.Length)
        {
            Array.Resize(ref _bytes, (int)Math.Min(_size, Math.Max(end, 2L * _bytes.Length)));
        }

        payload.CopyTo(_bytes.AsSpan((int)block.ByteOffset));
        _present[block.Number] = true;
        _left--;
        Highest = Math.Max(Highest, block.Number);
        while (Prefix < Count && _present[Prefix])
        {
            Prefix++;
        }
    }
}
