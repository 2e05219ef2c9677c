using System.Globalization;
using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The responses of block-wise transfers: those that it gives itself (RFC 7959 section 2.9), and the block of an answer that goes out
/// (section 2.4). Plain functions: the same for responses and notifications.
/// </summary>
internal static class BlockResponses
{
    // The options that are added to a block: ETag, Block1, Block2, Size2, each with its header.
    private const int AddedOptions = 13 + 8 + 8 + 9;

    // The header with the length of the token, and the payload marker, in any format.
    private const int Head = 16;

    /// <summary>
    /// 2.31: the block was taken, send the next one. Without payload and without Block2 (RFC 7959 sections 2.3 and 2.9.1). The first
    /// response says which size is wanted; the peer then goes on with it (figure 9).
    /// </summary>
    /// <param name="exchange">The request with the block.</param>
    /// <param name="block">Its Block1.</param>
    public static CoapResult Continue(CoapExchange exchange, BlockValue block)
    {
        PartialBodyResult result = new(CoapCode.Continue) { IsBlock = true };
        result.OwnOptions.Block1 = block.Number > 0 || exchange.Channel.IsReliable
            ? block
            : new BlockValue(0, more: true,
                Math.Min(block.SizeExponent, BlockValue.GetSizeExponent(exchange.Channel.Parameters.PreferredBlockSize)));
        return result;
    }

    /// <summary>4.08: blocks are missing, or what came of the body is gone (RFC 7959 section 2.9.2).</summary>
    public static CoapResult Incomplete(string diagnostic) => CoapResults.Status(CoapCode.RequestEntityIncomplete, diagnostic);

    /// <summary>4.00 for a block after the end of the body.</summary>
    public static CoapResult BeyondEnd(long offset, long total) => CoapResults.BadRequest(string.Create(
        CultureInfo.InvariantCulture, $"The body has {total} bytes; no block begins at {offset}."));

    /// <summary>Returns the error in the Block options of a request (RFC 7959 sections 2.2 and 2.3); null for none.</summary>
    /// <param name="block1">Its Block1.</param>
    /// <param name="block2">Its Block2.</param>
    /// <param name="length">The length of its payload.</param>
    /// <param name="takesBert">Whether the peer and this endpoint support size exponent 7 (RFC 8323 section 6).</param>
    public static CoapResult? Check(BlockValue? block1, BlockValue? block2, int length, bool takesBert)
    {
        if (!takesBert && (block1 is { IsBert: true } || block2 is { IsBert: true }))
        {
            return CoapResults.BadRequest("Size exponent 7 is reserved.");
        }

        if (block1 is not { } block)
        {
            return null;
        }

        if (block2 is { Number: > 0 })
        {
            return CoapResults.BadRequest("A request with Block1 asks for block 0 of the answer.");
        }

        return BlockPayloadSize.IsLength(block, length)
            ? null
            : CoapResults.BadRequest(string.Create(CultureInfo.InvariantCulture, $"A block {block} with a payload of {length} bytes."));
    }

    /// <summary>
    /// The blocks of an answer: what the request asks for, or the peer asked for last, or the size of the request's own blocks; never above
    /// what the peer is known to prefer, nor above what fits a message. On a connection what fits, unless the request asks for less.
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

    /// <summary>How many bytes of the body of an answer have room in one message, with the options of a block.</summary>
    public static int Room(CoapExchange exchange, CoapResult result) => exchange.Channel.Room(
        Head + AddedOptions + exchange.Request.Message.Token.Length, result.OptionsToRead);

    /// <summary>The options that all blocks of an answer carry, with an entity-tag.</summary>
    /// <returns>A copy with the whole payload.</returns>
    public static CoapResult Prepare(CoapResult result)
    {
        CoapResult whole = new(result.Code, result.Payload);
        if (result.HasOptions)
        {
            CoapOptionCollection options = result.OptionsToRead!;
            for (int i = 0; i < options.Count; i++)
            {
                // Options that belong to a single response.
                if (options.NumberAt(i) is not (OptionNumber.Observe or OptionNumber.Block1 or OptionNumber.Block2 or OptionNumber.Size2))
                {
                    whole.OwnOptions.Add(options.NumberAt(i), options.ValueAt(i));
                }
            }
        }

        if (whole.OptionsToRead?.Contains(OptionNumber.ETag) != true)
        {
            // Made of the content, and of its format, so that a representation that comes back after another one has its tag again, and no
            // other one has it. It takes as long as the handler made the body large, so a receiving thread treats it like the handler.
            UserCodeScope.Enter();
            whole.OwnOptions.ETag = CoapETag.FromContent(result.Payload.Span, whole.OptionsToRead?.ContentFormat);
            UserCodeScope.Exit();
        }

        return whole;
    }

    /// <summary>The block of an answer that begins at an offset.</summary>
    /// <param name="whole">The options of every block; the payload from <paramref name="start"/> on.</param>
    /// <param name="offset">Where the block begins in the body; a multiple of its size.</param>
    /// <param name="fit">How much of it fits.</param>
    /// <param name="start">Where the payload begins in the body.</param>
    /// <param name="total">The size of the body.</param>
    /// <param name="block1">The block of the request that is answered; null for none.</param>
    /// <param name="observe">The Observe option of the answer; null for none.</param>
    /// <param name="option">The number of the option that names the block: Block2 or Q-Block2.</param>
    /// <param name="size">The size that is said: in the first block, and where it was asked for (RFC 7959 section 4); null for
    /// none.</param>
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

        if (size is { } said)
        {
            block.OwnOptions.Size2 = (uint)Math.Min(said, uint.MaxValue);
        }

        return block;
    }

    /// <summary>An answer that is sent whole, with the Block options that belong to it.</summary>
    public static CoapResult Whole(CoapResult result, BlockValue? block1, BlockValue? block2)
    {
        if (block1 is null && block2 is null)
        {
            return result;
        }

        CoapResult copy = result.Copy();
        if (block1 is { } answered)
        {
            // The more flag says whether the body goes on being collected (RFC 7959 section 2.3).
            copy.OwnOptions.Block1 = new BlockValue(answered.Number, result.Code == CoapCode.Continue, answered.SizeExponent);
        }

        if (block2 is { } only)
        {
            copy.OwnOptions.Block2 = only;
        }

        return copy;
    }

    /// <summary>An error with as much of its diagnostic text as fits: there is no second block of it to be asked for.</summary>
    public static CoapResult CutDiagnostic(CoapExchange exchange, CoapResult result, int max)
    {
        int length = (int)Math.Clamp(Room(exchange, result), 0, Math.Min(max, result.Payload.Length));

        // Not in the middle of a character in UTF-8.
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
