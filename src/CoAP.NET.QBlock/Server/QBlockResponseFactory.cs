using System.Text;
using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Requests;

namespace CoAP.NET.QBlock.Server;

/// <summary>Messages and answers of Q-Block1 and Q-Block2 (RFC 9177 sections 4.3 and 4.4).</summary>
internal static class QBlockResponseFactory
{
    /// <summary>4.02, as for an unknown critical option.</summary>
    public static CoapResult BadOption(string diagnostic) => new(CoapCode.BadOption, Encoding.UTF8.GetBytes(diagnostic));

    /// <summary>2.31: all blocks up to this one are here.</summary>
    public static CoapResult Continue(int number, int sizeExponent)
    {
        PartialBodyResult result = new(CoapCode.Continue) { IsBlock = true };
        result.OwnOptions.Add(new QBlock1Option(new BlockValue(number, more: true, sizeExponent)));
        return result;
    }

    /// <summary>4.08 with the list of missing blocks (RFC 9177 section 5).</summary>
    /// <param name="token">A token of the body.</param>
    /// <param name="numbers">The numbers, ascending.</param>
    public static CoapMessage Missing(CoapToken token, IEnumerable<int> numbers)
    {
        CoapMessage message = new(CoapCode.RequestEntityIncomplete)
        {
            Type = CoapMessageType.NonConfirmable,
            Token = token,
            Payload = MissingBlockList.Write(numbers)
        };
        message.Options.ContentFormat = CoapContentFormat.MissingBlockList;
        return message;
    }

    /// <summary>The Q-Block1 of a message; null without one.</summary>
    public static BlockValue? QBlock1Of(CoapMessage message) => Read(message, OptionNumber.QBlock1);

    /// <summary>The first Q-Block2 of a message; null without one.</summary>
    public static BlockValue? QBlock2Of(CoapMessage message) => Read(message, OptionNumber.QBlock2);

    /// <summary>Creates a block of a response, with the options that all of its blocks have.</summary>
    /// <param name="whole">The options of every block and the whole payload.</param>
    /// <param name="number">The number of the block.</param>
    /// <param name="sizeExponent">Its size exponent.</param>
    /// <param name="observe">The Observe option of the body; null for none.</param>
    /// <param name="following">The blocks to send after it, for the sender.</param>
    public static PartialBodyResult Cut(
        CoapResult whole, int number, int sizeExponent, uint? observe, PushedResponseBlocks? following = null)
    {
        BlockPayloadSize fit = BlockPayloadSize.Plain(sizeExponent);
        int total = whole.Payload.Length;
        PartialBodyResult block = BlockResponseCutter.Cut(
            whole, (long)number * fit.Size, fit, 0, total, block1: null, observe, total, OptionNumber.QBlock2);
        block.Following = following;
        return block;
    }

    private static BlockValue? Read(CoapMessage message, int number) =>
        message.HasOptions && message.OptionsToRead!.TryGetValue(number, out ReadOnlySpan<byte> value)
            && BlockValue.TryParse(value, out BlockValue block) ? block : null;
}
