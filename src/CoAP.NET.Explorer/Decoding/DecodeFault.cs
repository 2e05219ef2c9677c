using System.Globalization;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>The reason why bytes are not a valid message.</summary>
/// <param name="Rule">The violated rule.</param>
/// <param name="Offset">The offending byte; if bytes are missing, the position of the first missing one.</param>
/// <param name="Text">The rule in words.</param>
/// <param name="Reference">The section of the RFC.</param>
internal sealed record DecodeFault(CoapMessageFormatViolation Rule, long Offset, string Text, string Reference)
{
    public static DecodeFault Of(CoapFormatError error, bool isDatagram)
    {
        (string text, string reference) = error.Rule switch
        {
            CoapMessageFormatViolation.HeaderTruncated =>
                ("the message ends within its header", isDatagram ? "RFC 7252 section 3" : "RFC 8323 section 3.2"),
            CoapMessageFormatViolation.UnknownVersion => ("the version is not 1; such a message is ignored", "RFC 7252 section 3"),
            CoapMessageFormatViolation.TokenLengthReserved => ("a token length of 15 is reserved", "RFC 8974 section 2.1"),
            CoapMessageFormatViolation.TokenTruncated =>
                ("the message ends within its token", isDatagram ? "RFC 7252 section 3" : "RFC 8323 section 3.2"),
            CoapMessageFormatViolation.TokenTooLong => ("the token is longer than 65804 bytes", "RFC 8974 section 2.1"),
            CoapMessageFormatViolation.EmptyNotEmpty =>
                ("an Empty message (code 0.00) must end after its Message ID", "RFC 7252 section 4.1"),
            CoapMessageFormatViolation.OptionDeltaReserved =>
                ("an option delta of 15 is reserved for the payload marker 0xff", "RFC 7252 section 3.1"),
            CoapMessageFormatViolation.OptionLengthReserved => ("an option length of 15 is reserved", "RFC 7252 section 3.1"),
            CoapMessageFormatViolation.OptionHeaderTruncated =>
                ("the message ends within the extended delta or length of an option", "RFC 7252 section 3.1"),
            CoapMessageFormatViolation.OptionValueTruncated => ("the message ends within the value of an option", "RFC 7252 section 3.1"),
            CoapMessageFormatViolation.OptionNumberTooLarge => ("the option number is above 65535", "RFC 7252 section 12.2"),
            CoapMessageFormatViolation.PayloadMissing => ("a payload marker without a payload", "RFC 7252 section 3"),
            CoapMessageFormatViolation.CodeReserved =>
                ("the class of the code is reserved", isDatagram ? "RFC 7252 section 4.2" : "RFC 7252 section 3"),
            CoapMessageFormatViolation.LengthNotZero => ("the length of a message by WebSocket is 0", "RFC 8323 section 4.2"),
            CoapMessageFormatViolation.EndOfStream => ("the message is shorter than its length field says", "RFC 8323 section 3.2"),
            CoapMessageFormatViolation.TrailingBytes => ("the message is longer than its length field says", "RFC 8323 section 3.2"),
            _ => ("larger than the limit of this reader", "RFC 7252 section 4.6"),
        };
        return new DecodeFault(error.Rule, error.Offset, text, reference);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"error at byte {Offset} (0x{Offset:x4}): {Text} ({Reference})");
}
