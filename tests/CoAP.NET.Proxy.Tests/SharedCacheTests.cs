namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class SharedCacheTests : IAsyncLifetime
{
    private readonly ProxyWorld _world = new();
    private CoapClient _other = null!;

    public async ValueTask InitializeAsync()
    {
        _world.ProxyServer.MapForwardProxy(_world.Proxy);
        _other = _world.MakeClient("[2001:db8:2::9]");
        await _world.StartAsync();
        await _world.VerifyAsync();
        CoapRequest refused = ProxyWorld.Ask(ProxyWorld.OriginUri);
        refused.Options.Add(65_002, []);
        await _world.RunAsync(() => _other.SendAsync(refused));
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    [Rfc("7252-5.7.1-3")]
    public async Task A_fresh_cached_response_serves_all_clients_with_its_remaining_Max_Age()
    {
        int version = 0;
        _world.Answer(_ => CoapResults.Text($"v{++version}").WithMaxAge(FromSeconds(100)));

        CoapResponse first = await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x"));
        await _world.PassAsync(FromSeconds(30));
        CoapRequest again = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x");
        again.Options.Add(new HopLimitOption(3));
        CoapResponse second = await _world.RunAsync(() => _other.SendAsync(again));
        await _world.PassAsync(FromSeconds(71));
        CoapResponse third = await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x"));

        Assert.Equal(["v1", "v1", "v2"], [first.GetText(), second.GetText(), third.GetText()]);
        Assert.InRange(second.MaxAge, FromSeconds(69), FromSeconds(70));
        Assert.Equal(1, _world.Proxy.GetCounters().CacheHits);
    }

    [Fact]
    public async Task A_client_that_fills_the_cache_evicts_only_its_own_responses()
    {
        await using ProxyWorld world = new(options =>
        {
            options.Limits.CacheBytes = 20_000;
            options.RequireVerified = false;
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Bytes(new byte[500]).WithMaxAge(FromHours(1)));
        CoapClient greedy = world.MakeClient("[2001:db8:2::8]");
        await world.StartAsync();
        await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/popular"));
        for (int i = 0; i < 60; i++)
        {
            await world.RunAsync(() => greedy.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/junk/{i}")));
        }

        await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/popular"));

        Assert.Equal(61, world.Asked.Count);
        Assert.Equal(1, world.Proxy.GetCounters().CacheHits);
    }

    [Fact]
    public async Task Entity_tags_are_validated_on_both_sides()
    {
        _world.Answer(request =>
            CoapResults.ValidOr(request, CoapETag.FromVersion(1), () => CoapResults.Text("same").WithMaxAge(FromSeconds(5))));
        CoapRequest known = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x");

        CoapResponse first = await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x"));
        known.Options.Add(OptionNumber.ETag, first.Options.ETag!.Value.ToArray());
        CoapResponse hit = await _world.RunAsync(() => _other.SendAsync(known));
        await _world.PassAsync(FromSeconds(6));
        CoapResponse validated = await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x"));

        hit.Gives(CoapCode.Valid);
        validated.Says("same");
        Assert.Equal(2, _world.Asked.Count);
        Assert.Equal(first.Options.ETag!.Value.ToArray(), _world.Asked[1].Options.ETag!.Value.ToArray());
    }

    [Fact]
    public async Task An_unsafe_request_invalidates_the_cached_responses_of_its_resource_for_all_clients()
    {
        int version = 0;
        _world.Answer(request => request.Method == CoapMethod.Get ? CoapResults.Text($"v{version}") : Change());

        CoapResult Change()
        {
            version++;
            return CoapResults.Changed();
        }

        await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x"));
        await _world.RunAsync(() => _other.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x", CoapMethod.Put)));

        await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x")).Says("v1");
    }

    [Fact]
    [Rfc("8768-3-5")]
    public async Task A_5_08_is_not_reused_for_a_request_with_a_higher_hop_limit()
    {
        _world.Answer(request => request.Options.HopLimit < 5 ? CoapResults.Status(CoapCode.HopLimitReached, "far")
            : CoapResults.Text("here"));
        CoapRequest near = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x");
        near.Options.Add(new HopLimitOption(3));

        await _world.SendAsync(near).Gives(CoapCode.HopLimitReached);
        await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x")).Says("here");
    }

    [Theory]
    [InlineData(OptionNumber.Oscore)]
    [InlineData(OptionNumber.IfMatch)]
    [InlineData(OptionNumber.Echo)]
    public async Task A_response_to_a_request_with_a_client_specific_option_is_never_cached(int number)
    {
        int asked = 0;
        _world.Answer(_ => CoapResults.Text($"{++asked}"));
        CoapRequest request = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x");
        request.Options.Add(number, [1]);

        await _world.SendAsync(request).Says("1");
        await _world.RunAsync(() => _other.SendAsync(request)).Says("2");
    }

    [Fact]
    [Rfc("7967-3.3-1")]
    public async Task A_response_that_its_client_suppresses_is_cached_for_others()
    {
        _world.Answer(_ => CoapResults.Text("here"));
        CoapRequest unwanted = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x");
        unwanted.NoResponse = NoResponseClasses.All;
        await _world.SendAsync(unwanted);
        await _world.Clock.AdvanceUntilAsync(() => _world.Asked.Count == 1 && _world.Proxy.GetCounters().InProgress == 0,
            FromMinutes(1));

        await _world.RunAsync(() => _other.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x"))).Says("here");
        Assert.Single(_world.Asked);
    }

    [Fact]
    public async Task The_cache_does_not_exceed_its_byte_limit()
    {
        await using ProxyWorld world = new(options =>
        {
            options.Limits.CacheBytes = 20_000;
            options.RequireVerified = false;
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Bytes(new byte[900]));
        await world.StartAsync();
        for (int i = 0; i < 60; i++)
        {
            await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/{i}"));
        }

        await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/59"));
        await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/0"));
        Assert.Equal(61, world.Asked.Count);
    }
}
