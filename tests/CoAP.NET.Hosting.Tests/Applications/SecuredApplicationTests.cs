using RoomClient = global::Hosting.RoomClient;
using RoomWorker = global::Hosting.RoomWorker;

namespace CoAP.NET.Hosting.Tests.Applications;

/// <summary>Routes with policies of an application in memory, as they are, asked by whom the test wants.</summary>
public sealed class SecuredApplicationTests
{
    [Theory]
    [InlineData("coaps")]
    [InlineData("coaps+tcp")]
    public async Task Certificates_and_users_are_the_identities_over_every_secured_scheme(string scheme)
    {
        using TlsCertificates certificates = new();
        await using CoapApplicationFactory<RoomClient> application = Start();
        string address = application.AddressOf(scheme).Origin();

        Assert.Equal("CN=admin",
            await GetAsync(application.CreateClient(identity: CoapTestIdentity.Certificate(certificates.Client("admin"))),
                address + "/certificate"));
        ClaimsPrincipal ann = new(new ClaimsIdentity([new Claim(ClaimTypes.Name, "ann")], "test"));
        CoapTestIdentity known = CoapTestIdentity.From(new CoapUserPeerIdentity(ann));
        CoapTestIdentity unknown = CoapTestIdentity.From(new CoapUserPeerIdentity(new ClaimsPrincipal()));
        Assert.Equal("ann", await GetAsync(application.CreateClient(identity: known), address + "/user"));
        Assert.Equal("4.01", await GetAsync(application.CreateClient(identity: unknown), address + "/user"));
        Assert.Equal("4.01", await GetAsync(application.CreateClient(), address + "/user"));
        Assert.Equal("19.0", await GetAsync(application.CreateClient(), address + "/temperature"));
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task Secured_routes_are_refused_over_insecure_schemes_although_the_client_has_an_identity(string scheme)
    {
        await using CoapApplicationFactory<RoomClient> application = Start();
        string address = application.AddressOf(scheme).Origin();
        CoapClient meter = application.CreateClient(identity: CoapTestIdentity.Psk("meter-7"));

        Assert.Equal("4.01", await GetAsync(meter, address + "/temperature"));
        Assert.Equal("4.01", await GetAsync(meter, address + "/psk"));
        Assert.Equal("here", await GetAsync(meter, address + "/open"));
    }

    [Fact]
    public async Task A_pre_shared_key_identity_over_TLS_fails_with_a_reason()
    {
        await using CoapApplicationFactory<RoomClient> application = Start();
        CoapClient meter = application.CreateClient(identity: CoapTestIdentity.Psk("meter-7"));
        CoapConnectionException exception =
            await Assert.ThrowsAsync<CoapConnectionException>(() => meter.GetAsync(application.AddressOf("coaps+tcp").Resolve("/psk")));
        exception.Mentions("pre-shared keys and raw public keys are for coaps");
    }

    [Fact]
    public async Task An_observation_belongs_to_a_session_and_ends_with_it()
    {
        await using CoapApplicationFactory<RoomClient> application = Start();
        CoapClient meter = application.CreateClient(identity: CoapTestIdentity.Psk("meter-7"));
        CoapServer server = application.Services.GetRequiredService<CoapServer>();
        await using CoapObservation observation = await meter.ObserveAsync(application.AddressOf("coaps").Resolve("/psk"));
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await states.MoveNextAsync());
        Assert.Equal(1, server.ObserverCount);
        server.Notify("/psk");
        Assert.True(await states.MoveNextAsync());
        states.Current.Says("psk:meter-7");
    }

    [Fact]
    public async Task A_blockwise_transfer_in_a_session_survives_loss()
    {
        await using CoapApplicationFactory<RoomClient> application =
            Start(new InMemoryNetworkOptions { Seed = 5, Conditions = new() { Duplication = 0.2 } });
        CoapClient meter = application.CreateClient(identity: CoapTestIdentity.Psk("meter-7"));
        string text = new('x', 5000);
        await meter.PostAsync(application.AddressOf("coaps").Resolve("/echo"), CoapContent.Text(text)).Says(text);
        await meter.PostAsync(application.AddressOf("coap+tcp").Resolve("/echo"), CoapContent.Text(text)).Says(text);
    }

    [Fact]
    public async Task The_error_for_a_scheme_without_a_listener_names_the_available_addresses()
    {
        await using CoapApplicationFactory<RoomClient> application = new() { Arguments = ["--Coap:Server:Endpoints:0=coaps://*:5684"] };
        Assert.Equal("coaps", application.Address.Scheme);
        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(() => application.AddressOf("coap"));
        exception.Mentions("does not listen on coap, but on coaps://");
        await Assert.ThrowsAsync<CoapConnectionException>(
            () => application.CreateClient().GetAsync($"coaps+tcp://[{CoapApplicationFactory<RoomClient>.HostAddress}]/temperature"));
    }

    private static async Task<string> GetAsync(CoapClient client, string uri)
    {
        CoapResponse response = await client.GetAsync(uri);
        return response.IsSuccess ? response.GetText() : response.Code.ToString()[..4];
    }

    private static CoapApplicationFactory<RoomClient> Start(InMemoryNetworkOptions? network = null) =>
        new CoapApplicationFactory<RoomClient>
        {
            NetworkOptions = network,

            // Keys that are where the application runs, not here.
            Arguments =
            [
                "--Coap:Server:Endpoints:0=coap://*:5683", "--Coap:Server:Endpoints:1=coaps://*:5684",
                "--Coap:Server:Endpoints:2=coap+tcp://*:5683", "--Coap:Server:Endpoints:3=coaps+tcp://*:5684",
                "--Coap:Server:Dtls:PskFile=/nowhere/keys", "--Coap:Server:Tls:Certificate=/nowhere/server.pem",
            ],
        }
        .WithServices(services =>
        {
            services.Remove(services.Single(service => service.ImplementationType == typeof(RoomWorker)));
            ICoapServerBuilder server = services.AddCoapServer().UseDtls();
            server.MapGet("/psk", request => $"{(CoapDtlsPeerIdentity)request.Peer.Identity!}").Observable()
                .RequireAuthorization(policy => policy.RequireSecureTransport().RequirePskIdentity(identity => identity == "meter-7"));
            server.MapGet("/certificate", request => request.Peer.Identity!.Certificate!.Subject)
                .RequireAuthorization(policy => policy.RequireCertificate(certificate => certificate.Subject == "CN=admin"));
            server.MapGet("/user", request => ((CoapUserPeerIdentity)request.Peer.Identity!).User.Identity!.Name!)
                .RequireAuthorization(policy => policy.RequireIdentity<CoapUserPeerIdentity>(_ => true));
            server.MapPost("/echo", request => CoapResults.Text(request.GetText())).AllowInsecureTransport();
            server.MapGet("/open", () => "here").AllowInsecureTransport();
        });
}
