using CoAP.NET.Options;
using CoAP.NET.Serialization;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/custom-options.md, so that they compile and do what the page says.</summary>
public sealed class CustomOptionsTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("custom-options.md", "Guides", 7);

    [Fact]
    public async Task An_option_of_a_user_arrives_typed()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new OptionFactory<Priority>());
        await using CoapServer server = new(new CoapEndpointOptions { Registry = registry });
        server.MapPost("/jobs", request => $"priority {request.Options.Get<Priority>()?.Value ?? 0}");

        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        Assert.Equal("priority 3", await AskAsync(client, $"{server.LocalEndpoints[0]}/jobs").WaitAsync(TimeSpan.FromMinutes(2)));
    }

    [Fact]
    public void The_number_says_what_the_page_says()
    {
        Assert.False(OptionNumber.IsCritical(65_000));
        Assert.False(OptionNumber.IsUnsafe(65_000));
        Assert.True(OptionNumber.IsCritical(65_001));
        Assert.All([2, 3, 6, 7], number => Assert.True(OptionNumber.IsUnsafe(number)));
        Assert.All([0b11100, 0b11101, 0b1011100], number => Assert.True(OptionNumber.IsNoCacheKey(number)));
        Assert.All([0b11110, 0b01100, 0b11000], number => Assert.False(OptionNumber.IsNoCacheKey(number)));
    }

    [Theory]
    [InlineData(65_001, "4.02 Bad Option")]
    [InlineData(65_002, "2.05 Content")]
    public async Task What_nobody_knows_is_refused_or_ignored_by_its_number(int number, string code)
    {
        await using CoapServer server = new();
        server.MapGet("/", request => $"{request.Options.OfType<UnrecognizedOption>().Count()}");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        CoapRequest request = new(CoapMethod.Get, server.LocalEndpoints[0]);
        request.Options.Add(number, [1]);
        CoapResponse response = await client.SendAsync(request).WaitAsync(TimeSpan.FromMinutes(2));
        Assert.Equal(code, $"{response.Code}");
        Assert.Equal(response.IsSuccess ? "1" : response.GetText(), response.GetText());
    }

    [Fact]
    public void Options_are_added_and_read_by_number()
    {
        CoapOptionCollection options = new();
        options.Add(65_002, [1, 2, 3]).AddUInt(65_000, 3);
        bool isThere = options.TryGetValue(65_002, out ReadOnlySpan<byte> value);

        Assert.True(isThere);
        Assert.Equal([1, 2, 3], value.ToArray());

        options.Add(65_002, []).Add(65_002, "äb"u8).Add(65_004, "äb"u8);
        Assert.Equal(["010203", string.Empty, "c3a462"], options.GetValues(65_002).Select(static bytes => Wire.Hex(bytes.Span)));
        Assert.Empty(options.GetValues(65_003));
        Assert.True(options.TryGetString(65_004, out string? text));
        Assert.Equal("äb", text);
        Assert.False(options.TryGetString(65_003, out _));
        options.Add(65_006, [0xff]);
        Assert.False(options.TryGetString(65_006, out _));
    }

    [Fact]
    public void A_factory_takes_the_place_of_a_known_one_and_an_option_is_unknown()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new InternedPaths(["temperature"])).Without(OptionNumber.Echo);

        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = registry });
        CoapMessage sent = new(CoapCode.Get);
        sent.Options.Add(new UriPath("temperature")).Add(new UriPath(".x")).Add(OptionNumber.UriPath, "."u8).Add(OptionNumber.Echo, [1]);
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(sent);
        CoapOptionCollection[] read = [serializer.Deserialize(bytes).Options, serializer.Deserialize(bytes).Options];

        Assert.Same(read[0].Get<UriPath>()!.Value, read[1].Get<UriPath>()!.Value);
        Assert.Same(read[0].GetAll<UriPath>().First().Value, read[1].OfType<UriPath>().First().Value);
        Assert.Same(read[0].UriPath[0], read[1].UriPath[0]);
        Assert.Equal(["temperature", ".x", "."], read[0].GetAll<UriPath>().Select(static path => path.Value));
        Assert.IsType<UnrecognizedOption>(read[0].OptionAt(read[0].IndexOf(OptionNumber.Echo)));
    }

    [Fact]
    public void A_serializer_knows_the_option_too()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new OptionFactory<Priority>());
        CoapMessage sent = new(CoapCode.Post);
        sent.Options.Add(new Priority(3));
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(sent);

        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = registry });
        CoapMessage message = serializer.Deserialize(bytes);
        Priority? priority = message.Options.Get<Priority>();

        Assert.Equal(3u, priority!.Value);
        Assert.Equal("Priority: 3", message.Options.ToString());
    }

    private static async Task<string> AskAsync(CoapClient client, string uri)
    {
        CoapRequest request = new(CoapMethod.Post, uri);
        request.Options.Add(new Priority(3));
        CoapResponse response = await client.SendAsync(request);
        return response.GetText();
    }
}
