namespace CoAP.NET.Tests.Options;

/// <summary>The properties that read and write options by name.</summary>
public sealed class KnownOptionTests
{
    [Fact]
    public void Named_options_are_null_or_empty_when_absent()
    {
        CoapOptionCollection options = new();

        Assert.Null(options.ContentFormat);
        Assert.Null(options.Accept);
        Assert.Null(options.MaxAge);
        Assert.Null(options.Observe);
        Assert.Null(options.Block1);
        Assert.Null(options.Block2);
        Assert.Null(options.Size1);
        Assert.Null(options.Size2);
        Assert.Null(options.UriHost);
        Assert.Null(options.UriPort);
        Assert.Null(options.HopLimit);
        Assert.Null(options.NoResponse);
        Assert.Null(options.ETag);
        Assert.Null(options.Echo);
        Assert.Null(options.ProxyUri);
        Assert.Null(options.ProxyScheme);
        Assert.Null(options.Location);
        Assert.False(options.IfNoneMatch);
        Assert.Empty(options.ETags);
        Assert.Empty(options.IfMatch);
        Assert.Empty(options.UriPath);
        Assert.Empty(options.UriQuery);
    }

    [Fact]
    public void A_value_that_was_set_is_read_back_and_null_removes_the_option()
    {
        CoapOptionCollection options = new()
        {
            ContentFormat = CoapContentFormat.TextPlain,
            Accept = CoapContentFormat.Json,
            MaxAge = FromSeconds(90),
            Observe = 0xff_ffff,
            Block1 = new BlockValue(1, true, 2),
            Block2 = new BlockValue(2, false, 6),
            Size1 = 0,
            Size2 = uint.MaxValue,
            UriPort = 65535,
            HopLimit = 255,
            NoResponse = NoResponseClasses.All,
            ETag = new CoapETag([1, 2]),
            Echo = new byte[] { 3 },
            IfNoneMatch = true,
        };

        Assert.Equal(
            "ETag: 0102, If-None-Match, Observe: 16777215, Uri-Port: 65535, Content-Format: text/plain;charset=utf-8, Max-Age: 90 s, "
                + "Hop-Limit: 255, Accept: application/json, "
            + "Block2: 2/0/1024, Block1: 1/1/64, Size2: 4294967295, Size1: 0, Echo: 03, No-Response: 26",
            options.ToString());
        Assert.Equal(CoapContentFormat.TextPlain, options.ContentFormat);
        Assert.Equal(CoapContentFormat.Json, options.Accept);
        Assert.Equal(FromSeconds(90), options.MaxAge);
        Assert.Equal(0xff_ffffu, options.Observe);
        Assert.Equal(new BlockValue(1, true, 2), options.Block1);
        Assert.Equal(new BlockValue(2, false, 6), options.Block2);
        Assert.Equal(0u, options.Size1);
        Assert.Equal(uint.MaxValue, options.Size2);
        Assert.Equal(65535, options.UriPort);
        Assert.Equal(255, options.HopLimit);
        Assert.Equal(NoResponseClasses.All, options.NoResponse);
        Assert.Equal("0102", options.ETag!.Value.ToString());
        Assert.Equal("03", Wire.Hex(options.Echo!.Value.Span));
        Assert.True(options.IfNoneMatch);

        options.ContentFormat = options.Accept = null;
        options.MaxAge = null;
        options.Observe = options.Size1 = options.Size2 = null;
        options.Block1 = options.Block2 = null;
        options.UriPort = options.HopLimit = null;
        options.NoResponse = null;
        options.ETag = null;
        options.Echo = null;
        options.IfNoneMatch = false;
        Assert.Empty(options);
    }

    [Fact]
    public void Setting_replaces_all_options_of_the_number()
    {
        CoapOptionCollection options = new() { new ETagOption([1]), new ETagOption([2]) };

        options.ETag = new CoapETag([3]);

        Assert.Equal("ETag: 03", options.ToString());
    }

    [Fact]
    public void Values_out_of_their_range_are_refused_and_change_nothing()
    {
        CoapOptionCollection options = new() { new ObserveOption(5), new ETagOption([1]), new HopLimitOption(3) };

        Assert.Throws<ArgumentOutOfRangeException>(() => options.Observe = 0x100_0000);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.ETag = default(CoapETag));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.HopLimit = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.UriPort = 65536);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.UriPort = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxAge = FromSeconds(-1));
        Assert.Equal("ETag: 01, Observe: 5, Hop-Limit: 3", options.ToString());
    }

    [Fact]
    [Rfc("7252-5.4.3-1")]
    public void Options_of_invalid_length_are_not_returned_by_named_properties()
    {
        CoapOptionCollection options = new();
        options.Add(OptionNumber.Observe, new byte[4]).Add(OptionNumber.Block1, new byte[4]).Add(OptionNumber.Block2, new byte[4])
            .Add(OptionNumber.MaxAge, new byte[5]).Add(OptionNumber.UriPort, new byte[3]).Add(OptionNumber.HopLimit, new byte[2])
            .Add(OptionNumber.NoResponse, new byte[2]).Add(OptionNumber.UriHost, []).Add(OptionNumber.IfNoneMatch, new byte[1])
            .Add(OptionNumber.UriPath, new byte[256]).Add(OptionNumber.UriPath, "x"u8).Add(OptionNumber.ETag, [])
            .Add(OptionNumber.ETag, [7]);

        Assert.Null(options.Observe);
        Assert.Null(options.Block1);
        Assert.Null(options.Block2);
        Assert.Null(options.MaxAge);
        Assert.Null(options.UriPort);
        Assert.Null(options.HopLimit);
        Assert.Null(options.NoResponse);
        Assert.Null(options.UriHost);
        Assert.False(options.IfNoneMatch);
        Assert.Equal(["x"], options.UriPath);
        Assert.Equal("07", Assert.Single(options.ETags).ToString());
    }

    [Fact]
    public void Named_access_to_numeric_options_allocates_nothing()
    {
        CoapOptionCollection options = new()
        {
            new UriPathOption("a"), new ObserveOption(1), new Block2Option(3, false, 64), new ContentFormatOption(CoapContentFormat.Cbor)
        };

        Assert.True(Touch(options));
        Assert.Equal(0, Allocations.Least(() => Touch(options)));
    }

    [Fact]
    [Rfc("7252-5.10.7-1")]
    public void Location_combines_the_path_and_the_query()
    {
        Assert.Equal("/a/b%20c?x=1&y", LocationOf(["a", "b c"], ["x=1", "y"]));
        Assert.Equal("/?first=1&second=2", LocationOf([], ["first=1", "second=2"]));
        Assert.Equal("/a%2Fb", LocationOf(["a/b"], []));
        Assert.Equal("/", LocationOf([""], []));
        Assert.Equal("/.//x", LocationOf(["", "x"], []));
        Assert.Null(LocationOf(["a", ".."], []));
        Assert.Null(LocationOf(["."], ["x"]));
    }

    [Fact]
    public void Location_resolves_against_the_uri_of_the_request()
    {
        CoapUri request = CoapUri.Parse("coap://host:61616/rd?ep=x");

        Assert.Equal("coap://host:61616/a/b%20c?x=1&y", request.Resolve(LocationOf(["a", "b c"], ["x=1", "y"])!).ToString());
        Assert.Equal("coap://host:61616//x", request.Resolve(LocationOf(["", "x"], [])!).ToString());
        Assert.Equal(["%2e%2e"], request.Resolve(LocationOf(["%2e%2e"], [])!).PathSegments);
    }

    private static bool Touch(CoapOptionCollection options) =>
        options.Observe == 1 && options.Block2 == new BlockValue(3, false, 2) && options.Block1 is null
        && options.ContentFormat == CoapContentFormat.Cbor
        && options.MaxAge is null && options.UriPort is null && !options.IfNoneMatch && !options.SuppressesResponse(CoapCode.Content);

    private static string? LocationOf(string[] path, string[] query)
    {
        CoapOptionCollection options = new();
        foreach (string segment in path)
        {
            options.Add(OptionNumber.LocationPath, Encoding.UTF8.GetBytes(segment));
        }

        return options.AddRange(query.Select(argument => new LocationQueryOption(argument))).Location;
    }
}
