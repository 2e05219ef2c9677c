using CoAP.NET.Blockwise.Server;

namespace CoAP.NET.QBlock.Server;

/// <summary>
/// The body of a request that comes by Q-Block1, in any order (RFC 9177 section 4.3). It stays after the handler got it, so that what comes
/// again is answered as before. It has memory only where blocks came. Guarded by Shard.Gate.
/// </summary>
internal sealed class QBlock1RequestBody : StoredTransfer, ITransmissionOwner
{
    private readonly QBlock1RequestReceiver _uploads;
    private readonly byte[] _tag;
    private readonly byte[]? _tagBefore;
    private readonly CoapContentFormat? _format;
    // A piece of the body holds whole blocks, because it is as large as 16 of the largest.
    private const int PieceBits = 14;

    private byte[]?[] _pieces = [];
    private ulong[] _present = [];

    /// <param name="uploads">Told when what is missing was waited for long enough.</param>
    /// <param name="key">The operation, without its tag.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="first">The request with the block that came first.</param>
    /// <param name="sizeExponent">The size exponent of its blocks.</param>
    /// <param name="before">The body before it at the same resource; null for none.</param>
    public QBlock1RequestBody(QBlock1RequestReceiver uploads, TransferKey key, CoapChannel channel, CoapMessage first, int sizeExponent,
        QBlock1RequestBody? before)
        : base(key, channel)
    {
        _uploads = uploads;
        _tag = TagOf(first);
        _tagBefore = before?._tag;
        _format = first.Options.ContentFormat;
        SizeExponent = sizeExponent;
        Size = (int)(first.Options.Size1 ?? 0);
        Count = Math.Max(1, (int)(((long)Size + (16 << sizeExponent) - 1) >> (sizeExponent + 4)));
        Left = Count;
        Waiting = new QBlock1ReceiveTimer(uploads, this);
    }

    /// <summary>Fires when missing blocks were waited for long enough.</summary>
    public QBlock1ReceiveTimer Waiting { get; }

    /// <summary>The Echo that the gates of its route accepted; null if there are no gates.</summary>
    public FirstBlockEchoAge? Admitted { get; init; }

    public int SizeExponent { get; }

    /// <summary>The size of the body in bytes.</summary>
    public int Size { get; }

    public int Count { get; }

    /// <summary>How many of them are missing.</summary>
    public int Left { get; private set; }

    /// <summary>How many blocks came without a gap, from the first one on.</summary>
    public int Prefix { get; private set; }

    /// <summary>The largest number that came; -1 before the first.</summary>
    public int Highest { get; private set; } = -1;

    /// <summary>Up to which number blocks were asked for or confirmed at once because a later set began.</summary>
    public int AskedBefore { get; set; }

    /// <summary>How many times what is missing was asked for without anything coming.</summary>
    public int Asked { get; set; }

    /// <summary>The token of the block that came last, for messages about the body.</summary>
    public CoapToken Token { get; set; }

    /// <summary>The response; null before the handler completed, or if the response is too large to be kept here.</summary>
    public CoapResult? Result { get; set; }

    public override bool IsWhole => Left == 0;

    public override long IdleTime => Channel.Parameters.NonPartialTimeout.Ticks;

    public override bool OnReplied(CoapResult result)
    {
        _uploads.OnReplied(this, result);
        return true;
    }

    public override void OnGivenUp(string reason)
    {
        Channel.Shard.Wheel.Cancel(Waiting);

        // A message that asked for missing blocks refers to this body as long as the peer may reject it.
        Free();
    }

    /// <summary>The memory that tells which blocks are here, and where.</summary>
    public int IndexSize => (Count / 8) + ((PieceOf(Count - 1) + 1) * IntPtr.Size);

    /// <summary>How much memory it has for blocks.</summary>
    public int Capacity { get; private set; }

    /// <summary>The Request-Tags of a message, with their lengths.</summary>
    public static byte[] TagOf(CoapMessage message)
    {
        List<byte> tag = [];
        CoapOptionCollection options = message.Options;
        for (int i = Math.Max(0, options.IndexOf(OptionNumber.RequestTag));
            i < options.Count && options.NumberAt(i) <= OptionNumber.RequestTag; i++)
        {
            if (options.NumberAt(i) == OptionNumber.RequestTag)
            {
                tag.Add((byte)options.LengthAt(i));
                tag.AddRange(options.ValueAt(i));
            }
        }

        return [.. tag];
    }

    public bool HasTag(ReadOnlySpan<byte> tag) => tag.SequenceEqual(_tag);

    /// <summary>Whether a tag is that of the body before: what still comes of it came late.</summary>
    public bool HadTag(ReadOnlySpan<byte> tag) => _tagBefore is not null && tag.SequenceEqual(_tagBefore);

    /// <summary>Whether a block says the same of the body as the ones before.</summary>
    public bool Fits(CoapMessage message, BlockValue block) =>
        message.Options.Size1 == (uint)Size && block.SizeExponent == SizeExponent && message.Options.ContentFormat == _format;

    /// <summary>How much memory it will have with a block.</summary>
    public int CapacityWith(int number)
    {
        int piece = PieceOf(number);
        return piece < _pieces.Length && _pieces[piece] is not null ? Capacity : Capacity + LengthOf(piece);
    }

    public bool Has(int number) => number >> 6 < _present.Length && (_present[number >> 6] & (1UL << (number & 63))) != 0;

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

    /// <summary>Its blocks are not taken: those that come are answered so.</summary>
    public void Refuse(CoapResult refusal)
    {
        Left = 0;
        Result = refusal;
    }

    /// <summary>The missing numbers below one, ascending.</summary>
    public IEnumerable<int> Missing(int end)
    {
        for (int number = Prefix; number < end; number++)
        {
            if (!Has(number))
            {
                yield return number;
            }
        }
    }

    /// <summary>Creates the message of a block the whole request. The memory goes with it.</summary>
    public void Complete(CoapMessage last)
    {
        byte[] whole = new byte[Size];
        for (int piece = 0; piece < _pieces.Length; piece++)
        {
            _pieces[piece]?.CopyTo(whole, piece << PieceBits);
        }

        last.Payload = whole;
        last.Options.Remove(OptionNumber.QBlock1);
        last.Options.Remove(OptionNumber.Size1);
        Free();
    }

    private int PieceOf(int number) => (int)(((long)number << (SizeExponent + 4)) >> PieceBits);

    private int LengthOf(int piece) => (int)Math.Min(1L << PieceBits, Size - ((long)piece << PieceBits));

    private void Free()
    {
        _pieces = [];
        _present = [];
        Capacity = 0;
    }

    // Its messages are lists of missing blocks; a reset means that the peer no longer knows the body.
    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        if (fate != CoapInboundKind.Reset)
        {
            return;
        }

        Channel.Shard.Enter();
        try
        {
            _uploads.OnReset(this);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }
}

/// <summary>The second timer of a body that comes by Q-Block1: fires when missing blocks were waited for long enough.</summary>
internal sealed class QBlock1ReceiveTimer(QBlock1RequestReceiver uploads, QBlock1RequestBody body) : WheelTimer
{
    internal override void Fire(long now) => uploads.OnMissing(body, now);
}
