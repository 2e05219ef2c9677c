using CoAP.NET.Edhoc;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Hosting.Clients;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>EDHOC of hosted servers and clients: keys are agreed upon when they are needed, and anew when they are lost.</summary>
public sealed class EdhocFileTests : HostTest
{
    private readonly EdhocCredentialFiles _files = new();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _files.Dispose();
    }

    [Theory]
    [InlineData("false")]
    [InlineData("true")]
    public async Task Concurrent_requests_are_protected_by_the_keys_of_a_single_session(string combines)
    {
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        IHost other = await StartClientAsync(AddressOf(host), ("Coap:Client:Edhoc:CombinesFirstRequest", combines));

        string[] told = await Within(Task.WhenAll(AskAsync(other), AskAsync(other), AskAsync(other)));

        Assert.Equal(["desk 1", "desk 1", "desk 1"], told);
        Assert.Equal(1, Counters(host).Established);
        Assert.Equal(combines == "true" ? 1 : 0, Counters(host).Combined);
    }

    [Fact]
    public async Task The_text_of_an_identity_is_the_name_that_stays_when_the_keys_change()
    {
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        ICoapClient client = (await StartClientAsync(AddressOf(host))).Services.GetRequiredService<ICoapClient>();

        string identity = (await Within(client.GetAsync("/identity"))).EnsureSuccess().GetText();

        Assert.Equal("edhoc:desk 1", identity);
    }

    [Theory]
    [InlineData(null, "Edhoc:Peer")]
    [InlineData("door 8", "not that of the expected peer")]
    [InlineData("door 7", null)]
    public async Task A_client_that_trusts_several_servers_communicates_only_with_the_expected_server(string? peer, string? problem)
    {
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        string file = _files.Write("several.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b", "subject": "front-desk" } ],
              "trusted": [ { "publicKey": "server.pub", "kid": "0x32", "subject": "door", "identity": "door 7" },
                           { "publicKey": "client.pub", "kid": "0x33", "subject": "door", "identity": "door 8" } ] }
            """);
        IHost other = await StartClientAsync(AddressOf(host), ("Coap:Client:Edhoc:File", file), ("Coap:Client:Edhoc:Peer", peer));

        if (problem is null)
        {
            Assert.Equal("desk 1", await AskAsync(other));
            return;
        }

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => AskAsync(other));
        error.Mentions(problem);
        Assert.Equal(0, Counters(host).Established);
    }

    [Fact]
    public async Task A_request_is_not_sent_before_there_are_keys()
    {
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        IHost other = await StartClientAsync(AddressOf(host));
        CoapClient plain = other.Services.GetRequiredService<CoapClient>();

        CoapException refused = await Assert.ThrowsAsync<CoapException>(() => Within(plain.GetAsync("/who")));
        string told = await AskAsync(other);

        refused.Mentions("must use OSCORE");
        Assert.Equal("desk 1", told);
        Assert.Equal("desk 1", (await Within(plain.GetAsync("/who"))).EnsureSuccess().GetText());
    }

    [Fact]
    public async Task A_server_that_lost_the_keys_gets_new_keys_and_only_idempotent_requests_are_repeated()
    {
        // By TCP: over datagrams a client waits two seconds more for one who has the keys.
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap+tcp://127.0.0.1:0"));
        IHost other = await StartClientAsync(AddressOf(host));
        ICoapClient client = other.Services.GetRequiredService<ICoapClient>();
        (await Within(client.PostAsync("/lose", CoapContent.Text("")))).EnsureSuccess();

        Assert.Equal("desk 1", await AskAsync(other));
        Assert.Equal(2, Counters(host).Established);
        (await Within(client.PostAsync("/lose", CoapContent.Text("")))).EnsureSuccess();

        CoapUnprotectedResponseException lost = await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => Within(client.PostAsync("/lose", CoapContent.Text(""))));
        Assert.Equal(CoapCode.Unauthorized, lost.UnprotectedCode);
        (await Within(client.PostAsync("/lose", CoapContent.Text("")))).EnsureSuccess();
        Assert.Equal(3, Counters(host).Established);
    }

    [Fact]
    public async Task An_observation_continues_with_new_keys_after_the_server_lost_its_keys()
    {
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        ICoapClient client = (await StartClientAsync(AddressOf(host))).Services.GetRequiredService<ICoapClient>();
        await using CoapObservation observation = await Within(client.ObserveAsync(new CoapRequest(CoapMethod.Get, "/state")));
        TaskCompletionSource recovered = new(RunContinuationsAsynchronously);
        observation.StateChanged += (_, state) =>
        {
            if (state == CoapObserveState.Observing)
            {
                recovered.TrySetResult();
            }
        };
        (await Within(client.PostAsync("/lose", CoapContent.Text("")))).EnsureSuccess();

        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => Within(observation.RefreshAsync()));
        await Within(recovered.Task);

        Assert.Equal(2, Counters(host).Established);
        Assert.Equal(("on", null), (observation.Latest!.GetText(), observation.Error));
    }

    [Fact]
    public async Task Keys_are_agreed_through_a_proxy_that_cannot_read_the_requests()
    {
        IHost host = await StartServerAsync(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        CoapProxyOptions options = new();
        options.Targets.AllowNetwork("127.0.0.0/8:*");
        await using CoapProxy proxy = new(options);
        await using CoapServer between = new();
        between.MapForwardProxy(proxy);
        await between.Listen("coap://127.0.0.1:0").StartAsync();
        IHost other = await StartClientAsync(AddressOf(host), ("Coap:Client:Proxy", between.LocalEndpoints[0].Origin()));

        Assert.Equal("desk 1", await AskAsync(other));
        Assert.Equal(1, Counters(host).Established);
    }

    [Fact]
    public async Task Credentials_set_in_code_require_no_files()
    {
        using EdhocCredentialFile ofServer = EdhocCredentialFile.Read(_files.Server);
        using EdhocCredentialFile ofClient = EdhocCredentialFile.Read(_files.Client);
        HostApplicationBuilder builder = Builder(("Coap:Servers:door:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer("door").UseEdhoc((options, _) => ofServer.ApplyTo(options))
            .MapGet("/who", WhoAsks).RequireOscore();
        IHost host = await StartAsync(builder);
        HostApplicationBuilder asking = Builder(("Coap:Clients:desk:BaseAddress", AddressOf(host, "door")));
        asking.Services.AddCoapClient("desk").UseEdhoc((options, _) => ofClient.ApplyTo(options));
        IHost other = await StartAsync(asking);

        CoapResponse response = await Within(
            other.Services.GetRequiredService<ClientFactory>().GetClient("desk").GetAsync("/who"));

        response.Says("desk 1");
        Assert.Equal(1, host.Services.GetRequiredKeyedService<EdhocServer>("door").GetCounters().Established);
    }

    [Fact]
    public async Task All_configuration_errors_are_reported_before_the_application_starts()
    {
        string oscore = _files.Write("oscore.json", """
            { "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "senderId": "0x01", "recipientId": "" }
            """);
        string untrusting = _files.Write("untrusting.json", """{ "own": [ { "key": "server.key", "kid": "0x32" } ] }""");
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Edhoc:File", untrusting), ("Coap:Server:Edhoc:Suites", "99"),
            ("Coap:Clients:none:Edhoc:File", _files.Named("none.json")), ("Coap:Clients:none:BaseAddress", "coap://door.example"),
            ("Coap:Clients:nowhere:Edhoc:File", _files.Client),
            ("Coap:Clients:both:Edhoc:File", _files.Client), ("Coap:Clients:both:BaseAddress", "coap://door.example"),
            ("Coap:Clients:both:Oscore:File", oscore), ("Coap:Clients:both:Oscore:Uri", "coap://DOOR.example:5683/"),
            ("Coap:Clients:shared:Edhoc:File", _files.Client), ("Coap:Clients:shared:BaseAddress", "coap://door.example"),
            ("Coap:Clients:shared:Server", "*"), ("Coap:Clients:fileless:Edhoc:Uri", "coap://door.example"),
            ("Coap:Clients:peerless:Edhoc:Peer", "door 7"));
        builder.Services.AddCoapServer().UseEdhoc();
        foreach (string name in new[] { "none", "nowhere", "both", "shared", "fileless", "peerless" })
        {
            builder.Services.AddCoapClient(name).UseEdhoc();
        }

        string[] problems = await StartFailuresAsync(builder);

        string[] expected =
        [
            ":both:Edhoc:File and Coap:Clients:both:Oscore:File are both set", ":fileless:Edhoc:Uri is set, but",
            $":none:Edhoc:File = '{_files.Named("none.json")}': there is no file", ":nowhere:Edhoc:File is set, but there is no server",
            ":peerless:Edhoc:Peer is set, but",
            ":shared:Edhoc:File is set, and the client uses the endpoint of a server", "Server:Edhoc:File: ",
            "Server:Edhoc:Suites = '99'",
        ];
        Assert.Equal(expected.Length, problems.Length);
        Assert.All(
            problems.Order(StringComparer.Ordinal).Zip(expected),
            pair => pair.First.Mentions(pair.Second));
    }

    [Fact]
    public async Task A_server_without_credentials_is_refused_at_the_start()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().UseEdhoc();

        Assert.Single(await StartFailuresAsync(builder)).Mentions("prove its identity");
    }

    private static string WhoAsks(CoapRequestContext request) => $"{(request.Peer.Identity as OscoreIdentity)?.Owner}";

    private static string NameOf(CoapRequestContext request) => $"{request.Peer.Identity}";

    private static EdhocServerCounters Counters(IHost host) => host.Services.GetRequiredService<EdhocServer>().GetCounters();

    private static async Task<string> AskAsync(IHost host) =>
        (await Within(host.Services.GetRequiredService<ICoapClient>().GetAsync("/who"))).EnsureSuccess().GetText();

    private async Task<IHost> StartServerAsync((string Key, string? Value) endpoint)
    {
        HostApplicationBuilder builder = Builder(endpoint, ("Coap:Server:Edhoc:File", _files.Server));
        ICoapServerBuilder server = builder.Services.AddCoapServer().UseEdhoc();

        // What all routes demand is not demanded of EDHOC, by which clients come to it.
        server.Routes.RequireAuthorization().RequireTransportSecurity();
        server.MapGet("/who", WhoAsks).RequireOscore().AllowInsecureTransport();
        server.MapGet("/state", () => "on").Observable().RequireOscore().AllowInsecureTransport();
        server.MapGet("/identity", NameOf).RequireOscore().AllowInsecureTransport();
        server.MapPost("/lose", (Func<CoapRequestContext, CoapResult>)(request =>
        {
            OscoreContexts contexts = request.Services!.GetRequiredService<OscoreContexts>();
            contexts.Remove(((OscoreIdentity)request.Peer.Identity!).Context);
            return CoapResults.Changed();
        })).AllowInsecureTransport();
        return await StartAsync(builder);
    }

    private async Task<IHost> StartClientAsync(string address, params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Builder(
            [("Coap:Client:BaseAddress", address), ("Coap:Client:Edhoc:File", _files.Client), .. settings]);
        builder.Services.AddCoapClient().UseEdhoc();
        return await StartAsync(builder);
    }
}
