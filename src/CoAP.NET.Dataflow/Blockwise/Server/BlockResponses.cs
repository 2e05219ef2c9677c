using System.Globalization;
using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>Creates the responses that only block-wise transfers have (RFC 7959 section 2.9).</summary>
internal static class BlockResponses
{
    /// <summary>
    /// 2.31: the server accepted the block and expects the next one. Without payload and without Block2 (RFC 7959 sections 2.3 and 2.9.1).
    /// The first response requests a block size, which the peer uses from then on (figure 9).
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

    /// <summary>4.08: blocks are missing, or the stored blocks were discarded (RFC 7959 section 2.9.2).</summary>
    public static CoapResult Incomplete(string diagnostic) => CoapResults.Status(CoapCode.RequestEntityIncomplete, diagnostic);

    /// <summary>4.00: the requested block is after the end of the body.</summary>
    public static CoapResult BeyondEnd(long offset, long total) => CoapResults.BadRequest(string.Create(
        CultureInfo.InvariantCulture, $"The body has {total} bytes; no block begins at {offset}."));
}
