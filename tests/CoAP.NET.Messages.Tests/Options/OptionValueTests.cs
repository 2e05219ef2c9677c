
namespace CoAP.NET.Tests.Options;

/// <summary>Formats of values: integers, strings and No-Response (RFC 7252 section 3.2, RFC 7967).</summary>
public sealed class OptionValueTests
{
    [Theory]
    [InlineData(0u, "", "00", "0000", "00000000")]
    [InlineData(1u, "01", "0001", "000001")]
    [InlineData(255u, "ff", "00ff")]
    [InlineData(256u, "0100", "000100")]
    [InlineData(65535u, "ffff")]
    [InlineData(65536u, "010000")]
    [InlineData(16777215u, "ffffff")]
    [InlineData(4294967295u, "ffffffff")]
    [Rfc("7252-3.2-1", "7252-3.2-2")]
    public void Integer_is_sent_without_leading_zeros_and_read_with_them(uint value, string preferred, params string[] alsoAccepted)
    {
        Assert.Equal(preferred, Wire.Hex(new Size1Option(value).ToValueArray()));
        Assert.All(alsoAccepted.Append(preferred), hex =>
        {
            CoapOptionCollection options = new();
            options.Add(OptionNumber.Size1, Wire.Hex(hex));

            Assert.Equal(value, options.Size1);
            Assert.Equal(value, options.Get<Size1Option>()!.Value);
        });
    }

    [Fact]
    [Rfc("7252-5.4.3-1")]
    public void Leading_zeros_count_towards_the_option_length()
    {
        CoapOptionCollection options = new();
        options.Add(OptionNumber.ContentFormat, Wire.Hex("000000")).Add(OptionNumber.Accept, Wire.Hex("000000"))
            .Add(OptionNumber.Size1, Wire.Hex("0000000000"));

        Assert.All(options, option => Assert.IsType<UnrecognizedOption>(option));
        Assert.Null(options.ContentFormat);
        Assert.Null(options.Accept);
        Assert.Null(options.Size1);
        Assert.Null(options.Get<ContentFormatOption>());
        Assert.Equal("000000", Wire.Hex(options.OptionAt(0).ToValueArray()));
    }

    [Fact]
    public void A_received_string_that_is_invalid_UTF_8_keeps_its_bytes()
    {
        byte[] bytes = [.. Enumerable.Repeat((byte)0xff, 255)];
        CoapOptionCollection options = new();
        options.Add(OptionNumber.UriPath, bytes);

        UriPathOption segment = options.Get<UriPathOption>()!;

        Assert.Equal(new string('\ufffd', 255), segment.Value);
        Assert.Equal(255, segment.ValueLength);
        Assert.Equal(bytes, segment.ToValueArray());
    }

    [Fact]
    public void The_text_of_a_string_option_has_no_control_characters()
    {
        Assert.Equal("Uri-Path: a\\u000ab\\u001b", new UriPathOption("a\nb\u001b").ToString());
        Assert.Equal("Uri-Path: ü", new UriPathOption("ü").ToString());
    }

    [Fact]
    [Rfc("7252-3.2-3")]
    public void String_is_utf8_and_its_length_is_counted_in_bytes()
    {
        UriPathOption segment = new("こんにちは");

        Assert.Equal(15, segment.ValueLength);
        Assert.Equal(Encoding.UTF8.GetBytes("こんにちは"), segment.ToValueArray());
    }

    [Theory]
    [InlineData("", false, false, false)]
    [InlineData("02", true, false, false)]
    [InlineData("08", false, true, false)]
    [InlineData("10", false, false, true)]
    [InlineData("0a", true, true, false)]
    [InlineData("12", true, false, true)]
    [InlineData("18", false, true, true)]
    [InlineData("1a", true, true, true)]
    [InlineData("20", false, false, false)]
    [InlineData("ff", true, true, true)]
    [Rfc("7967-2-1")]
    public void No_Response_suppresses_the_response_classes_of_its_bits(string value, bool success, bool clientError, bool serverError)
    {
        CoapOptionCollection options = new();
        options.Add(OptionNumber.NoResponse, Wire.Hex(value));
        NoResponseOption option = options.Get<NoResponseOption>()!;

        Assert.Equal((success, clientError, serverError),
            (option.Suppresses(CoapCode.Changed), option.Suppresses(CoapCode.NotFound), option.Suppresses(CoapCode.InternalServerError)));
        Assert.Equal(
            (success, clientError, serverError),
            (options.SuppressesResponse(CoapCode.Content), options.SuppressesResponse(CoapCode.BadRequest),
                options.SuppressesResponse(CoapCode.GatewayTimeout)));
        Assert.False(option.Suppresses(CoapCode.Empty));
        Assert.False(option.Suppresses(CoapCode.Get));
        Assert.False(option.Suppresses(CoapCode.Csm));
    }

    [Fact]
    public void Without_No_Response_every_response_is_sent() =>
        Assert.False(new CoapOptionCollection().SuppressesResponse(CoapCode.Content));

    [Fact]
    public void An_empty_Request_Tag_differs_from_an_absent_Request_Tag()
    {
        CoapOptionCollection options = new();
        Assert.Empty(options.RequestTags);

        options.Add(new RequestTagOption([]));
        Assert.Equal(0, Assert.Single(options.RequestTags).Length);

        options.Add(new RequestTagOption([1])).Add(OptionNumber.RequestTag, new byte[9]);
        Assert.Equal(2, options.RequestTags.Count);
        Assert.Equal(2, options.GetAll<RequestTagOption>().Count());
    }

    [Theory]
    [InlineData("")]
    [InlineData("0001020304050607080910111213141516171819202122232425262728293031323334353637383940")]
    public void Echo_of_0_and_of_41_bytes_is_ignored(string value)
    {
        CoapOptionCollection options = new();
        options.Add(OptionNumber.Echo, Wire.Hex(value));

        Assert.Null(options.Echo);
        Assert.Null(options.Get<EchoOption>());
    }

    [Fact]
    public void Several_Q_Block2_options_are_written_and_read_in_order()
    {
        CoapOptionCollection options =
            new() { new QBlock2Option(3, false, 1024), new QBlock2Option(7, false, 1024), new QBlock2Option(10, true, 1024) };

        Assert.Equal(["36", "76", "ae"], options.GetAll<QBlock2Option>().Select(option => Wire.Hex(option.ToValueArray())));
        Assert.Equal(["3/0/1024", "7/0/1024", "10/1/1024"], options.GetAll<QBlock2Option>().Select(option => option.Value.ToString()));
    }

    [Fact]
    public void Options_are_equal_when_their_number_and_bytes_are_equal()
    {
        Assert.Equal(new ETagOption([1, 2]), new ETagOption([1, 2]));
        Assert.NotEqual(new ETagOption([1, 2]), new ETagOption([1, 3]));
        Assert.NotEqual<CoapOption>(new ETagOption([1]), new IfMatchOption([1]));
        Assert.Equal<CoapOption>(new UnrecognizedOption(4, new byte[] { 1 }), new ETagOption([1]));
        Assert.Equal(new ETagOption([1]).GetHashCode(), new UnrecognizedOption(4, new byte[] { 1 }).GetHashCode());
        Assert.Equal(new ProxyUriOption(new string('a', 1034)), new ProxyUriOption(new string('a', 1034)));
        Assert.False(new ETagOption([1]).Equals(null));
    }

    [Theory]
    [InlineData("", true, 0)]
    [InlineData("0000000001", true, 1)]
    [InlineData("ffffffff", true, uint.MaxValue)]
    [InlineData("0100000000", false, 0)]
    public void An_option_value_is_read_as_an_integer_when_it_fits_32_bits(string hex, bool fits, uint expected)
    {
        Assert.Equal(fits, new OptionData(OptionNumber.MaxAge, Wire.Hex(hex)).TryGetUInt(out uint value));
        Assert.Equal(expected, value);
    }
}
