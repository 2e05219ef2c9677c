namespace CoAP.NET.Tests.Serialization;

/// <summary>Which rule malformed bytes break, and where; the same by every way in.</summary>
public class FormatVerdictTests
{
    [Theory]
    [InlineData("", CoapMessageFormatViolation.HeaderTruncated, 0)]
    [InlineData("40", CoapMessageFormatViolation.HeaderTruncated, 1)]
    [InlineData("4001", CoapMessageFormatViolation.HeaderTruncated, 2)]
    [InlineData("40017d", CoapMessageFormatViolation.HeaderTruncated, 3)]
    [InlineData("00017d34", CoapMessageFormatViolation.UnknownVersion, 0)]
    [InlineData("80017d34", CoapMessageFormatViolation.UnknownVersion, 0)]
    [InlineData("c0017d34", CoapMessageFormatViolation.UnknownVersion, 0)]
    [InlineData("c0", CoapMessageFormatViolation.UnknownVersion, 0)]
    [InlineData("8fe17d34ff", CoapMessageFormatViolation.UnknownVersion, 0)]
    [InlineData("4f017d34aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", CoapMessageFormatViolation.TokenLengthReserved, 0)]
    [InlineData("44017d34aabb", CoapMessageFormatViolation.TokenTruncated, 6)]
    [InlineData("4d017d34", CoapMessageFormatViolation.TokenTruncated, 4)]
    [InlineData("4d017d3400aa", CoapMessageFormatViolation.TokenTruncated, 6)]
    [InlineData("4e017d3400", CoapMessageFormatViolation.TokenTruncated, 5)]
    [InlineData("4e017d34ffffaa", CoapMessageFormatViolation.TokenTruncated, 7)]
    [InlineData("41007d3420", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [InlineData("40007d3400", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [InlineData("40007d34ff", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [InlineData("40007d34b474657374", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [InlineData("40017d34ff", CoapMessageFormatViolation.PayloadMissing, 4)]
    [InlineData("40017d34b474657374ff", CoapMessageFormatViolation.PayloadMissing, 9)]
    [InlineData("40017d34f0", CoapMessageFormatViolation.OptionDeltaReserved, 4)]
    [InlineData("40017d34f1aa", CoapMessageFormatViolation.OptionDeltaReserved, 4)]
    [InlineData("40017d34fe", CoapMessageFormatViolation.OptionDeltaReserved, 4)]
    [InlineData("40017d341f", CoapMessageFormatViolation.OptionLengthReserved, 4)]
    [InlineData("40017d34bf74657374", CoapMessageFormatViolation.OptionLengthReserved, 4)]
    [InlineData("40017d34d0", CoapMessageFormatViolation.OptionHeaderTruncated, 5)]
    [InlineData("40017d34e0", CoapMessageFormatViolation.OptionHeaderTruncated, 5)]
    [InlineData("40017d34e001", CoapMessageFormatViolation.OptionHeaderTruncated, 6)]
    [InlineData("40017d34bd", CoapMessageFormatViolation.OptionHeaderTruncated, 5)]
    [InlineData("40017d34be", CoapMessageFormatViolation.OptionHeaderTruncated, 5)]
    [InlineData("40017d34be01", CoapMessageFormatViolation.OptionHeaderTruncated, 6)]
    [InlineData("40017d34b474", CoapMessageFormatViolation.OptionValueTruncated, 6)]
    [InlineData("40017d34bd0061", CoapMessageFormatViolation.OptionValueTruncated, 7)]
    [InlineData("40017d34beffff61", CoapMessageFormatViolation.OptionValueTruncated, 8)]
    [InlineData("40217d34", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("40617d34", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("40c17d34", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("40e17d34", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("60217d34", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("70007d34ff", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [InlineData("40017d34e0ffffe0ffff", CoapMessageFormatViolation.OptionNumberTooLarge, 4)]
    [InlineData("40017d34e0fef210", CoapMessageFormatViolation.OptionNumberTooLarge, 7)]
    [InlineData("40017d34e08000e08000", CoapMessageFormatViolation.OptionNumberTooLarge, 7)]
    [InlineData("65007d343432323833", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [InlineData("650030b73432323833", CoapMessageFormatViolation.EmptyNotEmpty, 4)]
    [Rfc("7252-3-1", "7252-3-2", "7252-3-3", "7252-3.1-2", "7252-3.1-3", "7252-3.1-4", "7252-4.1-1")]
    public async Task A_malformed_datagram_is_refused_with_the_expected_rule_and_offset(
        string hex, CoapMessageFormatViolation rule, int offset)
    {
        Assert.Equal($"{rule} at {offset}",
            await SerializerPaths.ReadEveryWay(CoapDatagramSerializer.Default, Wire.Hex(hex), isFrame: false));
    }

    [Theory]
    [InlineData("", CoapMessageFormatViolation.EndOfStream, 0)]
    [InlineData("01", CoapMessageFormatViolation.EndOfStream, 1)]
    [InlineData("0143", CoapMessageFormatViolation.EndOfStream, 2)]
    [InlineData("d0", CoapMessageFormatViolation.EndOfStream, 1)]
    [InlineData("e000", CoapMessageFormatViolation.EndOfStream, 2)]
    [InlineData("f00000", CoapMessageFormatViolation.EndOfStream, 3)]
    [InlineData("d000", CoapMessageFormatViolation.EndOfStream, 2)]
    [InlineData("0d01", CoapMessageFormatViolation.EndOfStream, 2)]
    [InlineData("0e0100", CoapMessageFormatViolation.EndOfStream, 3)]
    [InlineData("c1017fbb74656d70657261747572", CoapMessageFormatViolation.EndOfStream, 14)]
    [InlineData("0f01", CoapMessageFormatViolation.TokenLengthReserved, 0)]
    [InlineData("ff", CoapMessageFormatViolation.TokenLengthReserved, 0)]
    [InlineData("0021", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("d00061", CoapMessageFormatViolation.CodeReserved, 2)]
    [InlineData("f000000000c1", CoapMessageFormatViolation.CodeReserved, 5)]
    [InlineData("f0ffffffff45", CoapMessageFormatViolation.MessageTooLarge, 1_048_576)]
    [InlineData("f0ffffffff", CoapMessageFormatViolation.MessageTooLarge, 1_048_576)]
    [InlineData("f0000fffff", CoapMessageFormatViolation.MessageTooLarge, 1_048_576)]
    [InlineData("1001ff", CoapMessageFormatViolation.PayloadMissing, 2)]
    [InlineData("1001f0", CoapMessageFormatViolation.OptionDeltaReserved, 2)]
    [InlineData("11017f1f", CoapMessageFormatViolation.OptionLengthReserved, 3)]
    [InlineData("1001d0", CoapMessageFormatViolation.OptionHeaderTruncated, 3)]
    [InlineData("2001b474", CoapMessageFormatViolation.OptionValueTruncated, 4)]
    [InlineData("6001e0ffffe0ffff", CoapMessageFormatViolation.OptionNumberTooLarge, 2)]
    [Rfc("8323-3.2-1", "8323-5.3.1-2")]
    public async Task A_malformed_frame_is_refused_with_the_expected_rule_and_offset(
        string hex, CoapMessageFormatViolation rule, int offset)
    {
        Assert.Equal($"{rule} at {offset}", await SerializerPaths.ReadEveryWay(CoapStreamSerializer.Default, Wire.Hex(hex), isFrame: true));
    }

    [Theory]
    [InlineData("11e24220", CoapMessageFormatViolation.LengthNotZero, 0)]
    [InlineData("", CoapMessageFormatViolation.HeaderTruncated, 0)]
    [InlineData("01", CoapMessageFormatViolation.HeaderTruncated, 1)]
    [InlineData("0f01", CoapMessageFormatViolation.TokenLengthReserved, 0)]
    [InlineData("0221", CoapMessageFormatViolation.CodeReserved, 1)]
    [InlineData("02e242", CoapMessageFormatViolation.TokenTruncated, 3)]
    [InlineData("0de2", CoapMessageFormatViolation.TokenTruncated, 2)]
    [InlineData("01e242ff", CoapMessageFormatViolation.PayloadMissing, 3)]
    [Rfc("8323-4.2-1")]
    public async Task A_malformed_WebSocket_message_is_refused_with_the_expected_rule_and_offset(
        string hex, CoapMessageFormatViolation rule, int offset)
    {
        Assert.Equal($"{rule} at {offset}",
            await SerializerPaths.ReadEveryWay(CoapWebSocketSerializer.Default, Wire.Hex(hex), isFrame: true));
    }

    [Theory]
    [InlineData("49017d34aaaaaaaaaaaaaaaaaa")]
    [InlineData("4d017d3400aaaaaaaaaaaaaaaaaaaaaaaaaa")]
    [InlineData("4e017d340000")]
    [Rfc("7252-3-2")]
    public async Task Token_length_above_eight_is_reserved_where_extended_tokens_are_off(string hex)
    {
        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { MaxTokenLength = 8 });
        Assert.Equal("TokenLengthReserved at 0", await SerializerPaths.ReadEveryWay(serializer, Wire.Hex(hex), isFrame: false));
        Assert.Equal("CON 0.01 7d34 aaaaaaaaaaaaaaaa",
            await SerializerPaths.ReadEveryWay(serializer, Wire.Hex("48017d34aaaaaaaaaaaaaaaa"), isFrame: false));
    }

    [Fact]
    public void A_second_frame_after_a_single_expected_frame_is_an_error_at_its_offset()
    {
        Assert.False(CoapStreamSerializer.Default.TryDeserialize(Wire.Hex("01e24200e5").AsSpan(), out CoapMessage? message,
            out CoapFormatError error));
        Assert.Null(message);
        Assert.Equal(new CoapFormatError(CoapMessageFormatViolation.TrailingBytes, 3), error);
    }

    [Fact]
    public void Exception_names_rule_and_offset()
    {
        CoapFormatException exception =
            Assert.Throws<CoapFormatException>(() => CoapDatagramSerializer.Default.Deserialize(Wire.Hex("40017d34ff").AsSpan()));
        Assert.Equal((CoapMessageFormatViolation.PayloadMissing, 4), (exception.Rule, exception.Position));
        exception.Mentions("PayloadMissing at offset 4");
    }

    [Theory]
    [InlineData("65007d343432323833", true, CoapMessageType.Acknowledgement, 0x7d34)]
    [InlineData("5f217d34", true, CoapMessageType.NonConfirmable, 0x7d34)]
    [InlineData("4f017d", false, default(CoapMessageType), 0)]
    [InlineData("80017d34", false, default(CoapMessageType), 0)]
    public void Header_of_malformed_bytes_is_readable_when_it_is_there(string hex, bool isReadable, CoapMessageType type, int messageId)
    {
        Assert.Equal(isReadable, CoapDatagramSerializer.TryReadHeader(Wire.Hex(hex), out CoapMessageType read, out ushort id));
        Assert.Equal((type, messageId), (read, id));
    }

    [Theory]
    [InlineData("49017d34aaaaaaaaaaaaaaaabbb474657374", "CON 0.01 7d34 aaaaaaaaaaaaaaaabb")]
    [InlineData("50027d34f0", "NON 0.02 7d34 -")]
    [InlineData("49017d34aaaa", null)]
    [InlineData("4f017d34aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", null)]
    [InlineData("41007d3420", null)]
    [InlineData("40e17d34", null)]
    [InlineData("4e017d34", null)]
    [Rfc("8974-2.2.2-3")]
    public void Token_of_malformed_bytes_is_readable_when_it_is_there(string hex, string? expected)
    {
        Assert.Equal(expected is not null, CoapDatagramSerializer.TryReadToken(Wire.Hex(hex), out CoapMessage? message));
        Assert.Equal(expected, message is null ? null : MessageText.Of(message, isFrame: false));
    }

    [Theory]
    [InlineData("CON 0.00 0001 aa")]
    [InlineData("CON 0.00 0001 - 11:61")]
    [InlineData("CON 0.00 0001 - |61")]
    [InlineData("CON 7.01 0001 -")]
    [InlineData("CON 1.00 0001 -")]
    [Rfc("7252-4.1-1")]
    public void A_message_that_would_be_malformed_is_not_written(string text)
    {
        CoapMessage message = MessageText.Parse(text, isFrame: false);
        Assert.Throws<ArgumentException>(() => CoapDatagramSerializer.Default.Serialize(message));
        Assert.Throws<ArgumentException>(() => CoapDatagramSerializer.Default.GetSize(message));
        Assert.Throws<ArgumentException>(() => CoapDatagramSerializer.Default.TrySerialize(new byte[100], message, out _));
    }

    [Fact]
    public void An_option_value_too_long_for_the_format_is_not_written()
    {
        CoapMessage message = new(CoapCode.Get);
        message.Options.Add(11, new byte[65_805]);
        Assert.Throws<ArgumentException>(() => CoapStreamSerializer.Default.Serialize(message)).Mentions("65805");
        Assert.Throws<ArgumentException>(() => CoapDatagramSerializer.Default.GetSize(message));
    }

    [Fact]
    [Rfc("8323-3.4-1")]
    public void An_empty_frame_with_a_token_is_read_without_an_error()
    {
        // RFC 8323 section 3.4: an Empty message must be ignored, whatever it carries; section 4.1 of RFC 7252 is about a layer that is not
        // there.
        Assert.Equal("0.00 aa", MessageText.Of(CoapStreamSerializer.Default.Deserialize(Wire.Hex("0100aa").AsSpan()), isFrame: true));
    }
}
