using System.Globalization;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>The reason why bytes are not a valid message.</summary>
/// <param name="Rule">The violated rule.</param>
/// <param name="Offset">The offending byte; if bytes are missing, the position of the first missing one.</param>
/// <param name="Text">The rule in words.</param>
/// <param name="Reference">The section of the RFC.</param>
internal sealed record DecodeFault(CoapFormatRule Rule, long Offset, string Text, string Reference)
{
    public static DecodeFault Of(CoapFormatError error, bool isDatagram)
    {
        (string text, string reference) = error.Rule switch
        {
            CoapFormatRule.HeaderTruncated =>
                ("the message ends within its header", isDatagram ? "RFC 7252 section 3" : "RFC 8323 section 3.2"),
            CoapFormatRule.UnknownVersion => ("the version is not 1; such a message is ignored", "RFC 7252 section 3"),
            CoapFormatRule.TokenLengthReserved => ("a token length of 15 is reserved", "RFC 8974 section 2.1"),
            CoapFormatRule.TokenTruncated =>
                ("the message ends within its token", isDatagram ? "RFC 7252 section 3" : "RFC 8323 section 3.2"),
            CoapFormatRule.TokenTooLong => ("the token is longer than 65804 bytes", "RFC 8974 section 2.1"),
            CoapFormatRule.EmptyNotEmpty => ("an Empty message (code 0.00) must end after its Message ID", "RFC 7252 section 4.1"),
            CoapFormatRule.OptionDeltaReserved => ("an option delta of 15 is reserved for the payload marker 0xff", "RFC 7252 section 3.1"),
            CoapFormatRule.OptionLengthReserved => ("an option length of 15 is reserved", "RFC 7252 section 3.1"),
            CoapFormatRule.OptionHeaderTruncated =>
                ("the message ends within the extended delta or length of an option", "RFC 7252 section 3.1"),
            CoapFormatRule.OptionValueTruncated => ("the message ends within the value of an option", "RFC 7252 section 3.1"),
            CoapFormatRule.OptionNumberTooLarge => ("the option number is above 65535", "RFC 7252 section 12.2"),
            CoapFormatRule.PayloadMissing => ("a payload marker without a payload", "RFC 7252 section 3"),
            CoapFormatRule.CodeReserved =>
                ("the class of the code is reserved", isDatagram ? "RFC 7252 section 4.2" : "RFC 7252 section 3"),
            CoapFormatRule.LengthNotZero => ("the length of a message by WebSocket is 0", "RFC 8323 section 4.2"),
            CoapFormatRule.EndOfStream => ("the message is shorter than its length field says", "RFC 8323 section 3.2"),
            CoapFormatRule.TrailingBytes => ("the message is longer than its length field says", "RFC 8323 section 3.2"),
            _ => ("larger than the limit of this reader", "RFC 7252 section 4.6"),
        };
        return new DecodeFault(error.Rule, error.Offset, text, reference);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"error at byte {Offset} (0x{Offset:x4}): {Text} ({Reference})");
}
