using CoAP.NET.Proxy;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Protected requests through a proxy of this library, which has no keys, also from one transport to another.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ThroughProxyTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private readonly List<IAsyncDisposable> _owned = [];
    private CoapProxy _proxy = null!;
    private CoapServer _origin = null!;
    private CoapClient _client = null!;
    private string _near = "";
    private string _far = "";
    private int _served;
    private byte[] _stored = [];
    private string _state = "one";
    private CoapRouteHandlerBuilder _observed = null!;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in _owned)
        {
            await one.DisposeAsync();
        }

        await _world.DisposeAsync();
    }

    [Theory]
    [InlineData("coap", "coap")]
    [InlineData("coap", "coap+tcp")]
    [InlineData("coap+tcp", "coap")]
    [Rfc("8613-10-1")]
    public async Task A_proxy_sees_no_path_forwards_each_request_and_caches_no_response(string near, string far)
    {
        await StartAsync(near, far);

        await SendAsync(CoapMethod.Get, "/hello?x=1").Says("hello 1");
        await SendAsync(CoapMethod.Get, "/hello?x=1").Says("hello 2");

        Assert.Equal(0, _proxy.GetCounters().CacheHits);
        Assert.DoesNotContain(_world.Wire, message => message.HasOptions && message.Options.UriPath.Count > 0);
    }

    [Theory]
    [InlineData("coap", "coap")]
    [InlineData("coap", "coap+tcp")]
    [InlineData("coap+tcp", "coap")]
    [Rfc("8613-4.1.3.4-2", "8613-4.1.3.4-3")]
    public async Task Blockwise_bodies_of_a_proxy_are_reassembled_before_they_are_verified(string near, string far)
    {
        await StartAsync(near, far);
        byte[] body = [.. Enumerable.Range(0, 30_000).Select(i => (byte)(i ^ (i >> 8)))];

        CoapResponse up = await SendAsync(CoapMethod.Put, "/body", CoapContent.Binary(body));
        CoapResponse down = await SendAsync(CoapMethod.Get, "/body");

        up.Gives(CoapCode.Changed);
        Assert.Equal(body, _stored);
        Assert.Equal(body, down.EnsureSuccess().Payload.ToArray());
    }

    [Fact]
    [Rfc("8613-4.1.3.4-2")]
    public async Task A_body_that_exceeds_MAX_UNFRAGMENTED_SIZE_is_refused_and_the_request_fails()
    {
        await StartAsync("coap+tcp", "coap", maxUnfragmented: 4_096);

        CoapUnprotectedResponseException exception = await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => SendAsync(CoapMethod.Put, "/body", CoapContent.Binary(new byte[30_000])));

        Assert.Equal(CoapCode.RequestEntityTooLarge, exception.UnprotectedCode);
        Assert.Empty(_stored);
    }

    [Theory]
    [InlineData("coap", "coap")]
    [InlineData("coap", "coap+tcp")]
    [InlineData("coap+tcp", "coap")]
    [Rfc("8613-4.1.3.5-1")]
    public async Task A_resource_is_observed_through_a_proxy_that_cannot_see_its_path_or_content(string near, string far)
    {
        await StartAsync(near, far);

        CoapObservation observation = await _world.RunAsync(_client.ObserveAsync(Request(CoapMethod.Get, "/state")));
        Assert.Null(observation.Error);
        Assert.Equal((CoapObserveState.Observing, "one"), (observation.State, observation.Latest!.GetText()));
        foreach (string state in (string[])["two", "three"])
        {
            _state = state;
            _observed.Notify();
            await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == state, FromMinutes(1));
        }

        Assert.Equal((CoapObserveState.Observing, 1), (observation.State, _proxy.GetCounters().Observations));
        Assert.DoesNotContain(_world.Wire, message => message.HasOptions && message.Options.UriPath.Count > 0);
        await observation.DisposeAsync();
        await _world.Clock.AdvanceUntilAsync(() => _proxy.GetCounters().Observations == 0, FromMinutes(5));
    }

    [Fact]
    public async Task An_observation_that_ended_at_the_proxy_ends_at_the_server_with_the_next_notification()
    {
        await StartAsync("coap", "coap");
        CoapObservation observation = await _world.RunAsync(_client.ObserveAsync(Request(CoapMethod.Get, "/state")));
        Assert.Equal(1, _observed.ObserverCount);

        await observation.DisposeAsync();
        await _world.Clock.AdvanceUntilAsync(() => _proxy.GetCounters().Observations == 0, FromMinutes(5));
        _state = "two";
        _observed.Notify();

        await _world.Clock.AdvanceUntilAsync(() => _observed.ObserverCount == 0, FromMinutes(5));
    }

    [Theory]
    [InlineData("coap", "coap")]
    [InlineData("coap", "coap+tcp")]
    [InlineData("coap+tcp", "coap+tcp")]
    public async Task Cancelling_an_observation_ends_it_at_the_server_although_the_proxy_changes_the_token(
        string near, string far)
    {
        await StartAsync(near, far);
        CoapObservation kept = await _world.RunAsync(_client.ObserveAsync(Request(CoapMethod.Get, "/state?kept")));
        CoapObservation ended = await _world.RunAsync(_client.ObserveAsync(Request(CoapMethod.Get, "/state")));
        Assert.Equal(2, _observed.ObserverCount);

        await ended.DisposeAsync();

        await _world.Clock.AdvanceUntilAsync(() => _observed.ObserverCount == 1, FromSeconds(5));
        _state = "two";
        _observed.Notify();
        await _world.Clock.AdvanceUntilAsync(() => kept.Latest!.GetText() == "two", FromMinutes(1));
        await kept.DisposeAsync();
    }

    [Theory]
    [InlineData("coap", "coap+tcp")]
    [Rfc("8613-4.1.3.4-2")]
    public async Task Blockwise_notifications_of_a_proxy_are_reassembled_before_they_are_verified(string near, string far)
    {
        await StartAsync(near, far);
        _state = new string('a', 5_000);
        CoapObservation observation = await _world.RunAsync(_client.ObserveAsync(Request(CoapMethod.Get, "/state")));
        Assert.Equal((CoapObserveState.Observing, _state), (observation.State, observation.Latest!.GetText()));

        foreach (char letter in "bcd")
        {
            _state = new string(letter, 5_000);
            _observed.Notify();
            await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == _state, FromSeconds(30));
        }

        // Of many at a time the last one comes.
        for (int i = 0; i < 10; i++)
        {
            _state = new string((char)('0' + i), 5_000);
            _observed.Notify();
            _world.Clock.Advance(FromMilliseconds(1));
        }

        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == _state, FromSeconds(30));
        Assert.Equal((CoapObserveState.Observing, 1), (observation.State, _observed.ObserverCount));
        await observation.DisposeAsync();
    }

    [Fact]
    [Rfc("8768-3-3")]
    public async Task A_protected_request_in_a_loop_of_proxies_fails_with_an_unprotected_5_08()
    {
        await StartAsync("coap", "coap");
        CoapServer[] hops = new CoapServer[2];
        for (int i = 0; i < 2; i++)
        {
            CoapProxyOptions options = new() { Identifier = $"gw{i}", NextProxy = CoapUri.Parse($"coap://[2001:db8:{8 - i}::1]/") };
            options.Targets.AllowNetwork("2001:db8::/32");
            string address = $"[2001:db8:{7 + i}::1]";
            CoapProxy proxy = MakeProxy(options, "coap", address);
            hops[i] = new CoapServer(_world.Options(_ => { }));
            Listen(hops[i].Endpoint, "coap", $"{address}:5683");
            hops[i].MapForwardProxy(proxy);
            _owned.AddRange([hops[i], proxy]);
            await hops[i].StartAsync();
        }

        _near = "coap://[2001:db8:7::1]";
        CoapUnprotectedResponseException exception =
            await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => SendAsync(CoapMethod.Get, "/hello"));

        Assert.Equal(CoapCode.HopLimitReached, exception.UnprotectedCode);
        exception.UnprotectedDiagnostic.Mentions("gw0");
        Assert.Equal(0, _served);

        // Each hop lowers the number, which nothing protects; it asks the one before for an Echo first, so each stands there twice.
        Assert.Equal(
            Enumerable.Range(1, 16).Reverse(),
            _world.Wire.Where(message => message.Code.IsRequest && message.Options.HopLimit is not null)
                .Select(message => (int)message.Options.HopLimit!.Value).Distinct());
    }

    private async Task StartAsync(string near, string far, int maxUnfragmented = 65_536)
    {
        _near = $"{near}://[2001:db8:5::1]";
        _far = $"{far}://[2001:db8::1]";
        _origin = new CoapServer(_world.Options(options => options.UseOscore(
            new OscoreContexts { MaxUnfragmentedSize = maxUnfragmented }.Add(OscoreWorld.ServerContext()))));
        _origin.MapGet("/hello", () => CoapResults.Text($"hello {++_served}").WithMaxAge(FromHours(1))).RequireOscore();
        _observed = _origin.MapGet("/state", () => CoapResults.Text(_state)).Observable().RequireOscore();
        _origin.MapGet("/body", () => CoapResults.Bytes(_stored)).RequireOscore();
        _origin.MapPut("/body", request =>
        {
            _stored = request.Payload.ToArray();
            return CoapResults.Changed();
        }).RequireOscore();
        Listen(_origin.Endpoint, far, "[2001:db8::1]:5683");
        CoapProxyOptions options = new();
        options.Targets.AllowNetwork("2001:db8::/32");
        _proxy = MakeProxy(options, far, "[2001:db8:5::1]");
        CoapServer server = new(_world.Options(_ => { }));
        Listen(server.Endpoint, near, "[2001:db8:5::1]:5683");
        server.MapForwardProxy(_proxy);
        _client = new CoapClient(_world.Options(options => options.UseOscore(
            new OscoreContexts().Add(_far, OscoreWorld.ClientContext()))));
        Listen(_client.Endpoint, near, "[2001:db8::2]:50003");
        _owned.AddRange([_client, server, _proxy, _origin]);
        await _origin.StartAsync();
        await server.StartAsync();
    }

    private CoapProxy MakeProxy(CoapProxyOptions options, string far, string address)
    {
        options.ConfigureClient = client =>
        {
            CoapEndpointOptions made = _world.Options(_ => { });
            (client.TimeProvider, client.Pipeline.Random, client.Pipeline.Scheduler) =
                (made.TimeProvider, made.Pipeline.Random, made.Pipeline.Scheduler);
        };
        CoapProxy proxy = new(options);
        Listen(proxy.Client.Endpoint, far, $"{address}:50001");
        Listen(proxy.ConfiguredClient.Endpoint, far, $"{address}:50002");
        return proxy;
    }

    private void Listen(CoapEndpoint endpoint, string scheme, string address) =>
        endpoint.AddTransport(_world.Network.CreateTransport(scheme, InMemoryNetwork.Address(address)));

    private CoapRequest Request(CoapMethod method, string path)
    {
        CoapRequest request = new(method, _near);
        request.Options.Add(new ProxyUriOption(_far + path));
        return request;
    }

    private Task<CoapResponse> SendAsync(CoapMethod method, string path, CoapContent? content = null)
    {
        CoapRequest request = Request(method, path);
        if (content is not null)
        {
            request.Content = content;
        }

        return _world.SendAsync(_client, request);
    }
}
