namespace CoAP.NET.Tests.Options;

/// <summary>Factories that users register create what every way of reading returns, and definitions that cannot work are refused.</summary>
public sealed class ReplacedFactoryTests
{
    private static readonly OptionDefinition s_myHost = new(OptionNumber.UriHost, "My-Host", OptionFormat.String, 1, 255)
    {
        Protection = OptionProtection.Unprotected,
    };

    [Fact]
    public void A_replaced_option_factory_creates_the_options_returned_by_every_accessor()
    {
        CountingPaths factory = new();
        CoapOptionCollection options = Read(factory, new UriPathOption("a"), new UriPathOption("b"));

        UriPathOption? first = options.Get<UriPathOption>();
        Assert.Same(factory.Last, first);
        Assert.Equal("A", first?.Value);
        Assert.True(options.TryGet(out UriPathOption? found));
        Assert.Same(factory.Last, found);
        Assert.Equal(2, factory.Calls);
        Assert.Equal(["A", "B"], options.GetAll<UriPathOption>().Select(static path => path.Value));
        Assert.Equal(["A", "B"], options.OfType<UriPathOption>().Select(static path => path.Value));
        Assert.Equal("A", Assert.IsType<UriPathOption>(options.OptionAt(0)).Value);
        Assert.Equal(7, factory.Calls);
        Assert.Equal(["A", "B"], options.UriPath);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_option_of_a_replaced_class_is_found_only_by_that_class(bool sharesDefinition)
    {
        MyHost.Made = sharesDefinition ? UriHostOption.Definition : s_myHost;
        CoapOptionCollection options = Read(new OptionFactory<MyHost>(), new UriHostOption("example.org"));
        Assert.IsType<MyHost>(Assert.Single(options));
        Assert.Equal("example.org", options.Get<MyHost>()!.Value);
        Assert.Equal("example.org", Assert.Single(options.GetAll<MyHost>()).Value);
        Assert.Null(options.Get<UriHostOption>());
        Assert.False(options.TryGet(out UriHostOption? _));
        Assert.Empty(options.GetAll<UriHostOption>());

        // The library reads the value, whatever class it has.
        Assert.Equal("example.org", options.UriHost);
        CoapOptionCollection standard = Read(new OptionFactory<UriHostOption>(), new UriHostOption("example.org"));
        Assert.Equal("example.org", standard.Get<UriHostOption>()!.Value);
        Assert.True(sharesDefinition || standard.Get<MyHost>() is null);
    }

    [Fact]
    public void An_option_without_a_factory_is_created_by_its_class()
    {
        CoapOptionCollection options = new();
        options.AddUInt(65_100, 7);
        Assert.IsType<UnrecognizedOption>(Assert.Single(options));
        Assert.Equal(7u, options.Get<Level>()!.Value);
        Assert.Equal(7u, Assert.Single(options.GetAll<Level>()).Value);
    }

    [Theory]
    [InlineData(OptionFormat.String, 0, 2, "UInt")]
    [InlineData(OptionFormat.Opaque, 0, 2, "UInt")]
    [InlineData(OptionFormat.Empty, 0, 0, "UInt")]
    [InlineData(OptionFormat.UInt, 5, 2, "MinLength")]
    [InlineData(OptionFormat.UInt, -1, 2, "MinLength")]
    [InlineData(OptionFormat.UInt, 0, 5, "4 bytes")]
    [InlineData((OptionFormat)9, 0, 2, "OptionFormat")]
    public void A_definition_that_contradicts_the_option_class_is_refused(OptionFormat format, int min, int max, string why)
    {
        Contradiction.Made = new OptionDefinition(65_102, "Mine", format, min, max);
        ArgumentException error = Assert.Throws<ArgumentException>(
            () => CoapOptionRegistry.Default.With(new OptionFactory<Contradiction>()));
        error.Mentions("Mine");
        error.Mentions(why);
    }

    [Fact]
    public void An_invalid_definition_of_a_custom_factory_is_refused()
    {
        AssertRefused(new OptionDefinition(65_104, "Mine", OptionFormat.Opaque, 0, 65_805), "65804");
        AssertRefused(new OptionDefinition(65_104, "Mine", OptionFormat.Empty, 0, 1), "MaxLength to 0");
        AssertRefused(new OptionDefinition(65_536, "Mine", OptionFormat.Opaque, 0, 1), "65536");
        AssertRefused(new OptionDefinition(OptionNumber.UriPath, "Mine", OptionFormat.Opaque, 0, 255), "Uri-Path");
        AssertRefused(new OptionDefinition(65_104, "Mine", OptionFormat.Opaque, 0, 1), "65105", number: 65_105);
        AssertRefused(null!, "no definition");

        static void AssertRefused(OptionDefinition definition, string why, int? number = null) =>
            Assert.Throws<ArgumentException>(() => new CoapOptionRegistry([new AnyFactory(definition, number)])).Mentions(why);
    }

    [Fact]
    public void A_definition_whose_parts_contradict_each_other_is_refused()
    {
        AssertRefused("names no messages", use: OptionApplicability.None);
        AssertRefused("names no messages", use: (OptionApplicability)8);
        AssertRefused("2.05", OptionApplicability.Signalling, new() { SignallingCode = CoapCode.Content });
        AssertRefused("Set Use to Signalling", with: new() { SignallingCode = CoapCode.Csm });
        AssertRefused("no signalling code", OptionApplicability.Request | OptionApplicability.Signalling);
        AssertRefused("methods of requests", OptionApplicability.Response, new() { Methods = [CoapCode.Get] });
        AssertRefused("methods of requests", with: new() { Methods = [] });
        AssertRefused("methods of requests", with: new() { Methods = [CoapCode.Get, CoapCode.Content] });
        AssertRefused("IsSingleInResponse", with: new() { IsSingleInResponse = true });
        AssertRefused("IsSingleInResponse", OptionApplicability.Request, new() { IsSingleInResponse = true }, isRepeatable: true);
        AssertRefused("Protection", with: new() { Protection = (OptionProtection)9 });
        AssertRefused("Caching", with: new() { Caching = (OptionCachingInRequests)9 });
        AssertRefused("Storing", with: new() { Storing = (OptionCachingInResponses)9 });
        AssertRefused("ForwardingInRequest", with: new() { ForwardingInRequest = (OptionForwarding)9 });
        AssertRefused("ForwardingInResponse", with: new() { ForwardingInResponse = (OptionForwarding)9 });
        AssertRefused("IsRepeatable is False instead of True", OptionApplicability.Request, number: OptionNumber.UriPath);
        AssertRefused("the use Response instead of Request", OptionApplicability.Response, isRepeatable: true,
            number: OptionNumber.UriPath);

        static void AssertRefused(string why, OptionApplicability use = OptionApplicability.Both, Parts? with = null,
            bool isRepeatable = false, int number = 65_104)
        {
            Parts parts = with ?? new Parts();
            OptionDefinition definition = new(number, "Mine", OptionFormat.String, 0, 255, isRepeatable, use)
            {
                SignallingCode = parts.SignallingCode,
                Methods = parts.Methods,
                IsSingleInResponse = parts.IsSingleInResponse,
                Protection = parts.Protection,
                Caching = parts.Caching,
                Storing = parts.Storing,
                ForwardingInRequest = parts.ForwardingInRequest,
                ForwardingInResponse = parts.ForwardingInResponse,
            };
            ArgumentException error = Assert.Throws<ArgumentException>(() => new CoapOptionRegistry([new AnyFactory(definition, null)]));
            error.Mentions("Mine");
            error.Mentions(why);
        }
    }

    [Theory]
    [InlineData(OptionFormat.Opaque, 3, "UInt")]
    [InlineData(OptionFormat.UInt, 4, "at most 3 bytes")]
    public void An_invalid_definition_of_a_custom_block_option_is_refused(OptionFormat format, int max, string why)
    {
        Page.Made = new OptionDefinition(65_106, "Page", format, 0, max);
        ArgumentException error = Assert.Throws<ArgumentException>(() => CoapOptionRegistry.Default.With(new OptionFactory<Page>()));
        error.Mentions(why);
    }

    [Fact]
    public void A_custom_block_option_and_a_custom_text_option_with_escaped_control_characters_work()
    {
        Page.Made = new OptionDefinition(65_106, "Page", OptionFormat.UInt, 0, 3);
        CoapOptionCollection options = new(
            CoapOptionRegistry.Default.With(new OptionFactory<Page>()).With(new OptionFactory<Lines>()));
        options.Add(new Page(new BlockValue(2, true, 2))).Add(new Lines(new StringBuilder("a\nb")));

        Assert.Equal("2a", Wire.Hex(options.ValueAt(0)));
        Assert.Equal(new BlockValue(2, true, 2), options.Get<Page>()!.Value);
        Assert.Equal("a\nb", options.Get<Lines>()!.Value.ToString());
        Assert.Equal("Page: 2/1/64, Lines: a\\u000ab", options.ToString());
        Assert.Throws<ArgumentOutOfRangeException>(() => new Lines(new StringBuilder("too long")));
    }

    private static CoapOptionCollection Read(IOptionFactory factory, params CoapOption[] options)
    {
        CoapMessage message = new(CoapCode.Get);
        message.Options.AddRange(options);
        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = CoapOptionRegistry.Default.With(factory) });
        return serializer.Deserialize(CoapDatagramSerializer.Default.Serialize(message)).Options;
    }

    private sealed record Parts
    {
        public CoapCode? SignallingCode { get; init; }

        public IReadOnlyList<CoapCode>? Methods { get; init; }

        public bool IsSingleInResponse { get; init; }

        public OptionProtection Protection { get; init; }

        public OptionCachingInRequests Caching { get; init; }

        public OptionCachingInResponses Storing { get; init; }

        public OptionForwarding ForwardingInRequest { get; init; }

        public OptionForwarding ForwardingInResponse { get; init; }
    }

    private sealed class AnyFactory(OptionDefinition definition, int? number) : IOptionFactory
    {
        public int Number => number ?? definition.Number;

        public OptionDefinition Definition => definition;

        public CoapOption Create(OptionData data) => new UnrecognizedOption(data.Number, data.Value.ToArray());
    }

#pragma warning disable CS0108 // tests see what is internal in the base class; users do not
    private sealed class MyHost(string value) : StringOption(Definition, value), ITypedOption<MyHost>
    {
        public static OptionDefinition? Made { get; set; }

        public static OptionDefinition Definition => Made!;

        public static MyHost Create(OptionData data) => new(data.GetString());
    }

    private sealed class Level(uint value) : UIntOption(Definition, value), ITypedOption<Level>
    {
        public static OptionDefinition Definition { get; } = new(65_100, "Level", OptionFormat.UInt, 0, 1);

        public static Level Create(OptionData data) => new(data.GetUInt());
    }

    private sealed class Contradiction(uint value) : UIntOption(Definition, value), ITypedOption<Contradiction>
    {
        public static OptionDefinition? Made { get; set; }

        public static OptionDefinition Definition => Made!;

        public static Contradiction Create(OptionData data) => new(data.GetUInt());
    }

    private sealed class Page(BlockValue block) : BlockOption(Definition, block), ITypedOption<Page>
    {
        public static OptionDefinition? Made { get; set; }

        public static OptionDefinition Definition => Made!;

        public static Page Create(OptionData data) => new(BlockValue.FromUInt32(data.GetUInt()));
    }

    private sealed class Lines(StringBuilder text) : CoapOption<StringBuilder>(Definition, text), ITypedOption<Lines>
    {
        public static OptionDefinition Definition { get; } = new(65_108, "Lines", OptionFormat.Opaque, 0, 4);

        public override int ValueLength { get; } = CheckLength(Definition, text.Length);

        public static Lines Create(OptionData data) => new(new StringBuilder(data.GetString()));

        public override void WriteValue(Span<byte> destination) => Encoding.ASCII.GetBytes(Value.ToString(), destination);
    }
#pragma warning restore CS0108
}
