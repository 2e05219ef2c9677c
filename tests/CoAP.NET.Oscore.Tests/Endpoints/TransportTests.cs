namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Bodies, late answers, identity and reliable transports under OSCORE.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class TransportTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    public async Task A_slow_protected_request_is_acknowledged_at_once_and_gets_a_protected_separate_response()
    {
        await using OscoreWorld world = new();
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        CoapServer server = world.Server(OscoreWorld.ServerContext());
        server.MapGet("/late", (CoapRequestContext request, CancellationToken _) =>
        {
            request.Acknowledge();
            return answer.Task;
        }).RequireOscore();
        await server.StartAsync();
        Task<CoapResponse> asked = world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));
        await world.Clock.AdvanceUntilAsync(() => world.Wire.Count == 2, FromMinutes(1));

        Assert.True(world.Clock.Elapsed < FromMilliseconds(400));
        Assert.Equal((CoapMessageType.Acknowledgement, CoapCode.Empty), (world.Wire[1].Type, world.Wire[1].Code));
        answer.SetResult(CoapResults.Text("late"));
        await world.RunAsync(asked).Says("late");
        Assert.NotEqual("none", OscoreWorld.OptionOf(world.Wire[2]));
    }

    [Fact]
    [Rfc("8613-4.1.3.4-1")]
    public async Task A_body_is_split_into_blocks_before_each_block_is_protected_with_its_own_number()
    {
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapPost("/echo", request => CoapResults.Bytes(request.Payload)).RequireOscore();
        await server.StartAsync();
        byte[] body = [.. Enumerable.Range(0, 5_000).Select(i => (byte)i)];
        CoapRequest request = new(CoapMethod.Post, OscoreWorld.ServerUri + "/echo") { Content = CoapContent.Binary(body) };

        CoapResponse response = await _world.SendAsync(_world.Client(OscoreWorld.ClientContext()), request);

        Assert.Equal(body, response.EnsureSuccess().Payload.ToArray());
        List<string> numbers = _world.Numbers(ofRequests: true);
        Assert.Equal(numbers.Count, numbers.Distinct().Count());
        Assert.True(numbers.Count >= 9);
        Assert.All(_world.Wire, message =>
        {
            Assert.Null(message.Options.Block1);
            Assert.Null(message.Options.Block2);
            Assert.InRange(CoapDatagramSerializer.Default.GetSize(message), 0, 1_152);
        }, throwIfEmpty: true);
    }

    [Fact]
    public async Task A_separate_response_is_protected_and_its_acknowledgement_is_empty()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapGet("/late", (CoapRequestContext _, CancellationToken _) => new ValueTask<CoapResult>(answer.Task)).RequireOscore();
        await server.StartAsync();

        Task<CoapResponse> asked = _world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));
        await _world.Clock.AdvanceUntilAsync(() => _world.Wire.Any(message => message.IsEmpty), FromMinutes(1));
        answer.SetResult(CoapResults.Text("late"));

        await _world.RunAsync(asked).Says("late");
        CoapMessage[] answers = [.. _world.Wire.Skip(1).Take(2)];
        Assert.True(answers[0].IsEmpty);
        Assert.Equal((CoapMessageType.Confirmable, ""), (answers[1].Type, OscoreWorld.OptionOf(answers[1])));
    }

    [Fact]
    public async Task The_peer_of_a_protected_request_is_the_principal_of_its_context()
    {
        OscoreContext context = OscoreWorld.ServerContext();
        object? identity = null;
        CoapServer server = _world.Server(context);
        server.MapGet("/who", request =>
        {
            identity = request.Peer!.Identity;
            return CoapResults.Text(request.Peer.IsKnown ? "known" : "unknown");
        });
        await server.StartAsync();

        CoapResponse secret = await _world.GetAsync(_world.Client(OscoreWorld.ClientContext()), "/who");
        Assert.Same(context.Identity, identity);
        Assert.Equal("oscore:", identity!.ToString());
        CoapResponse plain = await _world.GetAsync(_world.Client(null), "/who");

        Assert.Null(identity);
        Assert.Equal(("known", "unknown"), (secret.GetText(), plain.GetText()));
    }

    [Fact]
    public async Task A_server_sends_requests_to_its_client_in_the_same_context_with_unchanged_IDs()
    {
        CoapPeer? peer = null;
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapGet("/hello", request =>
        {
            peer = request.Peer;
            return CoapResults.Text("hello");
        }).RequireOscore();
        await server.StartAsync();
        CoapServer device = _world.Device(OscoreWorld.ClientContext());
        device.MapGet("/state", () => CoapResults.Text("on")).RequireOscore();
        await device.StartAsync();
        await _world.RunAsync(device.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/hello")));

        CoapResponse response = await _world.RunAsync(peer!.SendAsync(new CoapRequest(CoapMethod.Get, "/state")));

        Assert.Equal("on", response.EnsureSuccess().GetText());
        Assert.Equal(["0900", "090001"], _world.Wire.Where(message => message.Code.IsRequest).Select(OscoreWorld.OptionOf));
    }

    [Fact]
    public async Task An_observation_in_a_context_does_not_share_the_plain_registration_at_the_same_address()
    {
        CoapPeer? peer = null;
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapGet("/hello", request =>
        {
            peer = request.Peer;
            return CoapResults.Text("hello");
        });
        await server.StartAsync();
        CoapServer device = _world.Device(OscoreWorld.ClientContext());
        device.MapGet("/state", request => CoapResults.Text(request.Peer.IsKnown ? "for the server" : "for all")).Observable();
        await device.StartAsync();
        await _world.RunAsync(device.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/hello")));
        CoapPeer plain = server.FindPeer(peer!.Address, peer.LocalAddress)!;
        Assert.NotEqual(peer, plain);

        CoapObservation open = await _world.RunAsync(plain.ObserveAsync("/state"));
        CoapObservation closed = await _world.RunAsync(peer.ObserveAsync("/state"));

        open.Latest!.Says("for all");
        closed.Latest!.Says("for the server");
    }

    [Fact]
    public async Task No_Response_is_an_inner_option_and_suppresses_the_response()
    {
        int served = 0;
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapPost("/fire", _ =>
        {
            served++;
            return CoapResults.Changed();
        }).RequireOscore();
        await server.StartAsync();
        CoapRequest request = new(CoapMethod.Post, OscoreWorld.ServerUri + "/fire") { Confirmable = false };
        request.Options.NoResponse = NoResponseClasses.All;

        await _world.SendAsync(_world.Client(OscoreWorld.ClientContext()), request);
        _world.Clock.Advance(FromSeconds(5));

        Assert.Equal(1, served);
        CoapMessage sent = Assert.Single(_world.Wire);
        Assert.Null(sent.Options.NoResponse);
    }

    [Fact]
    [Rfc("8323-9-2")]
    public async Task Requests_over_connections_are_protected()
    {
        CoapServer server = new(_world.Options(options =>
            options.UseOscore(new OscoreContexts().Add(OscoreWorld.ServerContext()))));
        server.MapGet("/big", () => CoapResults.Bytes(new byte[3_000])).RequireOscore();
        server.Endpoint.AddTransport(_world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5683")));
        await server.StartAsync();
        await using CoapClient client = new(_world.Options(options =>
            options.UseOscore(new OscoreContexts().Add("coap+tcp://[2001:db8::1]", OscoreWorld.ClientContext()))));
        client.Endpoint.AddTransport(_world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::2]:0")));

        CoapResponse first = await _world.RunAsync(client.SendAsync(new CoapRequest(CoapMethod.Get, "coap+tcp://[2001:db8::1]/big")));
        CoapResponse second = await _world.RunAsync(client.SendAsync(new CoapRequest(CoapMethod.Get, "coap+tcp://[2001:db8::1]/big")));

        Assert.Equal((3_000, 3_000), (first.EnsureSuccess().Payload.Length, second.EnsureSuccess().Payload.Length));
        await server.DisposeAsync();
    }

    [Fact]
    public async Task Messages_over_connections_do_not_exceed_the_maximum_plaintext_length_of_the_algorithm()
    {
        byte[] stored = [];
        CoapServer server = new(_world.Options(options =>
            options.UseOscore(new OscoreContexts().Add(OscoreWorld.ServerContext()))));
        server.MapPut("/big", request =>
        {
            stored = request.Payload.ToArray();
            return CoapResults.Changed();
        }).RequireOscore();
        server.Endpoint.AddTransport(_world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5683")));
        await server.StartAsync();
        OscoreContext context = OscoreWorld.ClientContext();
        await using CoapClient client = new(_world.Options(options =>
            options.UseOscore(new OscoreContexts().Add("coap+tcp://[2001:db8::1]", context))));
        client.Endpoint.AddTransport(_world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::2]:0")));
        byte[] body = [.. Enumerable.Range(0, 200_000).Select(i => (byte)(i ^ (i >> 8)))];
        CoapRequest request = new(CoapMethod.Put, "coap+tcp://[2001:db8::1]/big") { Content = CoapContent.Binary(body) };
        CoapRequest tooLarge = new(CoapMethod.Get, "coap+tcp://[2001:db8::1]/big");
        tooLarge.Options.Add(65_002, new byte[65_500]);

        await _world.RunAsync(client.SendAsync(request));

        Assert.Equal(body, stored);
        Assert.InRange(context.Sequence.Next, 4UL, 8UL);
        await Failure.OfAsync(CoapError.TooLarge, () => _world.RunAsync(client.SendAsync(tooLarge)));
        await server.DisposeAsync();
    }

    [Fact]
    public async Task Q_Block_options_outside_the_protection_are_refused()
    {
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapGet("/a", () => CoapResults.Text("a"));
        await server.StartAsync();
        using ScriptedPeer hop = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::66]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));
        CoapMessage message = new(CoapCode.Post) { Type = CoapMessageType.Confirmable, MessageId = 7, Payload = new byte[16] };
        message.Options.Add(OptionNumber.Oscore, [0x09, 0x00]);
        message.Options.Add(OptionNumber.QBlock1, [0x08]);

        hop.Send(CoapDatagramSerializer.Default.Serialize(message));

        CoapMessage answer = CoapDatagramSerializer.Default.Deserialize(hop.Receive()!.Data);
        Assert.Equal(
            (CoapCode.BadOption, "Q-Block is for the inside only"),
            (answer.Code, Encoding.UTF8.GetString(answer.Payload.Span)));
    }

    [Fact]
    [Rfc("8613-B.1.2-1", "8613-B.1.2-2")]
    public async Task A_server_that_lost_its_window_sends_a_single_challenge_and_refuses_earlier_requests()
    {
        MemoryOscoreStore store = new();
        int posts = 0;
        CoapServer Serve(OscoreContext context)
        {
            CoapServer made = _world.Server(context);
            made.MapPost("/do", _ =>
            {
                posts++;
                return CoapResults.Changed();
            }).RequireOscore();
            return made;
        }

        CoapClient client = _world.Client(OscoreWorld.ClientContext());
        CoapServer server = Serve(await OscoreContext.OpenAsync(OscoreWorld.Parameters("01", ""), store));
        await server.StartAsync();
        await _world.SendAsync(client, new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));
        byte[] recorded = CoapDatagramSerializer.Default.Serialize(_world.Wire[0]);
        await server.DisposeAsync();

        // Not closed in order: the next one finds no window.
        server = Serve(await OscoreContext.OpenAsync(OscoreWorld.Parameters("01", ""), store));
        await server.StartAsync();
        using ScriptedPeer attacker = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::66]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));
        attacker.Send(recorded);
        _world.Clock.Advance(FromSeconds(1));
        _world.Wire.Clear();
        CoapResponse response = await _world.SendAsync(client, new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));

        response.Gives(CoapCode.Changed);
        Assert.Equal(2, posts);
        Assert.Equal(["01", "02"], _world.Numbers(ofRequests: true));
        CoapMessage challenge = _world.Wire.First(message => message.Code.IsResponse);
        OscoreWorld.OptionOf(challenge).Begins("01");
        recorded[2] ^= 0xff;
        attacker.Clear();
        attacker.Send(recorded);
        Assert.Equal(CoapCode.Unauthorized, CoapDatagramSerializer.Default.Deserialize(attacker.Receive()!.Data).Code);
        Assert.Equal(2, posts);
    }
}
