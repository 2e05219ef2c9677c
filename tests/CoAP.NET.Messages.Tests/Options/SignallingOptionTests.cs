using CoAP.NET.Options;

namespace CoAP.NET.Tests.Options;

/// <summary>The options of signalling messages (RFC 8323 section 5, RFC 8974 section 2.2.1).</summary>
public sealed class SignallingOptionTests
{
    [Fact]
    [Rfc("8323-5.2-2")]
    public void An_option_number_has_a_different_meaning_under_each_signalling_code()
    {
        Assert.IsType<MaxMessageSizeOption>(Read(CoapCode.Csm, 2, "0480"));
        Assert.IsType<BlockWiseTransferOption>(Read(CoapCode.Csm, 4, ""));
        Assert.IsType<ExtendedTokenLengthOption>(Read(CoapCode.Csm, 6, "10"));
        Assert.IsType<CustodyOption>(Read(CoapCode.Ping, 2, ""));
        Assert.IsType<CustodyOption>(Read(CoapCode.Pong, 2, ""));
        Assert.IsType<AlternativeAddressOption>(Read(CoapCode.Release, 2, "68"));
        Assert.IsType<HoldOffOption>(Read(CoapCode.Release, 4, "0a"));
        Assert.IsType<BadCsmOption>(Read(CoapCode.Abort, 2, "09"));
        Assert.IsType<ETagOption>(Read(CoapCode.Get, 4, "0a"));
        Assert.IsType<UnrecognizedOption>(Read(CoapCode.Get, 2, ""));
        Assert.IsType<UnrecognizedOption>(Read(CoapCode.Abort, 4, "0a"));
        Assert.IsType<UnrecognizedOption>(Read(CoapCode.Csm, 11, "61"));
    }

    [Fact]
    public void Signalling_option_values_are_written_in_their_shortest_form()
    {
        Assert.Equal("0480", Wire.Hex(new MaxMessageSizeOption(MaxMessageSizeOption.BaseValue).ToValueArray()));
        Assert.Equal("", Wire.Hex(new BlockWiseTransferOption().ToValueArray()));
        Assert.Equal("01010c", Wire.Hex(new ExtendedTokenLengthOption(65804).ToValueArray()));
        Assert.Equal("0a", Wire.Hex(new HoldOffOption(10).ToValueArray()));
        Assert.Equal("09", Wire.Hex(new BadCsmOption(9).ToValueArray()));
        Assert.Equal(FromSeconds(10), new HoldOffOption(10).Duration);
    }

    [Theory]
    [InlineData("", null)]
    [InlineData("07", null)]
    [InlineData("08", 8)]
    [InlineData("0100", 256)]
    [InlineData("01010c", 65804)]
    [InlineData("01010d", 65804)]
    [InlineData("ffffff", 65804)]
    [Rfc("8974-2.2.1-1")]
    public void Extended_Token_Length_is_ignored_below_8_and_clamped_above_65804(string value, int? length)
    {
        ExtendedTokenLengthOption option = Assert.IsType<ExtendedTokenLengthOption>(Read(CoapCode.Csm, 6, value));

        Assert.Equal(length, option.TokenLength);
    }

    [Fact]
    public void Options_of_different_codes_are_never_equal()
    {
        Assert.NotEqual<CoapOption>(new MaxMessageSizeOption(0), new CustodyOption());
        Assert.NotEqual<CoapOption>(new ETagOption([0x0a]), new HoldOffOption(10));
        Assert.Equal<CoapOption>(new CustodyOption(), new CustodyOption());
    }

    [Fact]
    public void Get_finds_an_option_only_under_the_code_of_its_class()
    {
        CoapOptionCollection csm = new(code: CoapCode.Csm);
        csm.Add(new MaxMessageSizeOption(2000)).Add(new BlockWiseTransferOption());
        CoapOptionCollection request = new(code: CoapCode.Get);
        request.Add(new ETagOption([1])).AddUInt(2, 2000);

        Assert.Equal(2000u, csm.Get<MaxMessageSizeOption>()!.Value);
        Assert.True(csm.TryGet(out BlockWiseTransferOption? _));
        Assert.Null(csm.Get<ETagOption>());
        Assert.Empty(csm.GetAll<ETagOption>());
        Assert.Null(csm.ETag);
        Assert.Empty(csm.ETags);
        Assert.Null(request.Get<MaxMessageSizeOption>());
        Assert.Null(request.Get<BlockWiseTransferOption>());
        Assert.NotNull(request.Get<ETagOption>());
    }

    [Fact]
    public void A_message_interprets_its_options_by_its_current_code()
    {
        CoapMessage message = new();
        message.Options.AddUInt(2, 2000);
        Assert.IsType<UnrecognizedOption>(Assert.Single(message.Options));

        message.Code = CoapCode.Csm;
        Assert.Equal(2000u, message.Options.Get<MaxMessageSizeOption>()?.Value);

        message.Code = CoapCode.Release;
        Assert.IsType<AlternativeAddressOption>(Assert.Single(message.Options));
        Assert.Null(message.Options.Get<MaxMessageSizeOption>());
        Assert.IsType<AlternativeAddressOption>(Assert.Single(message.Clone().Options));
    }

    private static CoapOption Read(CoapCode code, int number, string value) =>
        CoapOptionRegistry.Default.Create(code, new OptionData(number, Wire.Hex(value)));
}
