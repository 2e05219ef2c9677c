using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Exchanges;

/// <summary>What a request is answered that could not be read, or has an option that must be understood and is not.</summary>
internal static class FormatAnswers
{
    /// <summary>The answer to a request that breaks a rule of the format.</summary>
    /// <param name="rule">Which one.</param>
    /// <param name="limits">The bounds, for what is said of them.</param>
    public static CoapResult Of(CoapFormatRule rule, CoapLimits limits) => rule switch
    {
        CoapFormatRule.TokenTooLong => Diagnostic(CoapCode.BadRequest, $"A token has at most {limits.MaxTokenLength} bytes here."),
        CoapFormatRule.MessageTooLarge =>
            Diagnostic(CoapCode.RequestEntityTooLarge, $"A message has at most {limits.MaxDatagramSize} bytes here.")
                .With(new Size1((uint)limits.MaxDatagramSize)).With(new Block1(BlockThatFits(limits.MaxDatagramSize))),
        _ => Diagnostic(CoapCode.BadRequest, string.Empty),
    };

    /// <summary>An answer with a text for people.</summary>
    public static CoapResult Diagnostic(CoapCode code, string text) => new(code, Encoding.UTF8.GetBytes(text));

    // What a peer may try that sent too much in one datagram: blocks (RFC 7959 section 2.9.3). Beside the block a request has its head and
    // options.
    private static BlockValue BlockThatFits(int maxDatagramSize) =>
        new(0, more: false, BlockValue.GetSizeExponent(Math.Max(16, maxDatagramSize / 2)));
}
