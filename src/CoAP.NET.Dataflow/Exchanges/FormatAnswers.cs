using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Exchanges;

/// <summary>Creates the answers to unreadable requests, and to those with an unknown critical option.</summary>
internal static class FormatAnswers
{
    /// <summary>Returns the answer to a malformed request.</summary>
    /// <param name="rule">The violated rule.</param>
    /// <param name="limits">The limits, for the diagnostic text.</param>
    public static CoapResult Of(CoapFormatRule rule, CoapLimits limits) => rule switch
    {
        CoapFormatRule.TokenTooLong => Diagnostic(CoapCode.BadRequest, $"A token may have {limits.MaxTokenLength} bytes at most."),
        CoapFormatRule.MessageTooLarge =>
            Diagnostic(CoapCode.RequestEntityTooLarge, $"A message may have {limits.MaxDatagramSize} bytes at most.")
                .With(new Size1((uint)limits.MaxDatagramSize)).With(new Block1(BlockThatFits(limits.MaxDatagramSize))),
        _ => Diagnostic(CoapCode.BadRequest, string.Empty),
    };

    /// <summary>Returns an answer with a diagnostic text.</summary>
    public static CoapResult Diagnostic(CoapCode code, string text) => new(code, Encoding.UTF8.GetBytes(text));

    // Blocks are the alternative for a peer that sent too much in one datagram (RFC 7959 section 2.9.3). Besides the block, a request has
    // its header and options.
    private static BlockValue BlockThatFits(int maxDatagramSize) =>
        new(0, more: false, BlockValue.GetSizeExponent(Math.Max(16, maxDatagramSize / 2)));
}
