using System.Globalization;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>The answers that block-wise transfer itself gives (RFC 7959 section 2.9).</summary>
internal static class BlockAnswers
{
    /// <summary>
    /// 2.31: the block was taken, send the next one. Without payload and without Block2 (RFC 7959 sections 2.3 and 2.9.1).
    /// </summary>
    public static CoapResult Continue(BlockValue block)
    {
        BodyPart result = new(CoapCode.Continue) { IsBlock = true };
        result.Options.Block1 = block;
        return result;
    }

    /// <summary>
    /// How a block was taken. The first response says which size is wanted; the peer then goes on with it (RFC 7959 section 2.3, figure 9).
    /// </summary>
    /// <param name="exchange">The request with the block.</param>
    /// <param name="block">Its Block1.</param>
    public static BlockValue Taken(CoapExchange exchange, BlockValue block) =>
        block.Number > 0 || exchange.Channel.IsReliable
            ? block
            : new BlockValue(0, more: true,
                Math.Min(block.SizeExponent, BlockValue.GetSizeExponent(exchange.Channel.Parameters.PreferredBlockSize)));

    /// <summary>4.08: blocks are missing, or what came of the body is gone (RFC 7959 section 2.9.2).</summary>
    public static CoapResult Incomplete(string diagnostic) => CoapResults.Status(CoapCode.RequestEntityIncomplete, diagnostic);

    /// <summary>4.13: the body is larger than is taken (RFC 7959 section 2.9.3).</summary>
    public static CoapResult TooLarge(long max) => CoapResults.RequestEntityTooLarge(max);

    /// <summary>4.00 for a block that breaks the rules.</summary>
    public static CoapResult Bad(string diagnostic) => CoapResults.BadRequest(diagnostic);

    /// <summary>4.00 for a block after the end of the body.</summary>
    public static CoapResult BeyondEnd(long offset, long total) => Bad(string.Create(
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
            return Bad("Size exponent 7 is reserved.");
        }

        if (block1 is not { } block)
        {
            return null;
        }

        if (block2 is { Number: > 0 })
        {
            return Bad("A request with Block1 asks for block 0 of the answer.");
        }

        return BlockFit.IsLength(block, length)
            ? null
            : Bad(string.Create(CultureInfo.InvariantCulture, $"A block {block} with a payload of {length} bytes."));
    }
}
