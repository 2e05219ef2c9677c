using System.Globalization;
using CoAP.NET.Serialization;

namespace CoAP.NET.Decoding;

/// <summary>Why some bytes are no message.</summary>
/// <param name="Rule">The rule that they break.</param>
/// <param name="Offset">The byte that breaks it; where bytes are missing, the first missing one.</param>
/// <param name="Text">The rule in words.</param>
/// <param name="Reference">Where it stands.</param>
internal sealed record DecodeFault(CoapFormatRule Rule, long Offset, string Text, string Reference)
{
    /// <summary>What the serializer found, in words.</summary>
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
            CoapFormatRule.EmptyNotEmpty => ("an Empty message (code 0.00) has nothing behind its Message ID", "RFC 7252 section 4.1"),
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
            CoapFormatRule.EndOfStream => ("the message ends before the length that it tells", "RFC 8323 section 3.2"),
            CoapFormatRule.TrailingBytes => ("bytes follow behind the length that the message tells", "RFC 8323 section 3.2"),
            _ => ("larger than what is read here", "RFC 7252 section 4.6"),
        };
        return new DecodeFault(error.Rule, error.Offset, text, reference);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"error at byte {Offset} (0x{Offset:x4}): {Text} ({Reference})");
}
