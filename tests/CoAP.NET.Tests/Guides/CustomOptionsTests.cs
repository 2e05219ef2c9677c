using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/custom-options.md, so that they compile and do what the page says.</summary>
public sealed class CustomOptionsTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() =>
        Snippets.AllStandInTests("custom-options.md", "Guides", 10, "CoAP.NET.Tests", "CoAP.NET.Proxy.Tests");

    [Theory]
    [InlineData("alpha", "2.05 Content", "alpha")]
    [InlineData("Alpha", "4.00 Bad Request", "Option 65003 (Tenant) must be letters from a to z.")]
    public async Task A_server_refuses_a_value_that_the_definition_forbids(string name, string code, string text)
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new OptionFactory<Tenant>());
        await using CoapServer server = new(new CoapEndpointOptions { Registry = registry });
        server.MapGet("/", request => request.Options.Get<Tenant>()!.Value);
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        CoapRequest request = new(CoapMethod.Get, server.LocalEndpoints[0]);
        request.Options.Add(new Tenant(name));
        CoapResponse response = await client.SendAsync(request).WaitAsync(FromMinutes(2));
        Assert.Equal(code, $"{response.Code}");
        response.Says(text);
    }

    [Fact]
    public async Task A_custom_option_is_received_with_its_type()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new OptionFactory<Priority>());
        await using CoapServer server = new(new CoapEndpointOptions { Registry = registry });
        server.MapPost("/jobs", request => $"priority {request.Options.Get<Priority>()?.Value ?? 0}");

        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        Assert.Equal("priority 3", await AskAsync(client, $"{server.LocalEndpoints[0]}jobs").WaitAsync(FromMinutes(2)));
    }

    [Fact]
    public void The_bits_of_an_option_number_have_the_documented_meaning()
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
    public async Task An_unknown_option_is_refused_or_ignored_by_its_number(int number, string code)
    {
        await using CoapServer server = new();
        server.MapGet("/", request => $"{request.Options.OfType<UnrecognizedOption>().Count()}");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        CoapRequest request = new(CoapMethod.Get, server.LocalEndpoints[0]);
        request.Options.Add(number, [1]);
        CoapResponse response = await client.SendAsync(request).WaitAsync(FromMinutes(2));
        Assert.Equal(code, $"{response.Code}");
        response.Says(response.IsSuccess ? "1" : response.GetText());
    }

    [Fact]
    public void Options_are_added_and_read_by_number()
    {
        CoapOptionCollection options = new();
        options.Add(65_002, [1, 2, 3]).Add(65_000, [3]);
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
    public void A_registry_can_replace_a_known_option_factory_and_omit_an_option()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new InternedPaths(["temperature"])).Without(OptionNumber.Echo);

        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = registry });
        CoapMessage sent = new(CoapCode.Get);
        sent.Options.Add(new UriPathOption("temperature")).Add(new UriPathOption(".x")).Add(OptionNumber.UriPath, "."u8)
            .Add(OptionNumber.Echo, [1]);
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(sent);
        CoapOptionCollection[] read = [serializer.Deserialize(bytes).Options, serializer.Deserialize(bytes).Options];

        Assert.Same(read[0].Get<UriPathOption>()!.Value, read[1].Get<UriPathOption>()!.Value);
        Assert.Same(read[0].GetAll<UriPathOption>().First().Value, read[1].OfType<UriPathOption>().First().Value);
        Assert.Same(read[0].UriPath[0], read[1].UriPath[0]);
        Assert.Equal(["temperature", ".x", "."], read[0].GetAll<UriPathOption>().Select(static path => path.Value));
        Assert.IsType<UnrecognizedOption>(read[0].OptionAt(read[0].IndexOf(OptionNumber.Echo)));
    }

    [Fact]
    public void A_serializer_with_a_registry_reads_a_custom_option()
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

    [Fact]
    public void An_option_with_a_custom_value_type_is_written_and_read()
    {
        Guid id = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff");
        CoapMessage sent = new(CoapCode.Post);
        sent.Options.Add(new DeviceId(id));
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(sent);
        Wire.Hex(bytes).Ends("00112233445566778899aabbccddeeff");

        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new OptionFactory<DeviceId>());
        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = registry });
        CoapOptionCollection read = serializer.Deserialize(bytes).Options;
        Assert.Equal(id, read.Get<DeviceId>()!.Value);
        Assert.Equal(id, Assert.Single(read.GetAll<DeviceId>()).Value);
        Assert.Equal(new DeviceId(id), Assert.Single(read));
        Assert.Equal($"Device-Id: {id}", read.ToString());

        // Without a factory the class creates it; one of another length is none.
        CoapOptionCollection unknown = CoapDatagramSerializer.Default.Deserialize(bytes).Options;
        Assert.Equal(id, unknown.Get<DeviceId>()!.Value);
        unknown.Set(new UnrecognizedOption(65_004, new byte[15]));
        Assert.False(unknown.TryGet(out DeviceId? _));
    }

    private static async Task<string> AskAsync(CoapClient client, string uri)
    {
        CoapRequest request = new(CoapMethod.Post, uri);
        request.Options.Add(new Priority(3));
        CoapResponse response = await client.SendAsync(request);
        return response.GetText();
    }
}
