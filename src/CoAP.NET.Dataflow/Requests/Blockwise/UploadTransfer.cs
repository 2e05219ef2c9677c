using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The Block1 phase of a request, as the client sees it (RFC 7959 sections 2.3, 2.5 and 2.9): which block goes out next, and what an answer
/// means. Counts in bytes, not in blocks: then a change of the block size needs no rule of its own.
/// </summary>
internal sealed class UploadTransfer
{
    private bool _isShrunk;
    private bool _isRestarted;

    /// <summary>Begins a phase.</summary>
    /// <param name="fit">The blocks to begin with.</param>
    /// <param name="isWhole">Whether the body goes out at once and without Block1 at first.</param>
    public UploadTransfer(BlockFit fit, bool isWhole)
    {
        Fit = fit;
        IsWhole = isWhole;
    }

    /// <summary>
    /// Whether the server said what fits a message (RFC 8323 section 5.3.1), so that 4.13 without Block1 speaks of the body.
    /// </summary>
    public bool IsSizeKnown { get; init; }

    /// <summary>How many bytes of the body the server took; the next block begins there.</summary>
    public long Offset { get; private set; }

    /// <summary>How much the next block carries.</summary>
    public BlockFit Fit { get; private set; }

    /// <summary>The size exponent of the next block, 0 to 7.</summary>
    public int SizeExponent => Fit.SizeExponent;

    /// <summary>The size of the next block in bytes; the last one may be shorter, and under BERT longer by less than 1,024.</summary>
    public int Size => Fit.Size;

    /// <summary>Whether the body goes out at once and without Block1.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>How many bytes can be sent in blocks of a size: NUM has 20 bits (RFC 7959 section 2.2).</summary>
    public static long Capacity(int sizeExponent) => (BlockValue.MaxNumber + 1L) * BlockFit.UnitOf(sizeExponent);

    /// <summary>Whether the number of the next block can be encoded.</summary>
    public bool HasNumber => Fit.HasNumber(Offset);

    /// <summary>
    /// Updates the size of messages after the server reported another one. Blocks only get smaller, but with BERT a message may carry more
    /// of them.
    /// </summary>
    /// <param name="fit">The new size.</param>
    public void Refit(BlockFit fit)
    {
        if (fit.SizeExponent < SizeExponent || (fit.SizeExponent == SizeExponent && fit.Size != Size))
        {
            Fit = fit;
        }
    }

    /// <summary>The message with the next block.</summary>
    /// <param name="template">The request without its body.</param>
    /// <param name="payload">The block.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="length">The size of the body in bytes; null when it is not known.</param>
    /// <param name="block2">The block of the response's body to ask for with the last block; null to leave that to the server.</param>
    /// <returns>The message.</returns>
    public CoapMessage Compose(CoapMessage template, ReadOnlyMemory<byte> payload, bool more, long? length, BlockValue? block2)
    {
        CoapMessage message = new(template.Code) { Type = template.Type, Payload = payload };
        if (template.HasOptions)
        {
            message.Options.AddAll(template.OptionsToRead!);
        }

        if (!IsWhole)
        {
            message.Options.Block1 = BlockValue.FromOffset(Offset, more, SizeExponent);
            if (more)
            {
                // The caller declines the response to the whole request; the response to a block is needed to continue.
                message.Options.NoResponse = null;
            }

            if (Offset > 0)
            {
                // Later blocks would fail on the state that the first one began (RFC 7959 section 2.10), and the size is said once (section
                // 4).
                message.Options.IfNoneMatch = false;
                message.Options.Size1 = null;
            }
            else if (length is { } bytes and <= uint.MaxValue && message.Options.Size1 is null)
            {
                message.Options.Size1 = (uint)bytes;
            }
        }

        if (block2 is { } wanted && !more)
        {
            message.Options.Block2 = wanted;
        }

        return message;
    }

    /// <summary>Evaluates the response to the sent block.</summary>
    /// <param name="response">The response.</param>
    /// <param name="sent">The number of bytes of the block.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <returns>The next action.</returns>
    public UploadVerdict OnResponse(CoapMessage response, int sent, bool more)
    {
        BlockValue? block = response.OptionsToRead?.Block1;
        if (!response.Code.IsSuccess)
        {
            return OnError(response.Code, block, sent);
        }

        if (IsWhole)
        {
            return response.Code == CoapCode.Continue ? UploadVerdict.ContinueAfterTheEnd : UploadVerdict.Final;
        }

        if (block is { } taken)
        {
            if (taken.IsBert && SizeExponent != BlockValue.BertSizeExponent)
            {
                return UploadVerdict.ReservedSize;
            }

            if (taken.Number != Offset / Fit.Unit)
            {
                return UploadVerdict.OtherBlock;
            }
        }

        if (!more)
        {
            return response.Code == CoapCode.Continue ? UploadVerdict.ContinueAfterTheEnd : UploadVerdict.Final;
        }

        if (block is null && response.Code != CoapCode.Continue)
        {
            // It answers the request and not the block: the server had enough.
            return UploadVerdict.Final;
        }

        // A server that works block by block answers each one with a code of its own and M=0 (RFC 7959 figure 8); a 2.31 without Block1 is
        // matched by its token.
        Offset += sent;
        Shrink(block?.SizeExponent ?? SizeExponent);
        return UploadVerdict.Next;
    }

    private void Shrink(int sizeExponent)
    {
        if (sizeExponent < SizeExponent)
        {
            Fit = BlockFit.Plain(sizeExponent);
        }
    }

    private UploadVerdict OnError(CoapCode code, BlockValue? block, int sent)
    {
        if (code == CoapCode.RequestEntityTooLarge && IsWhole && IsSizeKnown && block is null)
        {
            return UploadVerdict.Final;
        }

        if (code == CoapCode.RequestEntityTooLarge && !_isShrunk)
        {
            // The hint is a smaller size, or Block1 where there was none (RFC 7959 section 2.9.3).
            int wanted = Math.Min(SizeExponent, block?.SizeExponent ?? SizeExponent);
            while (IsWhole && wanted >= 0 && (wanted < SizeExponent ? 16 << wanted : Size) >= sent)
            {
                wanted--;
            }

            if (wanted >= 0 && (IsWhole || wanted < SizeExponent))
            {
                _isShrunk = true;
                IsWhole = false;
                Shrink(wanted);
                Offset = 0;
                return UploadVerdict.Restart;
            }
        }
        else if (code == CoapCode.RequestEntityIncomplete && !IsWhole && !_isRestarted)
        {
            _isRestarted = true;
            Offset = 0;
            return UploadVerdict.Restart;
        }

        return UploadVerdict.Final;
    }
}
