using CoAP.NET.Options;

namespace CoAP.NET.Tests.Options;

/// <summary>The options of signalling messages (RFC 8323 section 5, RFC 8974 section 2.2.1).</summary>
public sealed class SignallingOptionTests
{
    [Fact]
    [Rfc("8323-5.2-2")]
    public void One_number_means_another_option_under_each_code()
    {
        Assert.IsType<MaxMessageSize>(Read(CoapCode.Csm, 2, "0480"));
        Assert.IsType<BlockWiseTransfer>(Read(CoapCode.Csm, 4, ""));
        Assert.IsType<ExtendedTokenLength>(Read(CoapCode.Csm, 6, "10"));
        Assert.IsType<Custody>(Read(CoapCode.Ping, 2, ""));
        Assert.IsType<Custody>(Read(CoapCode.Pong, 2, ""));
        Assert.IsType<AlternativeAddress>(Read(CoapCode.Release, 2, "68"));
        Assert.IsType<HoldOff>(Read(CoapCode.Release, 4, "0a"));
        Assert.IsType<BadCsmOption>(Read(CoapCode.Abort, 2, "09"));
        Assert.IsType<ETag>(Read(CoapCode.Get, 4, "0a"));
        Assert.IsType<UnrecognizedOption>(Read(CoapCode.Get, 2, ""));
        Assert.IsType<UnrecognizedOption>(Read(CoapCode.Abort, 4, "0a"));
        Assert.IsType<UnrecognizedOption>(Read(CoapCode.Csm, 11, "61"));
    }

    [Fact]
    public void Values_stand_in_their_shortest_form()
    {
        Assert.Equal("0480", Wire.Hex(new MaxMessageSize(MaxMessageSize.BaseValue).ToValueArray()));
        Assert.Equal("", Wire.Hex(new BlockWiseTransfer().ToValueArray()));
        Assert.Equal("01010c", Wire.Hex(new ExtendedTokenLength(65804).ToValueArray()));
        Assert.Equal("0a", Wire.Hex(new HoldOff(10).ToValueArray()));
        Assert.Equal("09", Wire.Hex(new BadCsmOption(9).ToValueArray()));
        Assert.Equal(TimeSpan.FromSeconds(10), new HoldOff(10).Duration);
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
    public void Extended_token_length_is_ignored_below_8_and_clamped_above_65804(string value, int? length)
    {
        ExtendedTokenLength option = Assert.IsType<ExtendedTokenLength>(Read(CoapCode.Csm, 6, value));

        Assert.Equal(length, option.TokenLength);
    }

    [Fact]
    public void Options_of_different_codes_are_never_equal()
    {
        Assert.NotEqual<CoapOption>(new MaxMessageSize(0), new Custody());
        Assert.NotEqual<CoapOption>(new ETag([0x0a]), new HoldOff(10));
        Assert.Equal<CoapOption>(new Custody(), new Custody());
    }

    [Fact]
    public void Typed_access_finds_an_option_only_under_its_own_code()
    {
        CoapOptionCollection csm = new(code: CoapCode.Csm);
        csm.Add(new MaxMessageSize(2000)).Add(new BlockWiseTransfer());
        CoapOptionCollection request = new(code: CoapCode.Get);
        request.Add(new ETag([1])).AddUInt(2, 2000);

        Assert.Equal(2000u, csm.Get<MaxMessageSize>()!.Value);
        Assert.True(csm.TryGet(out BlockWiseTransfer? _));
        Assert.Null(csm.Get<ETag>());
        Assert.Empty(csm.GetAll<ETag>());
        Assert.Null(csm.ETag);
        Assert.Empty(csm.ETags);
        Assert.Null(request.Get<MaxMessageSize>());
        Assert.Null(request.Get<BlockWiseTransfer>());
        Assert.NotNull(request.Get<ETag>());
    }

    [Fact]
    public void A_message_reads_its_options_under_its_current_code()
    {
        CoapMessage message = new();
        message.Options.AddUInt(2, 2000);
        Assert.IsType<UnrecognizedOption>(Assert.Single(message.Options));

        message.Code = CoapCode.Csm;
        Assert.Equal(2000u, message.Options.Get<MaxMessageSize>()?.Value);

        message.Code = CoapCode.Release;
        Assert.IsType<AlternativeAddress>(Assert.Single(message.Options));
        Assert.Null(message.Options.Get<MaxMessageSize>());
        Assert.IsType<AlternativeAddress>(Assert.Single(message.Clone().Options));
    }

    private static CoapOption Read(CoapCode code, int number, string value) =>
        CoapOptionRegistry.Default.Create(code, new OptionData(number, Wire.Hex(value)));
}
