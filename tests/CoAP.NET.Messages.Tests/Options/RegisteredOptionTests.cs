using CoAP.NET.Options;

namespace CoAP.NET.Tests.Options;

/// <summary>Each registered option: what the registry says of it, and its value on the wire.</summary>
public sealed class RegisteredOptionTests
{
    private static readonly Dictionary<string, (CoapOption Option, string Value)> Rows = new()
    {
        ["If-Match"] = (new IfMatchOption(Wire.Hex("abcd")), "abcd"),
        ["If-Match any"] = (new IfMatchOption([]), ""),
        ["Uri-Host"] = (new UriHostOption("example.net"), "6578616d706c652e6e6574"),
        ["ETag"] = (new ETagOption(Wire.Hex("6f00f38e")), "6f00f38e"),
        ["If-None-Match"] = (new IfNoneMatchOption(), ""),
        ["Observe register"] = (ObserveOption.Register, ""),
        ["Observe deregister"] = (ObserveOption.Deregister, "01"),
        ["Observe 62350"] = (new ObserveOption(62350), "f38e"),
        ["Uri-Port 61616"] = (new UriPortOption(61616), "f0b0"),
        ["Uri-Port 5683"] = (new UriPortOption(5683), "1633"),
        ["Location-Path"] = (new LocationPathOption("rd"), "7264"),
        ["OSCORE empty"] = (new CoAP.NET.OscoreOption([]), ""),
        ["Uri-Path"] = (new UriPathOption("core"), "636f7265"),
        ["Uri-Path of no bytes"] = (new UriPathOption(""), ""),
        ["Content-Format 0"] = (new ContentFormatOption(CoapContentFormat.TextPlain), ""),
        ["Content-Format 40"] = (new ContentFormatOption(CoapContentFormat.LinkFormat), "28"),
        ["Content-Format 272"] = (new ContentFormatOption((CoapContentFormat)272), "0110"),
        ["Content-Format 65535"] = (new ContentFormatOption((CoapContentFormat)65535), "ffff"),
        ["Max-Age 60"] = (new MaxAgeOption(60), "3c"),
        ["Max-Age 0"] = (new MaxAgeOption(TimeSpan.Zero), ""),
        ["Max-Age 4294967295"] = (new MaxAgeOption(uint.MaxValue), "ffffffff"),
        ["Uri-Query"] = (new UriQueryOption("rt=x"), "72743d78"),
        ["Hop-Limit 16"] = (new HopLimitOption(HopLimitOption.DefaultValue), "10"),
        ["Hop-Limit 255"] = (new HopLimitOption(255), "ff"),
        ["Accept 50"] = (new AcceptOption(CoapContentFormat.Json), "32"),
        ["Accept 0"] = (new AcceptOption(CoapContentFormat.TextPlain), ""),
        ["Q-Block1 0/1/1024"] = (new QBlock1Option(0, true, 1024), "0e"),
        ["Location-Query"] = (new LocationQueryOption("a=1"), "613d31"),
        ["EDHOC"] = (new CoAP.NET.EdhocOption(), ""),
        ["Block2 0/0/64"] = (new Block2Option(0, false, 64), "02"),
        ["Block1 3/1/128"] = (new Block1Option(3, true, 128), "3b"),
        ["Size2 0"] = (new Size2Option(0), ""),
        ["Size2 65536"] = (new Size2Option(65536), "010000"),
        ["Q-Block2 10/1/1024"] = (new QBlock2Option(10, true, 1024), "ae"),
        ["Proxy-Uri"] = (new ProxyUriOption("coap://h/"), "636f61703a2f2f682f"),
        ["Proxy-Scheme"] = (new ProxySchemeOption("coap"), "636f6170"),
        ["Size1 1280"] = (new Size1Option(1280), "0500"),
        ["Echo"] = (new EchoOption(Wire.Hex("0011223344556677")), "0011223344556677"),
        ["No-Response 26"] = (new NoResponseOption(NoResponseClasses.All), "1a"),
        ["No-Response 0"] = (new NoResponseOption(NoResponseClasses.None), ""),
        ["Request-Tag of no bytes"] = (new RequestTagOption([]), ""),
        ["Request-Tag"] = (new RequestTagOption(Wire.Hex("01")), "01"),
    };

    public static TheoryData<string> RowNames => [.. Rows.Keys];

    // Checklist table 1.4: number, name, format, shortest, longest, repeatable, where.
    public static TheoryData<int, string, OptionFormat, int, int, bool, OptionApplicability> Definitions => new()
    {
        { 1, "If-Match", OptionFormat.Opaque, 0, 8, true, OptionApplicability.Request },
        { 3, "Uri-Host", OptionFormat.String, 1, 255, false, OptionApplicability.Request },
        { 4, "ETag", OptionFormat.Opaque, 1, 8, true, OptionApplicability.Both },
        { 5, "If-None-Match", OptionFormat.Empty, 0, 0, false, OptionApplicability.Request },
        { 6, "Observe", OptionFormat.UInt, 0, 3, false, OptionApplicability.Both },
        { 7, "Uri-Port", OptionFormat.UInt, 0, 2, false, OptionApplicability.Request },
        { 8, "Location-Path", OptionFormat.String, 0, 255, true, OptionApplicability.Response },
        { 9, "OSCORE", OptionFormat.Opaque, 0, 255, false, OptionApplicability.Both },
        { 11, "Uri-Path", OptionFormat.String, 0, 255, true, OptionApplicability.Request },
        { 12, "Content-Format", OptionFormat.UInt, 0, 2, false, OptionApplicability.Both },
        { 14, "Max-Age", OptionFormat.UInt, 0, 4, false, OptionApplicability.Response },
        { 15, "Uri-Query", OptionFormat.String, 0, 255, true, OptionApplicability.Request },
        { 16, "Hop-Limit", OptionFormat.UInt, 1, 1, false, OptionApplicability.Request },
        { 17, "Accept", OptionFormat.UInt, 0, 2, false, OptionApplicability.Request },
        { 19, "Q-Block1", OptionFormat.UInt, 0, 3, false, OptionApplicability.Both },
        { 20, "Location-Query", OptionFormat.String, 0, 255, true, OptionApplicability.Response },
        { 21, "EDHOC", OptionFormat.Empty, 0, 0, false, OptionApplicability.Request },
        { 23, "Block2", OptionFormat.UInt, 0, 3, false, OptionApplicability.Both },
        { 27, "Block1", OptionFormat.UInt, 0, 3, false, OptionApplicability.Both },
        { 28, "Size2", OptionFormat.UInt, 0, 4, false, OptionApplicability.Both },
        { 31, "Q-Block2", OptionFormat.UInt, 0, 3, true, OptionApplicability.Both },
        { 35, "Proxy-Uri", OptionFormat.String, 1, 1034, false, OptionApplicability.Request },
        { 39, "Proxy-Scheme", OptionFormat.String, 1, 255, false, OptionApplicability.Request },
        { 60, "Size1", OptionFormat.UInt, 0, 4, false, OptionApplicability.Both },
        { 252, "Echo", OptionFormat.Opaque, 1, 40, false, OptionApplicability.Both },
        { 258, "No-Response", OptionFormat.UInt, 0, 1, false, OptionApplicability.Request },
        { 292, "Request-Tag", OptionFormat.Opaque, 0, 8, true, OptionApplicability.Request },
    };

    [Theory]
    [MemberData(nameof(RowNames))]
    public void An_option_value_is_written_in_its_shortest_form(string name)
    {
        (CoapOption option, string value) = Rows[name];

        Assert.Equal(value, Wire.Hex(option.ToValueArray()));
        Assert.Equal(value.Length / 2, option.ValueLength);
    }

    [Theory]
    [MemberData(nameof(RowNames))]
    public void An_option_value_is_read_back_as_the_same_typed_option(string name)
    {
        (CoapOption option, string value) = Rows[name];
        CoapOptionCollection options = new();
        options.Add(option.Number, Wire.Hex(value));

        CoapOption read = options.OptionAt(0);

        Assert.IsType(option.GetType(), read);
        Assert.Equal(option, read);
        Assert.Equal(option.GetHashCode(), read.GetHashCode());
        Assert.Equal(option.ToString(), read.ToString());
    }

    [Fact]
    public void Received_bytes_are_copied_into_the_option()
    {
        foreach ((CoapOption option, string value) in Rows.Values)
        {
            byte[] bytes = Wire.Hex(value);
            CoapOption read = CoapOptionRegistry.Default.Create(CoapCode.Get, new OptionData(option.Number, bytes));
            Array.Fill(bytes, (byte)0x55);

            Assert.Equal(value, Wire.Hex(read.ToValueArray()));
        }
    }

    [Fact]
    public void Bytes_given_to_a_constructor_are_copied()
    {
        byte[] bytes = Wire.Hex("0102");
        ETagOption tag = new(bytes);
        bytes[0] = 0xff;

        Assert.Equal("0102", Wire.Hex(tag.Value.Span));
    }

    [Theory]
    [Rfc("7252-5.4.6-1", "7252-5.4.3-1")]
    [MemberData(nameof(Definitions))]
    public void Each_registered_option_has_its_definition(
        int number, string name, OptionFormat format, int shortest, int longest, bool repeatable,
        OptionApplicability use)
    {
        OptionDefinition definition = CoapOptionRegistry.Default.Find(CoapCode.Get, number)!.Definition;

        Assert.Equal((number, name, format), (definition.Number, definition.Name, definition.Format));
        Assert.Equal((shortest, longest, repeatable, use),
            (definition.MinLength, definition.MaxLength, definition.IsRepeatable, definition.Use));
        Assert.Null(definition.SignallingCode);
        Assert.Equal(OptionFlagsOf(number), (definition.IsCritical, definition.IsUnsafe, definition.IsNoCacheKey));
    }

    [Fact]
    public void The_default_registry_contains_exactly_the_listed_options()
    {
        int[] registered = [.. CoapOptionRegistry.Default.Factories.Where(factory => factory.Definition.SignallingCode is null)
            .Select(factory => factory.Number).Order()];

        Assert.Equal([.. Definitions.Select(row => row.Data.Item1)], registered);
    }

    [Fact]
    [Rfc("7252-5.4.6-1")]
    public void Flags_of_unknown_numbers_follow_from_their_bits()
    {
        Assert.True(OptionNumber.IsCritical(9999));
        Assert.False(OptionNumber.IsCritical(9998));
        Assert.True(OptionNumber.IsUnsafe(65003));
        Assert.False(OptionNumber.IsUnsafe(65001));
        Assert.True(OptionNumber.IsNoCacheKey(0x1c));
        Assert.False(OptionNumber.IsNoCacheKey(0x1e));
        Assert.False(OptionNumber.IsNoCacheKey(0x0c));
    }

    [Fact]
    public void Values_out_of_their_range_are_refused()
    {
        string tooLong = new('a', 256);
        Action[] bad =
        [
            () => _ = new IfMatchOption(new byte[9]), () => _ = new ETagOption([]), () => _ = new ETagOption(new byte[9]),
            () => _ = new UriHostOption(""), () => _ = new UriHostOption(tooLong), () => _ = new UriPathOption(tooLong), () =>
                _ = new UriQueryOption(tooLong),
            () => _ = new UriPathOption(new string('ü', 128)), () => _ = new LocationPathOption(tooLong), () =>
                _ = new LocationQueryOption(tooLong),
            () => _ = new ProxyUriOption(""), () => _ = new ProxyUriOption(new string('a', 1035)), () => _ = new ProxySchemeOption(""),
            () => _ = new ProxySchemeOption(tooLong),
            () => _ = new ObserveOption(0x100_0000), () => _ = new UriPortOption(65536), () => _ = new UriPortOption(-1), () =>
                _ = new HopLimitOption(0),
            () => _ = new HopLimitOption(256),
            () => _ = new MaxAgeOption(FromSeconds(-1)), () => _ = new MaxAgeOption(FromTicks(-1)),
            () => _ = new MaxAgeOption(FromSeconds(4294967296)),
            () => _ = new EchoOption([]), () => _ = new EchoOption(new byte[41]), () => _ = new RequestTagOption(new byte[9]),
            () => _ = new CoAP.NET.OscoreOption(new byte[256]),
            () => _ = new Block1Option(1048576, false, 16), () => _ = new Block2Option(0, false, 48), () =>
                _ = new Block2Option(0, false, 2048),
            () => _ = new HoldOffOption(0x100_0000), () => _ = new BadCsmOption(65536), () => _ = new AlternativeAddressOption(""),
            () => _ = new ExtendedTokenLengthOption(7), () => _ = new ExtendedTokenLengthOption(65805),
        ];

        Assert.All(bad, action => Assert.Throws<ArgumentOutOfRangeException>(action));
    }

    [Theory]
    [InlineData(".")]
    [InlineData("..")]
    [Rfc("7252-5.10.1-1", "7252-5.10.7-1")]
    public void Dot_segments_are_refused(string segment)
    {
        Assert.Throws<ArgumentException>(() => new UriPathOption(segment)).Mentions("Resolve the path first");
        Assert.Throws<ArgumentException>(() => new LocationPathOption(segment));
        Assert.Equal("...", new UriPathOption("...").Value);
    }

    [Fact]
    public void Option_values_have_their_own_types()
    {
        Assert.Equal(CoapContentFormat.Json, new ContentFormatOption(CoapContentFormat.Json).Format);
        Assert.Equal(CoapContentFormat.Cbor, new AcceptOption(CoapContentFormat.Cbor).Format);
        Assert.Equal(FromSeconds(60), MaxAgeOption.Default);
        Assert.Equal(FromSeconds(2), new MaxAgeOption(FromSeconds(2.9)).Duration);
        Assert.Equal(FromSeconds(uint.MaxValue), new MaxAgeOption(uint.MaxValue).Duration);
        Assert.Equal(61616, new UriPortOption(61616).Port);
        Assert.Equal(new BlockValue(3, true, 3), new Block1Option(3, true, 128).Value);
        Assert.Equal("Block1: 3/1/128", new Block1Option(3, true, 128).ToString());
        Assert.Equal("If-None-Match", new IfNoneMatchOption().ToString());
        Assert.Equal("Max-Age: 5 s", new MaxAgeOption(5).ToString());
    }

    private static (bool Critical, bool Unsafe, bool NoCacheKey) OptionFlagsOf(int number) => number switch
    {
        1 or 5 or 9 or 17 or 21 => (true, false, false),
        3 or 7 or 11 or 15 or 19 or 23 or 27 or 31 or 35 or 39 => (true, true, false),
        6 or 14 or 258 => (false, true, false),
        28 or 60 or 252 => (false, false, true),
        _ => (false, false, false),
    };
}
