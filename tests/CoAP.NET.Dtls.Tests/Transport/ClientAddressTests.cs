namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Clients that leave from an address of their own: all of 127.0.0.0/8 is ours.</summary>
public sealed class ClientAddressTests
{
    private static readonly string[] s_names = ["one.example", "two.example", "three.example"];
    private static readonly IPAddress s_own = IPAddress.Parse("127.3.0.5");

    [Fact]
    public async Task Further_sessions_are_opened_from_the_configured_client_address()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        secure.Server.MapGet("/from", request => CoapResults.Text($"{request.Peer.Address}"));
        await using CoapClient client = Client(s_own, out _, options =>
            options.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]));
        List<IPEndPoint> from = [];
        foreach (string name in s_names)
        {
            from.Add(IPEndPoint.Parse((await client.GetAsync($"coaps://{name}:{secure.Endpoint.Port}/from")).GetText()));
        }

        Assert.All(from, endpoint => Assert.Equal(s_own, endpoint.Address));
        Assert.Equal(s_names.Length, from.Distinct().Count());
    }

    [Fact]
    public async Task A_server_that_uses_coaps_for_requests_only_still_serves_its_routes_over_coap()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        server.Endpoint.AddTransport(new CoapDtlsTransport(Requesting(), At(s_own)));
        server.MapGet("/forwarded", async (_, cancellationToken) =>
            CoapResults.Text((await server.Endpoint.GetAsync($"{secure.Host}/hello", cancellationToken)).GetText()));
        await server.StartAsync();
        await using CoapClient client = new();

        CoapResponse response = await client.GetAsync(Assert.Single(server.LocalEndpoints).Resolve("/forwarded"));

        Assert.Equal((CoapCode.Content, "hello"), (response.Code, response.GetText()));
    }

    [Fact]
    public void A_DTLS_transport_for_a_server_requires_server_credentials()
    {
        CoapUdpTransportOptions sockets = At(s_own);
        sockets.IsServer = true;

        ArgumentException exception = Assert.Throws<ArgumentException>(() => new CoapDtlsTransport(Requesting(), sockets));

        Assert.Contains("CoapDtlsOptions.Server", exception.Message, Ordinal);
    }

    private static CoapClient Client(IPAddress address, out CoapDtlsTransport transport, Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = new();
        configure?.Invoke(options);
        CoapClient client = new(options);
        transport = new CoapDtlsTransport(Requesting(), At(address));
        client.Endpoint.AddTransport(transport);
        return client;
    }

    private static CoapDtlsOptions Requesting() => new()
    {
        Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(SecureEndpoints.Identity, SecureEndpoints.Key) },
        HandshakeTimeout = FromMinutes(1),
    };

    private static CoapUdpTransportOptions At(IPAddress address) => new() { Endpoints = { new IPEndPoint(address, 0) } };
}
