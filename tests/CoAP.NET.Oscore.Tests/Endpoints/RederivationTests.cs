using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>New keys at each start (RFC 8613 appendix B.2).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RederivationTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private CoapServer _server = null!;
    private OscoreContext _context = null!;
    private CoapRouteHandlerBuilder _route = null!;
    private string _state = "one";
    private ulong _seed = 100;
    private int _posts;

    public async ValueTask InitializeAsync() => await ServeAsync();

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    [Rfc("8613-B.2-1", "8613-B.2-2")]
    public async Task The_first_request_is_answered_with_R2_and_executed_when_the_client_repeats_it_with_both_parts()
    {
        CoapClient client = Client();

        CoapResponse first = await PostAsync(client);
        CoapResponse second = await PostAsync(client);

        Assert.Equal((CoapCode.Changed, CoapCode.Changed, 2), (first.Code, second.Code, _posts));
        string[] options = [.. _world.Wire.Select(OscoreWorld.OptionOf)];
        Assert.Equal(6, options.Length);
        string id1 = options[0][8..];
        string r2 = options[1][6..];
        string id3 = options[2][10..];
        Assert.Equal(($"19000948{id1}", 16), (options[0], id1.Length));
        Assert.Equal(($"101150{r2}", 32), (options[1], r2.Length));
        Assert.Equal(($"19001a5818{id3}", 48), (options[2], id3.Length));
        id3.Begins(r2);
        Assert.Equal(["", $"190118{id3}", ""], options[3..]);
        Assert.DoesNotContain(_world.Wire, message => message.Options.Contains(OptionNumber.Echo));
    }

    [Fact]
    [Rfc("8613-B.2-3")]
    public async Task Client_and_server_continue_after_one_round_trip_when_either_of_them_restarted()
    {
        CoapClient client = Client();
        await PostAsync(client);

        await _server.DisposeAsync();
        await ServeAsync();
        await PostAsync(client);
        CoapClient restarted = Client();
        await PostAsync(restarted);
        await PostAsync(restarted);

        Assert.Equal(4, _posts);
    }

    [Fact]
    [Rfc("8613-B.2-2")]
    public async Task A_replayed_request_is_neither_executed_nor_starts_a_new_run()
    {
        CoapClient client = Client();
        await PostAsync(client);
        await PostAsync(client);
        byte[][] recorded = [.. _world.Wire.Where(message => message.Code.IsRequest)
            .Select(message => CoapDatagramSerializer.Default.Serialize(message))];
        await PostAsync(Client());
        using ScriptedPeer attacker = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::66]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));

        foreach (byte[] bytes in recorded)
        {
            bytes[2] ^= 0xff;
            attacker.Send(bytes);
        }

        _world.Clock.Advance(FromSeconds(1));
        Assert.Equal(3, _posts);

        // A forged request does not disturb an established context.
        recorded[0][^1] ^= 1;
        recorded[0][3] ^= 0xff;
        attacker.Send(recorded[0]);
        _world.Clock.Advance(FromSeconds(1));
        await PostAsync(client);
        Assert.Equal(4, _posts);
    }

    [Fact]
    public async Task An_observation_may_start_a_run_and_gets_its_notifications()
    {
        CoapObservation observation = await _world.RunAsync(Client().ObserveAsync(OscoreWorld.ServerUri + "/state"));
        observation.Latest!.Says("one");

        _state = "two";
        _route.Notify();

        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == "two", FromMinutes(1));
        await observation.DisposeAsync();
    }

    [Fact]
    public async Task Several_requests_at_the_start_share_a_single_run()
    {
        CoapClient client = _world.Client(
            OscoreContext.CreateRederived(OscoreWorld.Parameters("", "01"), new VirtualRandom(++_seed)),
            options => options.Parameters = CoapTransmissionParameters.Default with { NStart = 4 });
        Task<CoapResponse>[] all = [.. Enumerable.Range(0, 4).Select(_ => client.SendAsync(
            new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do")))];

        Assert.All(await _world.RunAsync(Task.WhenAll(all)), response => response.Gives(CoapCode.Changed));
        Assert.Equal(4, _posts);
    }

    [Theory]
    [InlineData("312194aff245db25", "d8563db4153f94f9", "6044c1b19b100948d8563db4153f94f9ff1e429913923c98eeba")]
    [InlineData(
        "8a1e371da4243881", "e0f8d760508782a11e945c1da16fbb4f",
        "604495cb9d06101150e0f8d760508782a11e945c1da16fbb4fffe13804da6cbb786ff089")]
    [Rfc("8613-B.2-1")]
    public void The_first_responses_of_libcoap_and_Californium_verify(string id1, string r2, string captured)
    {
        OscoreContext first = OscoreWorld.ClientContext(id1);
        OscoreContext both = OscoreWorld.ClientContext(r2 + id1);
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize(Convert.FromHexString(captured).AsMemory());

        OscoreFault fault = OscoreMessageCipher.UnprotectRederivation(
            both, first, message, new OscoreRequestId([], 0), out CoapMessage? read);

        Assert.Equal((OscoreFault.None, CoapCode.Unauthorized), (fault, read?.Code));
        Assert.Equal(
            OscoreFault.Decryption, OscoreMessageCipher.UnprotectRederivation(both, both, message, new OscoreRequestId([], 0), out _));
    }

    [Fact]
    [Rfc("8613-B.2-1")]
    public async Task A_Non_confirmable_request_may_start_a_rederivation()
    {
        CoapRequest request = new(CoapMethod.Post, OscoreWorld.ServerUri + "/do") { Confirmable = false };

        CoapResponse response = await _world.SendAsync(Client(), request);

        Assert.Equal((CoapCode.Changed, 1), (response.Code, _posts));

        // The request, 4.01 with R2, the request with both parts, and its response.
        Assert.Equal(Enumerable.Repeat(CoapMessageType.NonConfirmable, 4), _world.Wire.Select(message => message.Type));
    }

    [Fact]
    public async Task The_keys_of_a_run_are_wiped_at_both_ends_when_a_new_run_replaces_it()
    {
        OscoreContext root = OscoreContext.CreateRederived(OscoreWorld.Parameters("", "01"), new VirtualRandom(++_seed));
        CoapClient client = _world.Client(root);
        OscoreContext first = root.Rederivation!.ForRequest(out _);
        await PostAsync(client);
        OscoreContext ofClient = root.Rederivation.Current!;
        OscoreContext ofServer = _context.Rederivation!.Current!;
        Assert.NotSame(first, ofClient);
        Assert.Equal(
            (true, false, false), (OscoreWorld.IsWiped(first), OscoreWorld.IsWiped(ofClient), OscoreWorld.IsWiped(ofServer)));

        // Another client of the same IDs, as after a restart of the first one.
        await PostAsync(Client());
        Assert.Equal((false, true), (OscoreWorld.IsWiped(ofClient), OscoreWorld.IsWiped(ofServer)));
        await PostAsync(client);
        Assert.True(OscoreWorld.IsWiped(ofClient));

        OscoreContext last = root.Rederivation.Current!;
        await root.DisposeAsync();
        Assert.True(OscoreWorld.IsWiped(last));
    }

    [Fact]
    public void A_rederived_context_with_a_fixed_ID_Context_is_refused()
    {
        Assert.Throws<ArgumentException>(() => OscoreContext.CreateRederived(OscoreWorld.Parameters("", "01", "aa")));
    }

    private async Task ServeAsync()
    {
        _context = OscoreContext.CreateRederived(OscoreWorld.Parameters("01", ""), new VirtualRandom(++_seed));
        _server = _world.Server(_context);
        _server.MapPost("/do", _ =>
        {
            _posts++;
            return CoapResults.Changed();
        }).RequireOscore();
        _route = _server.MapGet("/state", () => CoapResults.Text(_state)).Observable().RequireOscore();
        await _server.StartAsync();
    }

    private CoapClient Client() =>
        _world.Client(OscoreContext.CreateRederived(OscoreWorld.Parameters("", "01"), new VirtualRandom(++_seed)));

    private Task<CoapResponse> PostAsync(CoapClient client) =>
        _world.SendAsync(client, new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));
}
