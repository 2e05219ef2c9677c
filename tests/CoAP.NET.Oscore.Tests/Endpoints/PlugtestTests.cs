namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>The interoperability tests of OSCORE (test-spec5), between a client and a server of this library.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PlugtestTests : IAsyncLifetime
{
    private const string IdContext = "37cbf3210017a2d3";

    private readonly OscoreWorld _world = new();
    private CoapServer _server = null!;
    private int _posts;

    public async ValueTask InitializeAsync()
    {
        _server = _world.Server(OscoreWorld.ServerContext(), OscoreWorld.ServerContext(IdContext));
        _server.MapGet("/oscore/hello/coap", () => CoapResults.Text("Hello World!"));
        _server.MapGet("/oscore/hello/1", () => CoapResults.Text("Hello World!")).RequireOscore();
        _server.MapGet("/oscore/hello/2", () => CoapResults.Text("Hello World!").WithETag(new CoapETag([0x2b]))).RequireOscore();
        _server.MapGet("/oscore/hello/3", () => CoapResults.Text("Hello World!").WithMaxAge(FromSeconds(5))).RequireOscore();
        _server.MapPost("/oscore/hello/6", request =>
        {
            _posts++;
            return CoapResults.Changed(CoapContent.Binary(request.Payload.ToArray(), CoapContentFormat.TextPlain));
        }).RequireOscore();
        _server.MapPut("/oscore/hello/7", request => request.Options.IfNoneMatch
            ? CoapResults.PreconditionFailed()
            : request.Options.IfMatch is [var tag] && tag == new CoapETag([0x7b]) ? CoapResults.Changed()
            : CoapResults.BadRequest()).RequireOscore();
        _server.MapDelete("/oscore/test", () => CoapResults.Deleted()).RequireOscore();
        await _server.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    public async Task Test_0_an_unprotected_request_gets_an_unprotected_response()
    {
        CoapResponse response = await _world.GetAsync(_world.Client(null), "/oscore/hello/coap");

        Assert.Equal("Hello World!", response.EnsureSuccess().GetText());
        Assert.All(_world.Wire, message => Assert.False(message.Options.Contains(OptionNumber.Oscore)), throwIfEmpty: true);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(IdContext)]
    [Rfc("8613-8.2-1", "8613-5-2")]
    public async Task Tests_1_and_2_GET_with_and_without_an_ID_Context(string? idContext)
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext(idContext));

        CoapResponse response = await _world.GetAsync(client, "/oscore/hello/1");

        Assert.Equal((CoapCode.Content, "Hello World!", CoapContentFormat.TextPlain),
            (response.Code, response.GetText(), response.ContentFormat));
        Assert.Equal([CoapCode.Post, CoapCode.Changed], _world.Wire.Select(message => message.Code));
        Assert.All(_world.Wire, message =>
        {
            Assert.Empty(message.Options.UriPath);
            Assert.True(message.Options.Contains(OptionNumber.Oscore));
        }, throwIfEmpty: true);
    }

    [Fact]
    public async Task Tests_3_and_4_the_options_of_request_and_response_are_transferred()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext());

        CoapResponse third = await _world.GetAsync(client, "/oscore/hello/2?first=1");
        CoapRequest fourth = new(CoapMethod.Get, OscoreWorld.ServerUri + "/oscore/hello/3");
        fourth.Options.Accept = CoapContentFormat.TextPlain;
        CoapResponse response = await _world.SendAsync(client, fourth);

        Assert.Equal([0x2b], third.Options.ETag!.Value.ToArray());
        Assert.Equal(FromSeconds(5), response.Options.MaxAge);
        Assert.Equal(["00", "01"], _world.Numbers(ofRequests: true));
    }

    [Fact]
    [Rfc("8613-8.2-2")]
    public async Task Tests_8_to_11_methods_and_preconditions()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext());

        CoapResponse posted = await _world.SendAsync(client, Request(CoapMethod.Post, "/oscore/hello/6", 0x4a));
        CoapRequest match = Request(CoapMethod.Put, "/oscore/hello/7", 0x7a);
        match.Options.Add(OptionNumber.IfMatch, [0x7b]);
        CoapResponse matched = await _world.SendAsync(client, match);
        CoapRequest none = Request(CoapMethod.Put, "/oscore/hello/7", 0x8a);
        none.Options.IfNoneMatch = true;
        CoapResponse refused = await _world.SendAsync(client, none);
        CoapResponse deleted = await _world.SendAsync(client, new CoapRequest(CoapMethod.Delete, OscoreWorld.ServerUri + "/oscore/test"));
        CoapResponse missing = await _world.GetAsync(client, "/nowhere");

        Assert.Equal((CoapCode.Changed, (byte)0x4a), (posted.Code, posted.Payload.Span[0]));
        Assert.Equal(
            [CoapCode.Changed, CoapCode.PreconditionFailed, CoapCode.Deleted, CoapCode.NotFound],
            [matched.Code, refused.Code, deleted.Code, missing.Code]);

        // Errors of resources are protected like successes.
        Assert.All(_world.Wire.Where(message => message.Code.IsResponse), message =>
            Assert.Equal((CoapCode.Changed, true), (message.Code, message.Options.Contains(OptionNumber.Oscore))), throwIfEmpty: true);
    }

    [Fact]
    [Rfc("8613-8.2-1", "8613-2-3", "8613-D.5.3-1")]
    public async Task Test_12_a_request_with_an_unknown_kid_fails_with_an_unprotected_4_01()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext(client: "7a"));

        CoapUnprotectedResponseException exception =
            await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.GetAsync(client, "/oscore/hello/1"));

        Assert.Equal((CoapCode.Unauthorized, "Security context not found"), (exception.UnprotectedCode, exception.UnprotectedDiagnostic));
        Assert.Equal(TimeSpan.Zero, _world.Wire[^1].Options.MaxAge);
    }

    [Fact]
    [Rfc("8613-8.2-1")]
    public async Task Test_13_a_wrong_key_is_refused()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext(secret: "ff02030405060708090a0b0c0d0e0f10"));

        CoapUnprotectedResponseException exception =
            await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.GetAsync(client, "/oscore/hello/1"));

        Assert.Equal((CoapCode.BadRequest, "Decryption failed"), (exception.UnprotectedCode, exception.UnprotectedDiagnostic));
        Assert.Equal(TimeSpan.Zero, _world.Wire[^1].Options.MaxAge);
    }

    [Fact]
    [Rfc("8613-8.4-1")]
    public async Task Test_14_a_response_that_does_not_verify_is_dropped_and_the_client_continues_to_wait()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext());
        _world.OnPacket = packet => packet.To.Port == 5683 ? NetworkVerdict.Pass : Spoiled(packet);

        CoapTimeoutException exception = await Assert.ThrowsAsync<CoapTimeoutException>(() => _world.GetAsync(client, "/oscore/hello/1"));

        Assert.NotNull(exception);
    }

    [Fact]
    [Rfc("8613-7.4-1", "8613-7.4-2")]
    public async Task Test_15_a_replay_is_refused_and_not_executed()
    {
        OscoreContext context = OscoreWorld.ClientContext();
        CoapClient client = _world.Client(context);
        await _world.SendAsync(client, Request(CoapMethod.Post, "/oscore/hello/6", 0x4a));
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(_world.Wire[0]);
        using ScriptedPeer attacker = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::66]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));

        bytes[2] ^= 0xff;
        attacker.Send(bytes);
        ReceivedDatagram? answer = attacker.Receive();

        CoapMessage refusal = CoapDatagramSerializer.Default.Deserialize(answer!.Data);
        Assert.Equal(CoapCode.Unauthorized, refusal.Code);
        Assert.Equal("Replay detected"u8.ToArray(), refusal.Payload.ToArray());
        Assert.Equal(1, _posts);
    }

    [Fact]
    public async Task Test_16_a_server_without_OSCORE_refuses_the_option()
    {
        await _server.DisposeAsync();
        CoapServer plain = _world.Server(_ => { });
        plain.MapGet("/oscore/hello/1", () => CoapResults.Text("Hello World!"));
        await plain.StartAsync();

        CoapUnprotectedResponseException exception = await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => _world.GetAsync(_world.Client(OscoreWorld.ClientContext()), "/oscore/hello/1"));

        Assert.Equal(CoapCode.BadOption, exception.UnprotectedCode);
    }

    [Fact]
    [Rfc("8613-8.2-3")]
    public async Task Test_17_an_unprotected_request_to_a_protected_resource_is_refused()
    {
        CoapResponse response = await _world.GetAsync(_world.Client(null), "/oscore/hello/1");

        response.Gives(CoapCode.Unauthorized);
    }

    [Fact]
    [Rfc("8613-7.2-1")]
    public async Task A_retransmission_has_the_same_bytes_and_a_new_request_has_a_new_sequence_number()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext());
        int dropped = 0;
        _world.OnPacket = packet => packet.To.Port == 5683 && dropped++ < 2 ? NetworkVerdict.Drop : NetworkVerdict.Pass;

        await _world.SendAsync(client, Request(CoapMethod.Post, "/oscore/hello/6", 0x4a));
        await _world.SendAsync(client, Request(CoapMethod.Post, "/oscore/hello/6", 0x4b));

        Assert.Equal(["00", "00", "00", "01"], _world.Numbers(ofRequests: true));
        Assert.Single(_world.Wire.Take(3).Select(message => Convert.ToHexString(message.Payload.Span)).Distinct());
        Assert.Equal(2, _posts);
    }

    private static CoapRequest Request(CoapMethod method, string path, byte payload) =>
        new(method, OscoreWorld.ServerUri + path) { Content = CoapContent.Binary(new[] { payload }, CoapContentFormat.TextPlain) };

    private static NetworkVerdict Spoiled(NetworkPacket packet)
    {
        byte[] bytes = packet.Data.ToArray();
        bytes[^1] ^= 1;
        return NetworkVerdict.Replace(bytes);
    }
}
