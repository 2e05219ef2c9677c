namespace CoAP.NET.Proxy.Tests;

/// <summary>What a proxy does with options of users, as their definitions say.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DeclaredForwardingTests
{
    private const string Server = "[2001:db8::3]";
    private const int Safe = 65_000;
    private const int Unsafe = 65_002;

    [Theory]
    [InlineData(Unsafe, OptionForwarding.Forward, true, true)]
    [InlineData(Unsafe, OptionForwarding.Consume, true, false)]
    [InlineData(Safe, OptionForwarding.Consume, true, false)]
    [InlineData(Safe, OptionForwarding.Refuse, false, false)]
    public async Task An_option_of_a_request_is_forwarded_removed_or_refused_as_defined(
        int number, OptionForwarding how, bool isAsked, bool passes)
    {
        OptionDefinition definition = new(number, "Mine", OptionFormat.Opaque, 1, 1) { ForwardingInRequest = how };
        await using ProxyWorld world = await StartAsync(definition, _ => CoapResults.Text("here"));
        CoapResponse response = await world.SendAsync(Ask(number, 7));

        Assert.Equal(isAsked ? CoapCode.Content : CoapCode.BadOption, response.Code);
        Assert.Equal(isAsked ? 1 : 0, world.Asked.Count);
        Assert.Equal(passes ? "07" : null, world.Asked.Count == 0 ? null : Value(world.Asked[0].Options, number));
        Assert.True(isAsked || response.GetText().Contains($"{number} (Mine)", Ordinal));
    }

    [Theory]
    [InlineData(Unsafe, OptionForwarding.Forward, true, true)]
    [InlineData(Unsafe, OptionForwarding.Consume, true, false)]
    [InlineData(Safe, OptionForwarding.Consume, true, false)]
    [InlineData(Safe, OptionForwarding.Refuse, false, false)]
    public async Task An_option_of_a_response_is_forwarded_removed_or_refused_as_defined(
        int number, OptionForwarding how, bool arrives, bool passes)
    {
        OptionDefinition definition = new(number, "Mine", OptionFormat.Opaque, 1, 1) { ForwardingInResponse = how };
        await using ProxyWorld world = await StartAsync(
            definition, _ => CoapResults.Text("here").With(new UnrecognizedOption(number, new byte[] { 7 })));
        CoapResponse response = await world.SendAsync(new CoapRequest(CoapMethod.Get, $"coap://{Server}/x"));

        Assert.Equal(arrives ? CoapCode.Content : CoapCode.BadGateway, response.Code);
        Assert.Equal(passes ? "07" : null, Value(response.Options, number));
    }

    [Theory]
    [InlineData(OptionCachingInRequests.Key, 2)]
    [InlineData(OptionCachingInRequests.NoKey, 1)]
    [InlineData(OptionCachingInRequests.Bypass, 3)]
    public async Task Caching_and_sharing_of_requests_follow_the_definition_of_an_option(OptionCachingInRequests caching, int asked)
    {
        OptionDefinition definition = new(Unsafe, "Mine", OptionFormat.Opaque, 1, 1)
        {
            ForwardingInRequest = OptionForwarding.Forward,
            Caching = caching,
        };
        await using ProxyWorld world = await StartAsync(definition, _ => CoapResults.Text("here").WithMaxAge(FromMinutes(9)));
        CoapClient[] clients = [world.MakeClient("[2001:db8::4]"), world.MakeClient("[2001:db8::5]"), world.MakeClient("[2001:db8::6]")];
        await world.RunAsync(async () => await Task.WhenAll(
            clients[0].SendAsync(Ask(Unsafe, 1)), clients[1].SendAsync(Ask(Unsafe, 2)), clients[2].SendAsync(Ask(Unsafe, 1))));
        Assert.Equal(asked, world.Asked.Count);
    }

    private static CoapRequest Ask(int number, byte value)
    {
        CoapRequest request = new(CoapMethod.Get, $"coap://{Server}/x");
        request.Options.Add(number, [value]);
        return request;
    }

    private static string? Value(CoapOptionCollection options, int number) =>
        options.TryGetValue(number, out ReadOnlySpan<byte> value) ? Convert.ToHexStringLower(value) : null;

    private static async Task<ProxyWorld> StartAsync(OptionDefinition definition, Func<CoapRequestContext, CoapResult> answer)
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new Factory(definition));
        ProxyWorld world = new(
            options =>
            {
                options.RequireVerified = false;
                options.ConfigureClient += client => client.Registry = registry;
            },
            new InMemoryNetworkOptions
            {
                Conditions = new NetworkConditions { MinDelay = FromMilliseconds(10), MaxDelay = FromMilliseconds(10) },
            });
        CoapServer server = world.MakeServer($"{Server}:5683", options => options.Registry = registry);
        server.MapReverseProxy("/{*path}", $"{ProxyWorld.OriginUri}/", world.Proxy);
        world.Answer(answer);
        await world.StartAsync();
        await server.StartAsync();
        return world;
    }

    private sealed class Factory(OptionDefinition definition) : IOptionFactory
    {
        public OptionDefinition Definition => definition;

        public CoapOption Create(OptionData data) => new UnrecognizedOption(data.Number, data.Value.ToArray());
    }
}
