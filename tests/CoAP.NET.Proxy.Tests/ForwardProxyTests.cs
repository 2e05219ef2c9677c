namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class ForwardProxyTests : IAsyncLifetime
{
    private readonly ProxyWorld _world = new();

    public ValueTask InitializeAsync()
    {
        _world.ProxyServer.MapForwardProxy(_world.Proxy);
        _world.ProxyServer.MapGet("/own", () => CoapResults.Text("mine"));
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    [Rfc("7252-5.7.2-3", "8768-3-4", "8768-1.1-1", "7252-5.7.1-7")]
    public async Task Proxy_Uri_is_split_into_Uri_options_and_the_request_gets_a_hop_limit()
    {
        _world.Answer(_ => CoapResults.Text("here"));
        await _world.StartAsync();

        CoapResponse response = await _world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/a/b%2Fc?x=1&y"));

        Assert.Equal("here", response.EnsureSuccess().GetText());
        CoapRequestContext asked = Assert.Single(_world.Asked);
        Assert.Equal(["a", "b/c"], asked.Options.UriPath);
        Assert.Equal(["x=1", "y"], asked.Options.UriQuery);
        Assert.Equal(16, asked.Options.HopLimit);
        Assert.Null(asked.Options.UriHost);
        Assert.False(asked.Options.Contains(OptionNumber.ProxyUri));
        Assert.Equal(1, _world.Proxy.GetCounters().Forwarded);
        Assert.Equal(0, _world.Proxy.GetCounters().InProgress);
    }

    [Theory]
    [InlineData("[2001:db8:1::1]")]
    [InlineData("2001:db8:1::1")]
    [Rfc("7252-5.10.2-3")]
    public async Task Proxy_Scheme_is_equivalent_to_Proxy_Uri_and_an_IPv6_address_may_lack_its_brackets(string host)
    {
        _world.Answer(_ => CoapResults.Text("here"));
        await _world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/a?x");
        request.Options.Add(new ProxySchemeOption("coap"));
        request.Options.Add(OptionNumber.UriHost, Encoding.UTF8.GetBytes(host));

        CoapResponse response = await _world.SendAsync(request);

        Assert.Equal("here", response.EnsureSuccess().GetText());
        CoapRequestContext asked = Assert.Single(_world.Asked);
        Assert.Equal(["a"], asked.Options.UriPath);
        Assert.Equal(["x"], asked.Options.UriQuery);
        Assert.Null(asked.Options.UriHost);
        Assert.False(asked.Options.Contains(OptionNumber.ProxyScheme));
    }

    [Fact]
    public async Task A_host_name_is_forwarded_as_Uri_Host_although_the_proxy_resolved_it()
    {
        _world.Proxy.Targets.AllowHost("sensor.example");
        _world.Names["sensor.example"] = [IPAddress.Parse("2001:db8:1::1")];
        _world.Answer(_ => CoapResults.Text("here"));
        await _world.StartAsync();

        await _world.SendAsync(ProxyWorld.Ask("coap://sensor.example/t"));

        Assert.Equal("sensor.example", Assert.Single(_world.Asked).Options.UriHost);
    }

    [Theory]
    [InlineData("coap://[2001:db8::1]/own")]
    [InlineData("coap://[2001:db8::1]:5683/own")]
    [InlineData("coap://gateway.example/own")]
    [Rfc("7252-5.7.2-2", "7252-5.10.2-1", "7252-5.10.2-2")]
    public async Task A_request_whose_target_is_the_proxy_is_served_by_its_own_routes(string uri)
    {
        await using ProxyWorld world = new(options => options.Names.Add("gateway.example"));
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.ProxyServer.MapGet("/own", request => CoapResults.Text(string.Join(',', request.Options.Select(option => option.Number))));
        await world.StartAsync();

        CoapResponse response = await world.SendAsync(ProxyWorld.Ask(uri));

        Assert.Equal(CoapCode.Content, response.Code);
        response.GetText().Omits("35");
        Assert.Equal(0, world.Proxy.GetCounters().Requests);
    }

    [Theory]
    [InlineData("coap", "coap+tcp://[2001:db8::1]/own")]
    [InlineData("coap", "coap://[2001:db8::1]:5999/own")]
    [InlineData("coap+tcp", "coap://[2001:db8::1]:5683/own")]
    [InlineData("coap+tcp", "coap+tcp://[2001:db8::1]:5999/own")]
    [Rfc("7252-5.7.2-2", "7252-5.10.2-1")]
    public async Task A_request_whose_target_is_another_transport_of_the_proxy_is_served_by_its_own_routes(string scheme, string uri)
    {
        await using ProxyWorld world = new();
        world.ProxyServer.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5999")));
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.ProxyServer.MapGet("/own", () => CoapResults.Text("own"));
        world.Client.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::2]:50100")));
        await world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, scheme == "coap" ? ProxyWorld.ProxyUri : "coap+tcp://[2001:db8::1]:5999");
        request.Options.Add(new ProxyUriOption(uri));

        CoapResponse response = await world.SendAsync(request);

        Assert.Equal("own", response.GetText());
        Assert.Equal(0, world.Proxy.GetCounters().Requests);
    }

    [Theory]
    [InlineData("127.0.0.1", true)]
    [InlineData("[::ffff:127.0.0.1]", true)]
    [InlineData("192.0.2.77", false)]
    [Rfc("7252-5.10.2-1")]
    public async Task A_proxy_on_all_addresses_of_its_host_does_not_treat_another_host_as_itself(string host, bool isOwn)
    {
        await using CoapServer server = new();
        await using CoapProxy proxy = new();
        server.MapForwardProxy(proxy);
        server.MapGet("/own", () => CoapResults.Text("own"));
        server.Listen("coap+tcp://0.0.0.0:0");
        await server.StartAsync();
        int port = server.LocalEndpoints[0].Port;
        await using CoapClient client = new();
        CoapRequest request = new(CoapMethod.Get, $"coap+tcp://127.0.0.1:{port}");
        request.Options.Add(new ProxyUriOption($"coap://{host}:{port}/own"));

        CoapResponse response = await client.SendAsync(request);

        Assert.Equal(isOwn ? CoapCode.Content : CoapCode.ProxyingNotSupported, response.Code);
    }

    [Fact]
    [Rfc("7252-5.4.1-1")]
    public async Task A_request_to_the_proxy_itself_with_an_unknown_critical_option_is_refused()
    {
        await _world.StartAsync();
        CoapRequest request = ProxyWorld.Ask($"{ProxyWorld.ProxyUri}/own");
        request.Options.Add(65_001, [1]);

        await _world.SendAsync(request).Gives(CoapCode.BadOption);
    }

    [Fact]
    [Rfc("7252-5.4.1-1")]
    public async Task A_Proxy_Uri_that_is_too_long_is_answered_4_02_and_not_served_by_the_proxy_itself()
    {
        int served = 0;
        _world.ProxyServer.MapGet("/", () =>
        {
            served++;
            return CoapResults.Text("mine");
        });
        await _world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, ProxyWorld.ProxyUri);
        request.Options.Add(OptionNumber.ProxyUri, Encoding.UTF8.GetBytes($"{ProxyWorld.OriginUri}/{new string('a', 1034)}"));

        await _world.SendAsync(request).Gives(CoapCode.BadOption);
        Assert.Equal(0, served);
    }

    [Fact]
    [Rfc("7252-5.7.2-1")]
    public async Task A_proxy_request_to_a_server_without_a_proxy_is_answered_5_05()
    {
        await using ProxyWorld world = new();
        await world.StartAsync();

        await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)).Gives(CoapCode.ProxyingNotSupported);
    }

    [Theory]
    [InlineData("http://[2001:db8:1::1]/", 5, 5)]
    [InlineData("mailto:somebody", 5, 5)]
    [InlineData("nothing", 5, 5)]
    [InlineData("coap:///", 4, 0)]
    [InlineData("coap://[2001:db8:1::1]/#fragment", 4, 0)]
    [InlineData("coap://[2001:db8:1::1]:0/", 4, 0)]
    [InlineData("coap://[ff02::fd]/", 5, 1)]
    [InlineData("coap://unknown.example/", 5, 2)]
    [InlineData("coap://[2001:db8:1::99]/", 5, 4)]
    [InlineData("coap+ws://[2001:db8:1::99]/", 5, 2)]
    [InlineData("coaps://[2001:db8:1::1]/", 4, 1)]
    [Rfc("7252-5.7.2-1", "7252-5.7.1-1", "7252-5.7.1-2", "gc-3.5.1-1")]
    public async Task An_invalid_target_is_answered_with_its_code_and_a_diagnostic(string target, int @class, int detail)
    {
        _world.Proxy.Targets.AllowHost("unknown.example");
        await _world.StartAsync();

        CoapResponse response = await _world.SendAsync(ProxyWorld.Ask(target));

        Assert.Equal((@class, detail), (response.Code.Class, response.Code.Detail));
        Assert.NotEqual(0, response.Payload.Length);
        Assert.Null(response.ContentFormat);
    }

    [Theory]
    [InlineData(65_000)]
    [InlineData(65_001)]
    [InlineData(OptionNumber.Oscore)]
    [InlineData(OptionNumber.Edhoc)]
    [Rfc("7252-5.7.1-5", "9668-3.1-3")]
    public async Task Unknown_safe_options_are_forwarded_in_both_directions(int number)
    {
        _world.Answer(_ => CoapResults.Text("here").With(new UnrecognizedOption(number, new byte[] { 7, 8 })));
        await _world.StartAsync();
        await _world.VerifyAsync();
        CoapRequest request = ProxyWorld.Ask(ProxyWorld.OriginUri);

        // So that the client takes critical options that it does not know.
        request.IsForwarded = true;
        request.Options.Add(number, [5, 6]);

        CoapResponse response = await _world.SendAsync(request);

        Assert.Equal([5, 6], Value(Assert.Single(_world.Asked).Options, number));
        Assert.Equal([7, 8], Value(response.EnsureSuccess().Options, number));
    }

    [Theory]
    [InlineData(65_002)]
    [InlineData(65_003)]
    [Rfc("7252-5.7.1-4")]
    public async Task A_request_with_an_unknown_unsafe_option_is_answered_4_02_and_not_forwarded(int number)
    {
        _world.Answer(_ => CoapResults.Text("here"));
        await _world.StartAsync();
        CoapRequest request = ProxyWorld.Ask(ProxyWorld.OriginUri);
        request.Options.Add(number, [1]);

        CoapResponse response = await _world.SendAsync(request);

        Assert.Equal(CoapCode.BadOption, response.Code);
        response.GetText().Mentions($"{number}");
        Assert.Empty(_world.Asked);
    }

    [Theory]
    [InlineData(65_002)]
    [InlineData(65_003)]
    [Rfc("7252-5.7.1-6", "7252-5.7.1-2")]
    public async Task A_response_with_an_unknown_unsafe_option_becomes_5_02(int number)
    {
        _world.Answer(_ => CoapResults.Text("here").With(new UnrecognizedOption(number, new byte[] { 1 })));
        await _world.StartAsync();

        await _world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)).Gives(CoapCode.BadGateway);
    }

    [Fact]
    public async Task Conditions_formats_ETags_locations_and_Max_Age_are_forwarded()
    {
        _world.Answer(_ => CoapResults.Created("/made/1?v=2").WithETag(CoapETag.FromVersion(7)).WithMaxAge(FromSeconds(9)));
        await _world.StartAsync();
        CoapRequest request = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/x", CoapMethod.Post);
        request.Content = CoapContent.Text("body");
        request.Accept = CoapContentFormat.Json;
        request.Options.Add(OptionNumber.IfMatch, [1, 2]);
        request.Options.Add(OptionNumber.IfNoneMatch, []);
        request.Options.Add(OptionNumber.ETag, [3]);

        CoapResponse response = await _world.SendAsync(request);

        CoapRequestContext asked = Assert.Single(_world.Asked);
        Assert.Equal("body", asked.GetText());
        Assert.Equal(CoapContentFormat.TextPlain, asked.ContentFormat);
        Assert.Equal(CoapContentFormat.Json, asked.Accept);
        Assert.Equal([1, 2], Value(asked.Options, OptionNumber.IfMatch));
        Assert.True(asked.Options.IfNoneMatch);
        Assert.Equal([3], Value(asked.Options, OptionNumber.ETag));
        Assert.Equal(CoapCode.Created, response.Code);
        Assert.Equal("/made/1?v=2", response.Options.Location);
        Assert.Equal(FromSeconds(9), response.MaxAge);
        Assert.NotNull(response.Options.ETag);
    }

    [Theory]
    [Rfc("8768-3-6")]
    [InlineData(1)]
    [InlineData(200)]
    [InlineData(null)]
    public async Task A_proxy_at_a_boundary_rewrites_the_hop_limit(int? hops)
    {
        await using ProxyWorld world = new(options => (options.HopLimit, options.RewritesHopLimit) = (5, true));
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        await world.StartAsync();
        CoapRequest request = ProxyWorld.Ask(ProxyWorld.OriginUri);
        if (hops is { } left)
        {
            request.Options.Add(new HopLimitOption(left));
        }

        await world.SendAsync(request).Gives(CoapCode.Content);
        Assert.Equal(5, Assert.Single(world.Asked).Options.HopLimit);
    }

    [Fact]
    [Rfc("8768-3-3", "8768-4-1")]
    public async Task A_request_with_hop_limit_1_is_answered_5_08_with_the_identifier_of_the_proxy()
    {
        await using ProxyWorld world = new(options => options.Identifier = "gw1");
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        await world.StartAsync();
        CoapRequest request = ProxyWorld.Ask(ProxyWorld.OriginUri);
        request.Options.Add(new HopLimitOption(1));

        CoapResponse response = await world.SendAsync(request);

        Assert.Equal(CoapCode.HopLimitReached, response.Code);
        Assert.Equal("gw1", response.GetText());
        Assert.Empty(world.Asked);
    }

    [Theory]
    [InlineData("", "gw1")]
    [InlineData("p2 p3", "gw1 p2 p3")]
    [InlineData("p2 gw1 p3", "gw1")]
    [InlineData("gw10 p3", "gw1 gw10 p3")]
    [Rfc("8768-4-1", "8768-4-2")]
    public async Task The_proxy_prepends_its_identifier_to_a_5_08_and_refuses_one_that_already_contains_it(string said, string expected)
    {
        await using ProxyWorld world = new(options => options.Identifier = "gw1");
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Status(CoapCode.HopLimitReached, said));
        await world.StartAsync();

        CoapResponse response = await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri));

        Assert.Equal(CoapCode.HopLimitReached, response.Code);
        Assert.Equal(expected, response.GetText());
    }

    [Theory]
    [InlineData(16, "gw1 gw2")]
    [InlineData(17, "gw1")]
    [Rfc("8768-4-1", "8768-4-2", "8768-1.1-1")]
    public async Task A_loop_of_two_proxies_ends_with_5_08_and_the_identifiers_of_the_proxies(int hops, string expected)
    {
        await using ProxyWorld world = new(options =>
        {
            options.Identifier = "gw1";
            options.NextProxy = CoapUri.Parse("coap://[2001:db8:3::1]/");
            options.Targets.AllowNetwork("2001:db8:9::/48");
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        CoapServer second = world.MakeServer("[2001:db8:3::1]:5683");
        CoapProxyOptions options = new() { Identifier = "gw2", NextProxy = CoapUri.Parse(ProxyWorld.ProxyUri) };
        options.Targets.AllowNetwork("2001:db8:9::/48");
        second.MapForwardProxy(world.MakeProxy(options, "[2001:db8:3::1]"));
        await world.StartAsync();
        await second.StartAsync();

        CoapRequest request = ProxyWorld.Ask("coap://[2001:db8:9::1]/");
        request.Options.Add(new HopLimitOption(hops));

        CoapResponse response = await world.SendAsync(request);

        Assert.Equal(CoapCode.HopLimitReached, response.Code);
        Assert.Equal(expected, response.GetText());
        Assert.InRange(world.Proxy.GetCounters().Forwarded, 8, 9);
    }

    [Fact]
    [Rfc("8768-3-3")]
    public async Task A_chain_of_three_proxies_forwards_request_and_response()
    {
        await using ProxyWorld world = new(options => options.NextProxy = CoapUri.Parse("coap://[2001:db8:3::1]/"));
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(request => CoapResults.Text($"{request.Options.HopLimit}"));
        CoapServer second = world.MakeServer("[2001:db8:3::1]:5683");
        CoapProxyOptions options = new() { NextProxy = CoapUri.Parse("coap://[2001:db8:4::1]/") };
        options.Targets.AllowNetwork("2001:db8:1::/48");
        second.MapForwardProxy(world.MakeProxy(options, "[2001:db8:3::1]"));
        CoapServer third = world.MakeServer("[2001:db8:4::1]:5683");
        CoapProxyOptions last = new();
        last.Targets.AllowNetwork("2001:db8:1::/48");
        third.MapForwardProxy(world.MakeProxy(last, "[2001:db8:4::1]"));
        await world.StartAsync();
        await second.StartAsync();
        await third.StartAsync();

        Assert.Equal("14", (await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri))).EnsureSuccess().GetText());
    }

    [Fact]
    [Rfc("9175-2.3-6")]
    public async Task An_Echo_of_the_origin_is_forwarded_in_both_directions_and_an_Echo_of_the_proxy_is_not()
    {
        byte[] challenge = [9, 8, 7, 6];
        _world.Answer(request => request.Options.Echo is { } echo && echo.Span.SequenceEqual(challenge)
            ? CoapResults.Text("fresh")
            : new CoapResult(CoapCode.Unauthorized).With(new EchoOption(challenge)));
        await _world.StartAsync();

        // The client answers the proxy's own challenge, whose Echo the origin never sees, and then that of the origin.
        CoapResponse response = await _world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri));

        Assert.Equal("fresh", response.EnsureSuccess().GetText());
        Assert.Null(_world.Asked[0].Options.Echo);
        Assert.Equal(challenge, _world.Asked[^1].Options.Echo!.Value.ToArray());
        Assert.Equal(1, _world.Proxy.GetCounters().Challenges);
    }

    [Fact]
    [Rfc("7967-2-2")]
    public async Task No_Response_is_not_forwarded_and_the_proxy_suppresses_the_response_itself()
    {
        _world.Answer(_ => CoapResults.Changed());
        await _world.StartAsync();
        await _world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri));
        CoapRequest request = ProxyWorld.Ask(ProxyWorld.OriginUri, CoapMethod.Put);
        request.NoResponse = NoResponseClasses.All;

        CoapResponse response = await _world.SendAsync(request);
        await _world.Clock.AdvanceUntilAsync(() => _world.Asked.Count == 2, FromMinutes(1));

        Assert.True(response.IsNone);
        Assert.False(_world.Asked[1].Options.Contains(OptionNumber.NoResponse));
    }

    [Fact]
    public async Task Bodies_that_exceed_the_limit_are_refused_in_both_directions()
    {
        await using ProxyWorld world = new(options => options.Limits.MaxBodySize = 4096);
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Bytes(new byte[5000]));
        await world.StartAsync();
        CoapRequest upload = ProxyWorld.Ask(ProxyWorld.OriginUri, CoapMethod.Put);
        upload.Content = CoapContent.Binary(new byte[5000]);

        await world.SendAsync(upload).Gives(CoapCode.RequestEntityTooLarge);
        await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)).Gives(CoapCode.BadGateway);
    }

    [Fact]
    public async Task The_proxy_sends_a_separate_response_when_the_server_is_slow()
    {
        TaskCompletionSource slow = new();
        _world.Origin.MapGet("/slow", async () =>
        {
            await slow.Task;
            return CoapResults.Text("late");
        });
        await _world.StartAsync();
        Task<CoapResponse> response = _world.Client.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/slow"));
        await _world.Clock.AdvanceUntilAsync(() => _world.Proxy.GetCounters().InProgress == 1, FromMinutes(1));
        await _world.PassAsync(FromSeconds(40));
        slow.SetResult();

        await _world.RunAsync(() => response).Says("late");
    }

    [Fact]
    [Rfc("7252-5.7.1-1")]
    public async Task An_unanswered_request_is_answered_5_04_after_the_timeout()
    {
        await using ProxyWorld world = new(options => options.Timeout = FromSeconds(20));
        world.ProxyServer.MapForwardProxy(world.Proxy);
        await world.StartAsync();
        TimeSpan began = world.Clock.Elapsed;

        CoapResponse response = await world.SendAsync(ProxyWorld.Ask("coap://[2001:db8:1::99]/"));

        Assert.Equal(CoapCode.GatewayTimeout, response.Code);
        Assert.InRange(world.Clock.Elapsed - began, FromSeconds(20), FromSeconds(22));
        Assert.Equal(1, world.Proxy.GetCounters().Timeouts);
    }

    [Theory]
    [InlineData("coap", "coap+tcp")]
    [InlineData("coap+tcp", "coap")]
    [InlineData("coap+tcp", "coaps+tcp")]
    [InlineData("coaps", "coap+tcp")]
    [InlineData("coaps+tcp", "coaps")]
    public async Task The_transports_to_client_and_server_may_differ(string down, string up)
    {
        await using ProxyWorld world = new(options =>
        {
            options.AllowSecuredTargetsToAnyone = true;
            options.Targets.AllowNetwork("2001:db8:1::/48:5703");
        });
        world.ProxyServer.MapForwardProxy(world.Proxy).AllowInsecureTransport();
        world.Answer(_ => CoapResults.Text("here")).AllowInsecureTransport();
        CoapTestIdentity identity = CoapTestIdentity.None;
        Add(world.ProxyServer.Endpoint, down, "[2001:db8::1]:5700");
        Add(world.Client.Endpoint, down, "[2001:db8::2]:5701");
        Add(world.Proxy.Client.Endpoint, up, "[2001:db8::1]:5702");
        Add(world.Origin.Endpoint, up, "[2001:db8:1::1]:5703");
        await world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, $"{down}://[2001:db8::1]:{(down == "coap" ? 5683 : 5700)}");
        request.Options.Add(new ProxyUriOption($"{up}://[2001:db8:1::1]:{(up == "coap" ? 5683 : 5703)}/x"));

        Assert.Equal("here", (await world.SendAsync(request)).EnsureSuccess().GetText());

        void Add(CoapEndpoint endpoint, string scheme, string address)
        {
            if (scheme != "coap")
            {
                endpoint.AddTransport(world.Network.CreateTransport(scheme, InMemoryNetwork.Address(address), identity));
            }
        }
    }

    private static byte[] Value(CoapOptionCollection options, int number) =>
        options.TryGetValue(number, out ReadOnlySpan<byte> value) ? value.ToArray() : [];
}
