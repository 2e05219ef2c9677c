using CoAP.NET.Options;

namespace CoAP.NET.Tests.Options;

/// <summary>What a receiver does with options that it does not recognize (RFC 7252 section 5.4).</summary>
public sealed class OptionRulesTests
{
    [Fact]
    public void A_message_without_options_is_accepted() =>
        Assert.True(OptionRules.Check(new CoapMessage(CoapCode.Get)).IsAccepted);

    [Fact]
    public void Ordinary_request_is_accepted_unchanged_and_costs_no_memory()
    {
        CoapMessage message = Message(CoapCode.Get, (3, "68"), (4, "01"), (4, "02"), (6, ""), (11, "61"), (11, "62"), (15, "71"),
            (17, "32"), (23, "02"), (60, "01"));

        OptionVerdict verdict = OptionRules.Check(message);

        Assert.Equal(0, Allocations.Least(() => OptionRules.Check(message)));
        Assert.True(verdict.IsAccepted);
        Assert.Equal(RequestOptionFlags.Observe | RequestOptionFlags.Block2, verdict.Special);
        Assert.Equal(10, message.Options.Count);
    }

    [Fact]
    [Rfc("7252-5.4.1-2")]
    public void BAD_29_unknown_critical_option_is_bad() =>
        AssertBad(Message(CoapCode.Get, (9999, "")), OptionFault.Unknown, 9999, CoapCode.BadOption,
            "Option 9999 is critical and not supported.");

    [Fact]
    [Rfc("7252-5.4.1-1")]
    public void BAD_30_unknown_elective_option_stays_byte_for_byte()
    {
        CoapMessage message = Message(CoapCode.Get, (9998, "78"));

        Assert.True(OptionRules.Check(message).IsAccepted);
        UnrecognizedOption option = Assert.IsType<UnrecognizedOption>(Assert.Single(message.Options));
        Assert.Equal((9998, "78"), (option.Number, Wire.Hex(option.Value.Span)));
    }

    [Fact]
    [Rfc("7252-5.4.1-3")]
    public void BAD_31_BAD_32_unknown_critical_option_in_a_response_is_bad() =>
        AssertBad(Message(CoapCode.Content, (9999, "")), OptionFault.Unknown, 9999, CoapCode.BadOption);

    [Fact]
    [Rfc("7252-5.4.3-1")]
    public void BAD_33_too_long_uri_path_is_bad() => AssertBad(
        Message(CoapCode.Get, (11, string.Concat(Enumerable.Repeat("61", 256)))), OptionFault.Length, 11, CoapCode.BadOption,
        "Option 11 (Uri-Path) has a value of illegal length.");

    [Fact]
    [Rfc("7252-5.4.5-1")]
    public void BAD_34_second_accept_is_bad() =>
        AssertBad(Message(CoapCode.Get, (17, ""), (17, "32")), OptionFault.Repeated, 17, CoapCode.BadOption,
            "Option 17 (Accept) may occur only once.");

    [Fact]
    [Rfc("7252-5.4.5-1")]
    public void BAD_35_second_content_format_is_ignored()
    {
        CoapMessage message = Message(CoapCode.Put, (12, ""), (12, "32"), (60, "05"));

        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Equal("Content-Format: text/plain;charset=utf-8, Size1: 5", message.Options.ToString());
    }

    [Fact]
    [Rfc("7252-5.4.3-1")]
    public void BAD_36_if_none_match_with_a_value_is_bad() =>
        AssertBad(Message(CoapCode.Put, (5, "01")), OptionFault.Length, 5, CoapCode.BadOption);

    [Theory]
    [InlineData("")]
    [InlineData("010101010101010101")]
    [Rfc("7252-5.4.3-1")]
    public void BAD_37_etag_of_illegal_length_is_ignored(string value)
    {
        CoapMessage message = Message(CoapCode.Get, (4, value), (11, "61"));

        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Equal("Uri-Path: a", message.Options.ToString());
    }

    [Fact]
    [Rfc("7252-5.4.3-1")]
    public void A_zero_value_of_invalid_length_is_ignored_in_Content_Format_and_refused_in_Accept()
    {
        CoapMessage message = Message(CoapCode.Put, (12, "000000"));
        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Empty(message.Options);

        AssertBad(Message(CoapCode.Get, (17, "000000")), OptionFault.Length, 17, CoapCode.BadOption);
    }

    [Theory]
    [InlineData("2e")]
    [InlineData("2e2e")]
    [Rfc("7252-5.10.1-1")]
    public void BAD_38_dot_segment_never_reaches_a_handler(string segment) =>
        AssertBad(Message(CoapCode.Get, (11, "61"), (11, segment)), OptionFault.Value, 11, CoapCode.BadRequest,
            "Option 11 (Uri-Path) has an illegal value.");

    [Theory]
    [InlineData(3)]
    [InlineData(11)]
    [InlineData(15)]
    public void BAD_39_string_that_is_no_utf8_is_bad(int number) =>
        AssertBad(Message(CoapCode.Get, (number, "ff")), OptionFault.Value, number, CoapCode.BadRequest);

    [Theory]
    [InlineData("")]
    [InlineData("00")]
    [InlineData("0100")]
    [InlineData("0001")]
    [Rfc("8768-3-1")]
    public void HL_3_hop_limit_out_of_its_range_is_a_bad_request(string value)
    {
        CoapMessage message = Message(CoapCode.Get, (16, value));
        OptionVerdict verdict = OptionRules.Check(message);

        Assert.Equal(OptionVerdictKind.BadValue, verdict.Kind);
        Assert.Equal(CoapCode.BadRequest, verdict.ResponseCode);
        Assert.Equal("Option 16 (Hop-Limit) must be 1 to 255.", verdict.Describe(message.Options.Registry));
    }

    [Fact]
    [Rfc("8768-3-2")]
    public void Second_hop_limit_is_ignored()
    {
        CoapMessage message = Message(CoapCode.Get, (16, "10"), (16, ""));

        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Equal("Hop-Limit: 16", message.Options.ToString());
    }

    [Fact]
    [Rfc("7252-5.4-1")]
    public void Request_options_in_responses_and_response_options_in_requests_are_treated_as_unrecognized()
    {
        AssertBad(Message(CoapCode.Content, (5, "")), OptionFault.NotDefinedHere, 5, CoapCode.BadOption,
            "Option 5 (If-None-Match) is not defined for this message.");
        AssertBad(Message(CoapCode.Content, (11, "61")), OptionFault.NotDefinedHere, 11, CoapCode.BadOption);

        CoapMessage request = Message(CoapCode.Get, (8, "61"), (11, "62"), (14, "05"), (20, "63"));
        Assert.True(OptionRules.Check(request).IsAccepted);
        Assert.Equal("Uri-Path: b", request.Options.ToString());

        CoapMessage response = Message(CoapCode.Content, (12, ""), (16, ""), (258, "1a"), (292, "01"));
        Assert.True(OptionRules.Check(response).IsAccepted);
        Assert.Equal("Content-Format: text/plain;charset=utf-8", response.Options.ToString());
    }

    [Fact]
    [Rfc("7252-5.4-1")]
    public void Observe_is_recognized_only_in_GET_FETCH_and_notifications()
    {
        CoapMessage put = Message(CoapCode.Put, (6, ""));
        CoapMessage fetch = Message(CoapCode.Fetch, (6, ""));
        CoapMessage notification = Message(CoapCode.Content, (6, "05"));

        Assert.True(OptionRules.Check(put).IsAccepted);
        Assert.True(OptionRules.Check(fetch).IsAccepted);
        Assert.True(OptionRules.Check(notification).IsAccepted);
        Assert.Null(put.Options.Observe);
        Assert.Equal(0u, fetch.Options.Observe);
        Assert.Equal(5u, notification.Options.Observe);
    }

    [Fact]
    [Rfc("7252-5.10.6-1")]
    public void A_response_keeps_a_single_ETag_and_a_request_keeps_several()
    {
        CoapMessage request = Message(CoapCode.Get, (4, "01"), (4, "02"));
        CoapMessage response = Message(CoapCode.Content, (4, "01"), (4, "02"));

        Assert.True(OptionRules.Check(request).IsAccepted);
        Assert.True(OptionRules.Check(response).IsAccepted);
        Assert.Equal(2, request.Options.ETags.Count);
        Assert.Equal("01", Assert.Single(response.Options.ETags).ToString());
    }

    [Theory]
    [InlineData(9, "")]
    [InlineData(19, "06")]
    [InlineData(21, "")]
    [InlineData(31, "06")]
    public void Known_critical_options_that_are_not_supported_are_refused(int number, string value) =>
        AssertBad(Message(CoapCode.Get, (number, value)), OptionFault.Unknown, number, CoapCode.BadOption);

    [Theory]
    [InlineData(128)]
    [InlineData(132)]
    [InlineData(136)]
    [InlineData(140)]
    [Rfc("7252-5.10.7-2")]
    public void Reserved_location_option_beside_a_location_makes_the_response_fail(int number)
    {
        AssertBad(Message(CoapCode.Created, (8, "61"), (number, "01")), OptionFault.ReservedLocation, number, CoapCode.BadOption);
        AssertBad(Message(CoapCode.Created, (20, "61"), (number, "01")), OptionFault.ReservedLocation, number, CoapCode.BadOption);
        Assert.True(OptionRules.Check(Message(CoapCode.Created, (number, "01"))).IsAccepted);
        Assert.True(OptionRules.Check(Message(CoapCode.Get, (8, "61"), (number, "01"))).IsAccepted);
    }

    [Fact]
    [Rfc("7959-2.1-1")]
    public void A_block_option_of_four_bytes_or_a_repeated_block_option_is_refused()
    {
        AssertBad(Message(CoapCode.Get, (23, "00000012")), OptionFault.Length, 23, CoapCode.BadOption);
        AssertBad(Message(CoapCode.Get, (23, "02"), (23, "12")), OptionFault.Repeated, 23, CoapCode.BadOption);
    }

    [Fact]
    public void The_first_invalid_option_is_reported_and_the_ignored_options_before_are_removed()
    {
        CoapMessage message = Message(CoapCode.Get, (4, ""), (8, "61"), (11, "62"), (9997, ""), (9999, ""));

        AssertBad(message, OptionFault.Unknown, 9997, CoapCode.BadOption);
        Assert.Equal([11, 9997, 9999], Enumerable.Range(0, message.Options.Count).Select(message.Options.NumberAt));
    }

    [Fact]
    public void Options_that_a_user_registers_are_recognized()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new UserOptionFactory(9999, 1)).With(new UserOptionFactory(128, 1))
            .With(new UserOptionFactory(19, 1, OptionFormat.UInt));
        CoapMessage message = new(CoapCode.Created, registry);
        message.Options.Add(8, "a"u8).Add(19, [6]).Add(128, [1]).Add(9999, [1]);

        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Equal(4, message.Options.Count);

        message.Options.Remove(9999);
        message.Options.Add(9999, [1, 2]);
        AssertBad(message, OptionFault.Length, 9999, CoapCode.BadOption);
    }

    [Fact]
    public void Signalling_messages_have_their_own_options()
    {
        CoapMessage csm = Message(CoapCode.Csm, (2, "0480"), (4, ""), (6, "10"), (8, "01"));
        Assert.True(OptionRules.Check(csm).IsAccepted);
        Assert.Equal(4, csm.Options.Count);

        CoapMessage illegal = Message(CoapCode.Csm, (2, "0000000480"), (4, ""));
        Assert.True(OptionRules.Check(illegal).IsAccepted);
        Assert.Equal("Block-Wise-Transfer", illegal.Options.ToString());

        AssertBad(Message(CoapCode.Csm, (9, "")), OptionFault.Unknown, 9, CoapCode.BadOption);
        AssertBad(Message(CoapCode.Ping, (11, "61")), OptionFault.Unknown, 11, CoapCode.BadOption);
    }

    private static void AssertBad(CoapMessage message, OptionFault fault, int number, CoapCode code, string? diagnostic = null)
    {
        OptionVerdict verdict = OptionRules.Check(message);

        Assert.Equal(new OptionVerdict(fault, number), verdict);
        Assert.False(verdict.IsAccepted);
        Assert.Equal(code, verdict.ResponseCode);
        verdict.Describe(message.Options.Registry).Mentions($"Option {number}");
        Assert.Equal(diagnostic ?? verdict.Describe(message.Options.Registry), verdict.Describe(message.Options.Registry));
    }

    private static CoapMessage Message(CoapCode code, params (int Number, string Value)[] options)
    {
        CoapMessage message = new(code);
        foreach ((int number, string value) in options)
        {
            message.Options.Add(number, Wire.Hex(value));
        }

        return message;
    }

    private sealed class UserOptionFactory(int number, int maxLength, OptionFormat format = OptionFormat.Opaque) : IOptionFactory
    {
        public OptionDefinition Definition { get; } = new(number, "User", format, 0, maxLength);

        public CoapOption Create(OptionData data) => new UnrecognizedOption(data.Number, data.Value.ToArray());
    }
}
