namespace CoAP.NET.Tests.Transports.Sessions;

// Transports of schemes that others know how to make.
public class SessionSchemeTests : SessionTest
{
    [Fact]
    public void Listen_on_coaps_without_a_factory_names_ListenSecure()
    {
        ArgumentException error = Assert.Throws<ArgumentException>(() => { Endpoint.Listen("coaps://[::]:0"); });
        error.Mentions("ListenSecure");
    }

    [Fact]
    public async Task A_request_to_coaps_without_a_factory_names_UsePsk()
    {
        Endpoint.Listen("coap://127.0.0.1:0");
        await Server.StartAsync();
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Endpoint.GetAsync(Target)));
        error.Mentions("UsePsk");
    }

    [Fact]
    public async Task A_factory_creates_the_listening_transport_and_requests_reuse_the_transport()
    {
        Factory factory = new() { Make = () => Sessions };
        Options.Transports.Factories.Add(factory);
        AnswerAll();
        Endpoint.Listen("coaps://127.0.0.1:7001");
        Assert.Equal(1, factory.Checks);
        await Server.StartAsync();

        CoapUdpTransportOptions options = Assert.Single(factory.Asked);
        Assert.Equal("127.0.0.1:7001", Assert.Single(options.Endpoints).ToString());
        Assert.True(options.IsServer);
        await Within(Endpoint.GetAsync(Target));
        Assert.Single(Sessions.OpenedByUs);
        Assert.Single(factory.Asked);
        Ask(Sessions.Accept(Peer), "40000001");
    }

    [Fact]
    public async Task One_transport_listens_on_all_addresses_of_a_scheme()
    {
        Factory factory = new() { Make = () => Sessions };
        Options.Transports.Factories.Add(factory);
        Endpoint.Listen("coaps://127.0.0.1:7001").Listen("coap://127.0.0.1:0").Listen("coap://127.0.0.1:0");
        Endpoint.Listen("coaps://127.0.0.2:7002");
        await Server.StartAsync();

        Assert.Equal(["127.0.0.1:7001", "127.0.0.2:7002"],
            Assert.Single(factory.Asked).Endpoints.Select(static endpoint => endpoint.ToString()));
        Assert.Equal(2, Endpoint.LocalEndpoints.Count(static uri => uri.Scheme == "coap"));
    }

    [Fact]
    public async Task A_factory_creates_a_transport_without_addresses_for_requests()
    {
        Factory factory = new() { Make = () => Sessions };
        Options.Transports.Factories.Add(factory);
        AnswerAll();
        Endpoint.Listen("coap://127.0.0.1:0");
        await Server.StartAsync();
        Assert.Empty(factory.Asked);
        await Within(Endpoint.GetAsync(Target));
        CoapUdpTransportOptions options = Assert.Single(factory.Asked);
        Assert.Empty(options.Endpoints);
        Assert.False(options.IsServer);
        Assert.Equal(0, factory.Checks);
        await Server.DisposeAsync();
        Assert.True(Sessions.IsDisposed);
    }

    [Fact]
    public void An_address_that_the_transport_factory_cannot_listen_on_is_refused_at_once()
    {
        Options.Transports.Factories.Add(new Factory { Make = () => Sessions, Missing = "a certificate" });
        ArgumentException error = Assert.Throws<ArgumentException>(() => { Endpoint.Listen("coaps://127.0.0.1:7001"); });
        Assert.Equal("a certificate", error.Message);
    }

    private sealed class Factory : ICoapTransportFactory
    {
        public required Func<CoapTransport> Make { get; init; }

        public string? Missing { get; init; }

        public int Checks { get; private set; }

        public List<CoapUdpTransportOptions> Asked { get; } = [];

        public string Scheme => "coaps";

        public int DefaultPort => 5684;

        public bool IsSecure => true;

        public void ThrowIfCannotListen()
        {
            Checks++;
            if (Missing is { } missing)
            {
                throw new ArgumentException(missing);
            }
        }

        public CoapTransport Create(CoapUdpTransportOptions sockets)
        {
            Asked.Add(sockets);
            return Make();
        }
    }
}
