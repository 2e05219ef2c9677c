namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class ReverseProxyTests : IAsyncLifetime
{
    private readonly ProxyWorld _world = new(options => options.RequireVerified = false);

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Theory]
    [InlineData("/floor1/lamp?on=1&x=a%26b", "/base/lamp", "on=1|x=a&b")]
    [InlineData("/floor1/a%2Fb/c", "/base/a/b/c", "")]
    [InlineData("/floor1/a/", "/base/a/", "")]
    public async Task A_path_below_the_prefix_is_requested_from_the_target(string asked, string path, string queries)
    {
        _world.Answer(request => CoapResults.Text($"{request.Path} {string.Join('|', request.Queries)}"));
        _world.ProxyServer.MapReverseProxy("/floor1/{*path}", $"{ProxyWorld.OriginUri}/base", _world.Proxy);
        await _world.StartAsync();

        CoapResponse response = await _world.SendAsync(new CoapRequest(CoapMethod.Get, ProxyWorld.ProxyUri + asked));

        Assert.Equal($"{path} {queries}", response.EnsureSuccess().GetText());
        Assert.Equal(16, Assert.Single(_world.Asked).Options.HopLimit);
    }

    [Fact]
    public async Task A_mapping_without_a_catch_all_represents_a_single_resource_also_in_groups()
    {
        _world.Answer(request => CoapResults.Text(request.Path));
        _world.ProxyServer.MapGroup("/house").MapReverseProxy("/boiler", $"{ProxyWorld.OriginUri}/status/now", _world.Proxy);
        _world.ProxyServer.MapGroup("/house").MapReverseProxy("/floor1/{*path}", ProxyWorld.OriginUri, _world.Proxy);
        await _world.StartAsync();

        await _world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/house/boiler")).Says("/status/now");
        await _world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/house/floor1/a/b")).Says("/a/b");
        await _world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/house/other")).Gives(CoapCode.NotFound);
    }

    [Theory]
    [InlineData("/base/", "/base/things/7?v=1", "/floor1/things/7?v=1")]
    [InlineData("/base//inner", "/base//inner/7", "/floor1/7")]
    [InlineData("", "/things/7", "/floor1/things/7")]
    [InlineData("/base", "/elsewhere/7?v=1", null)]
    [InlineData("/base", "/base/|../|..", null)]
    [InlineData("/base", "?v=1", "/?v=1")]
    public async Task Location_options_are_rewritten_to_URIs_that_clients_can_request(string path, string location, string? expected)
    {
        _world.Answer(_ =>
        {
            // As bytes: none of ours says dot segments.
            CoapResult created = CoapResults.Created();
            foreach (string segment in location.Split('?')[0].Split('/').Skip(1))
            {
                created.OwnOptions.Add(OptionNumber.LocationPath, Encoding.UTF8.GetBytes(segment.TrimStart('|')));
            }

            return location.Contains('?', Ordinal) ? created.WithLocationQuery(location.Split('?')[1]) : created;
        });
        _world.ProxyServer.MapReverseProxy("/floor1/{*path}", $"{ProxyWorld.OriginUri}{path}", _world.Proxy);
        await _world.StartAsync();

        CoapResponse response = await _world.SendAsync(new CoapRequest(CoapMethod.Post, $"{ProxyWorld.ProxyUri}/floor1/things"));

        response.Gives(CoapCode.Created);
        Assert.Equal(expected, response.Options.Location);
    }

    [Theory]
    [InlineData(65_000, 2)]
    [InlineData(65_001, 2)]
    [InlineData(65_002, 4)]
    [InlineData(65_003, 4)]
    [Rfc("7252-5.7.1-4", "7252-5.7.1-5")]
    public async Task Options_are_checked_like_in_a_forward_proxy(int number, int @class)
    {
        _world.Answer(request =>
            CoapResults.Text(Encoding.UTF8.GetString(request.Options.TryGetValue(number, out ReadOnlySpan<byte> value) ? value : default)));
        _world.ProxyServer.MapReverseProxy("/floor1/{*path}", ProxyWorld.OriginUri, _world.Proxy);
        await _world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/floor1/x");
        request.Options.Add(number, "v"u8);

        CoapResponse response = await _world.SendAsync(request);

        Assert.Equal(@class, response.Code.Class);
        Assert.True(!response.IsSuccess || response.GetText() == "v");
        Assert.True(response.IsSuccess || response.Code == CoapCode.BadOption);
    }

    [Fact]
    public async Task An_unknown_critical_option_is_refused_on_other_routes()
    {
        _world.ProxyServer.MapReverseProxy("/floor1/{*path}", ProxyWorld.OriginUri, _world.Proxy);
        _world.ProxyServer.MapGet("/own", () => CoapResults.Text("mine"));
        await _world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/own");
        request.Options.Add(65_001, "v"u8);

        await _world.SendAsync(request).Gives(CoapCode.BadOption);
    }

    [Fact]
    public async Task A_connected_device_gets_requests_over_its_connection()
    {
        Dictionary<string, CoapPeer> devices = [];
        _world.ProxyServer.Endpoint.AddTransport(_world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5683")));
        _world.ProxyServer.MapPost("/register/{id}", request =>
        {
            devices[request.Route["id"]] = request.Peer;
            return CoapResults.Changed();
        });
        _world.ProxyServer.MapReverseProxy("/devices/{id}/{*path}", request => devices.GetValueOrDefault(request.Route["id"]),
            _world.Proxy);
        CoapEndpointOptions options = new() { Routes = new CoapRoutes() };
        _world.Configure(options);
        string state = "a";
        CoapRouteHandlerBuilder observed = options.Routes.MapGet("/5", () => CoapResults.Text(state)).Observable();
        options.Routes.MapGet("/3/0", request => CoapResults.Text($"device {string.Join('|', request.Queries)}"));
        await using CoapEndpoint device = new(options);
        device.AddTransport(_world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::7]:5683")));
        await _world.StartAsync();
        CoapClient inDevice = new(device);
        await _world.RunAsync(() => inDevice.SendAsync(new CoapRequest(CoapMethod.Post, "coap+tcp://[2001:db8::1]/register/7")));

        CoapResponse response = await _world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/devices/7/3/0?a=1"));
        CoapResponse other = await _world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/devices/8/3/0"));

        Assert.Equal("device a=1", response.EnsureSuccess().GetText());
        other.Gives(CoapCode.BadGateway);

        CoapClient second = _world.MakeClient("[2001:db8:2::7]");
        await using CoapObservation one = await _world.RunAsync(() => _world.Client.ObserveAsync($"{ProxyWorld.ProxyUri}/devices/7/5"));
        await using CoapObservation two = await _world.RunAsync(() => second.ObserveAsync($"{ProxyWorld.ProxyUri}/devices/7/5"));
        Assert.Equal(1, observed.ObserverCount);
        state = "b";
        observed.Notify();
        await _world.Clock.AdvanceUntilAsync(
            () => one.Latest!.GetText() == "b" && two.Latest!.GetText() == "b", FromMinutes(1));
    }

    [Fact]
    public void A_target_with_an_unsupported_scheme_is_refused_when_it_is_mapped() =>
        Assert.Throws<ArgumentException>(() => _world.ProxyServer.MapReverseProxy("/x", "ftp://example.com/", _world.Proxy));
}
