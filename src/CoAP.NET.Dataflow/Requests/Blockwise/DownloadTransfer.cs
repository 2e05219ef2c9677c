using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The Block2 phase of a request, as the client sees it (RFC 7959 sections 2.4 and 2.7): which block is asked for next, and whether a
/// response is that block of that representation.
/// </summary>
internal sealed class DownloadTransfer
{
    private readonly ReadOnlyMemory<byte>? _expected;

    /// <summary>Begins a phase.</summary>
    /// <param name="offset">Where the first block begins, a multiple of the block size.</param>
    /// <param name="sizeExponent">The size exponent to ask with, 0 to 7.</param>
    /// <param name="expected">The ETag that the representation must have; null for any.</param>
    public DownloadTransfer(long offset, int sizeExponent, ReadOnlyMemory<byte>? expected)
    {
        Offset = offset;
        SizeExponent = sizeExponent;
        _expected = expected;
    }

    /// <summary>Whether size exponent 7 has a meaning between the server and us (RFC 8323 section 6); it may end on the way.</summary>
    public bool TakesBert { get; set; }

    /// <summary>The first block of the representation; null before it came.</summary>
    public CoapMessage? First { get; private set; }

    /// <summary>Where the next block begins, in bytes.</summary>
    public long Offset { get; private set; }

    /// <summary>The size exponent to ask with: that of the last block.</summary>
    public int SizeExponent { get; private set; }

    /// <summary>Whether the number of the next block can be encoded.</summary>
    public bool HasNumber => Offset / BlockFit.UnitOf(SizeExponent) <= BlockValue.MaxNumber;

    /// <summary>The next block to ask for.</summary>
    public BlockValue Next =>
        BlockValue.FromOffset(Offset, more: false, TakesBert ? SizeExponent : Math.Min(SizeExponent, BlockValue.MaxSizeExponent));

    /// <summary>Begins again at the start of the body, because the representation changed.</summary>
    public void Restart()
    {
        First = null;
        Offset = 0;
    }

    /// <summary>
    /// Whether later requests carry the payload too: that of a FETCH in one message is a part of what is asked for (RFC 8132 section 2.1).
    /// </summary>
    public bool RepeatsPayload { get; init; }

    /// <summary>
    /// The request for the next block: what the request had before, but no Block1, no body (see <see cref="RepeatsPayload"/>) and no
    /// Observe (RFC 7959 sections 2.6 and 2.7). An ETag would be answered 2.03 in the middle, so later blocks have none; If-None-Match was
    /// decided with the first one.
    /// </summary>
    /// <param name="template">The request that was sent first.</param>
    /// <returns>The message.</returns>
    public CoapMessage Compose(CoapMessage template)
    {
        CoapMessage message = new(template.Code) { Type = template.Type };
        CoapOptionCollection options = message.Options;
        if (template.HasOptions)
        {
            options.AddAll(template.OptionsToRead!);
        }

        options.Block1 = null;
        options.Size1 = null;
        options.Observe = null;
        options.Size2 = null;
        if (Offset > 0)
        {
            options.IfNoneMatch = false;
            options.ETag = null;
        }

        if (Offset == 0 || RepeatsPayload)
        {
            message.Payload = template.Payload;
        }

        options.Block2 = Next;
        return message;
    }

    /// <summary>Evaluates a response. An accepted block advances <see cref="Offset"/>.</summary>
    /// <param name="response">The response.</param>
    /// <returns>Its meaning.</returns>
    public DownloadVerdict OnResponse(CoapMessage response)
    {
        if (!response.Code.IsSuccess)
        {
            return DownloadVerdict.Error;
        }

        if (response.OptionsToRead?.Block2 is not { } block)
        {
            // A shorter representation may fit into one message.
            return First is null && !IsExpected(response) ? DownloadVerdict.Changed
                : Offset > 0 ? DownloadVerdict.NoBlock
                : DownloadVerdict.Whole;
        }

        if (block.IsBert && !TakesBert)
        {
            return DownloadVerdict.ReservedSize;
        }

        if (block.ByteOffset != Offset)
        {
            return DownloadVerdict.OtherBlock;
        }

        int length = response.Payload.Length;
        if (!BlockFit.IsLength(block, length))
        {
            return DownloadVerdict.WrongLength;
        }

        if (First is null ? !IsExpected(response) : !IsSame(First, response))
        {
            return DownloadVerdict.Changed;
        }

        First ??= response;
        Offset += length;
        SizeExponent = block.SizeExponent;
        return block.More ? DownloadVerdict.Block : DownloadVerdict.LastBlock;
    }

    private bool IsExpected(CoapMessage response) =>
        _expected is not { } tag
            || (response.OptionsToRead is { } options && options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> value)
                && value.SequenceEqual(tag.Span));

    private static bool IsSame(CoapMessage first, CoapMessage response)
    {
        // An added or removed tag is another representation too: it is unknown to which one the blocks without tag belong.
        bool hasTag = first.OptionsToRead!.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> one);
        return hasTag == response.OptionsToRead!.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> other)
            && one.SequenceEqual(other)
            && (response.OptionsToRead.ContentFormat is not { } format || format == first.OptionsToRead.ContentFormat);
    }
}
