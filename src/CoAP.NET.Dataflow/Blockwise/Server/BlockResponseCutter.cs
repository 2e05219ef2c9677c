using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>Cuts responses into blocks and sizes the blocks (RFC 7959 section 2.4), also those of notifications.</summary>
internal static class BlockResponseCutter
{
    // The maximum size of the options that a block has in addition: ETag, Block1, Block2 and Size2, each with its header.
    private const int AddedOptions = 13 + 8 + 8 + 9;

    // The maximum size of the header, the length of the token and the payload marker, in all formats.
    private const int Head = 16;

    /// <summary>
    /// Returns the block size of a response: the size in the request, else the size that the peer requested last, at most that of the
    /// request's own blocks. It is never above the preferred size of the peer or the room in a message. On a connection, it is the room in
    /// a message unless the request has a smaller size.
    /// </summary>
    public static BlockPayloadSize Fit(CoapExchange exchange, BlockValue? asked, CoapResult result)
    {
        if (exchange.Channel.IsReliable)
        {
            return BlockPayloadSize.Of(exchange.Channel, asked?.SizeExponent ?? BlockValue.BertSizeExponent, Room(exchange, result));
        }

        CoapTransmissionParameters parameters = exchange.Channel.Parameters;
        int exponent = asked is { } wanted ? Math.Min(wanted.SizeExponent, BlockValue.GetSizeExponent(parameters.PreferredBlockSize))
            : BlockValue.GetSizeExponent(exchange.Channel.BlockSize);
        if (asked is null && exchange.Body is { Block1: { } block1 })
        {
            exponent = Math.Min(exponent, block1.SizeExponent);
        }

        return BlockPayloadSize.Of(exchange.Channel, exponent, Room(exchange, result));
    }

    /// <summary>Returns the number of bytes of a body that fit one message with the options of a block.</summary>
    public static int Room(CoapExchange exchange, CoapResult result) => exchange.Channel.Room(
        Head + AddedOptions + exchange.Request.Message.Token.Length, result.OptionsToRead);

    /// <summary>Returns a copy of a response with the whole payload, an ETag, and the options that belong to each of its blocks.</summary>
    public static CoapResult Prepare(CoapResult result)
    {
        CoapResult whole = new(result.Code, result.Payload);
        if (result.HasOptions)
        {
            CoapOptionCollection options = result.OptionsToRead!;
            for (int i = 0; i < options.Count; i++)
            {
                // Skips options that belong to a single message.
                if (options.NumberAt(i) is not (OptionNumber.Observe or OptionNumber.Block1 or OptionNumber.Block2 or OptionNumber.Size2))
                {
                    whole.OwnOptions.Add(options.NumberAt(i), options.ValueAt(i));
                }
            }
        }

        if (whole.OptionsToRead?.Contains(OptionNumber.ETag) != true)
        {
            // The ETag depends on content and format, so equal representations have equal tags. Hashing a large body takes long, so a
            // receiving thread treats it like the handler.
            UserCodeScope.Enter();
            whole.OwnOptions.ETag = CoapETag.FromContent(result.Payload.Span, whole.OptionsToRead?.ContentFormat);
            UserCodeScope.Exit();
        }

        return whole;
    }

    /// <summary>Returns the block of a response at an offset.</summary>
    /// <param name="whole">The options of every block, and the payload from <paramref name="start"/> on.</param>
    /// <param name="offset">The offset of the block in the body; a multiple of the block size.</param>
    /// <param name="fit">The block size.</param>
    /// <param name="start">The offset of the payload in the body.</param>
    /// <param name="total">The size of the body.</param>
    /// <param name="block1">The Block1 of the request; null for none.</param>
    /// <param name="observe">The Observe option of the response; null for none.</param>
    /// <param name="option">The number of the option that describes the block: Block2 or Q-Block2.</param>
    /// <param name="size">The value of Size2; null for none. The first block has it, and every block on request (RFC 7959 section
    /// 4).</param>
    public static PartialBodyResult Cut(
        CoapResult whole, long offset, BlockPayloadSize fit, long start, long total, BlockValue? block1, uint? observe,
        long? size, int option = OptionNumber.Block2)
    {
        int length = fit.LengthOf(total - offset);
        PartialBodyResult block = new(whole.Code, whole.Payload.Slice((int)(offset - start), length)) { IsBlock = true };
        if (whole.HasOptions)
        {
            block.OwnOptions.AddAll(whole.Options);
        }

        if (observe is { } number)
        {
            block.OwnOptions.Observe = number;
        }

        block.OwnOptions.AddUInt(option, BlockValue.FromOffset(offset, offset + length < total, fit.SizeExponent).Value);
        if (block1 is { } answered)
        {
            block.OwnOptions.Block1 = answered;
        }

        if (size is { } size2)
        {
            block.OwnOptions.Size2 = (uint)Math.Min(size2, uint.MaxValue);
        }

        return block;
    }

    /// <summary>Returns a response that is sent in one message, with its Block options.</summary>
    public static CoapResult WithBlockOptions(CoapResult result, BlockValue? block1, BlockValue? block2)
    {
        if (block1 is null && block2 is null)
        {
            return result;
        }

        CoapResult copy = result.Copy();
        if (block1 is { } answered)
        {
            // The more flag says whether the server still collects the body (RFC 7959 section 2.3).
            copy.OwnOptions.Block1 = new BlockValue(answered.Number, result.Code == CoapCode.Continue, answered.SizeExponent);
        }

        if (block2 is { } only)
        {
            copy.OwnOptions.Block2 = only;
        }

        return copy;
    }

    /// <summary>Cuts the diagnostic text of an error to the room in one message: an error response cannot be sent in blocks.</summary>
    public static CoapResult CutDiagnostic(CoapExchange exchange, CoapResult result, int max)
    {
        int length = (int)Math.Clamp(Room(exchange, result), 0, Math.Min(max, result.Payload.Length));

        // Does not cut a UTF-8 character.
        ReadOnlySpan<byte> text = result.Payload.Span;
        while (length > 0 && length < text.Length && (text[length] & 0xc0) == 0x80)
        {
            length--;
        }

        if (length == text.Length)
        {
            return result;
        }

        CoapResult cut = new(result.Code, result.Payload[..length]);
        if (result.HasOptions)
        {
            cut.OwnOptions.AddAll(result.OptionsToRead!);
        }

        return cut;
    }
}
