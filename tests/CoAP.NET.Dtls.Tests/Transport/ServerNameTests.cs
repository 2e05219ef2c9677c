using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Several servers by name at one address and port, as behind one host.</summary>
public sealed class ServerNameTests
{
    private static readonly string[] s_names = ["one.example", "two.example", "three.example"];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Servers_with_different_names_at_the_same_address_keep_separate_sessions(bool withCids)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = Client(secure, withCids);
        for (int round = 0; round < 3; round++)
        {
            foreach (string name in s_names)
            {
                await client.GetAsync($"coaps://{name}:{secure.Endpoint.Port}/hello").Says("hello");
            }

            await client.GetAsync($"{secure.Host}/hello").Says("hello");
        }

        Assert.Equal(s_names.Length + 1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.ConnectionsClosed]);
        Assert.Equal(s_names.Length + 1, client.Endpoint.ConnectedPeers.Count);
        Assert.Equal(s_names.Length + 1, secure.Server.Endpoint.ConnectedPeers.Count);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.RequestsRepeated]);
    }

    [Fact]
    public async Task Names_requested_concurrently_get_separate_sessions()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = Client(secure, withCids: true);

        CoapResponse[] responses = await Task.WhenAll(
            Enumerable.Range(0, 40).Select(i => client.GetAsync($"coaps://name{i % 8}.example:{secure.Endpoint.Port}/hello")));

        Assert.All(responses, response => Assert.Equal("hello", response.GetText()));
        Assert.Equal(8, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.ConnectionsClosed]);
        Assert.Equal(8, secure.Server.Endpoint.ConnectedPeers.Count);
    }

    [Fact]
    public async Task The_number_of_server_names_per_address_is_limited_and_a_released_session_frees_its_name()
    {
        const int most = 32;
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = Client(secure, withCids: true);
        for (int i = 0; i < most; i++)
        {
            await client.GetAsync($"coaps://name{i}.example:{secure.Endpoint.Port}/hello");
        }

        CoapConnectionException full =
            await Assert.ThrowsAsync<CoapConnectionException>(() => client.GetAsync($"coaps://more.example:{secure.Endpoint.Port}/hello"));
        Assert.Equal(CoapError.ConnectFailed, full.Error);
        Assert.Contains("other names", full.Message, Ordinal);
        Assert.Equal(most, client.Endpoint.ConnectedPeers.Count);

        await client.Endpoint.ConnectedPeers[3].ReleaseAsync();
        await client.GetAsync($"coaps://further.example:{secure.Endpoint.Port}/hello").Says("hello");
        Assert.Equal(most, client.Endpoint.ConnectedPeers.Count);
    }

    [Fact]
    public Task A_disposed_client_releases_the_port_of_each_server_name() => Eventually.BindsAgainAsync(BindAfterClientAsync);

    private static async Task BindAfterClientAsync()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = Client(secure, withCids: true);
        foreach (string name in s_names)
        {
            await client.GetAsync($"coaps://{name}:{secure.Endpoint.Port}/hello");
        }

        int[] ports = [.. secure.Server.Endpoint.ConnectedPeers.Select(peer => (int)peer.Address.Port).Distinct()];
        Assert.Equal(s_names.Length, ports.Length);

        await client.Endpoint.DisposeAsync();

        foreach (int port in ports)
        {
            await using CoapServer next = new();
            next.Listen($"coap://127.0.0.1:{port}");
            await next.StartAsync();
        }
    }

    private static CoapClient Client(SecureEndpoints secure, bool withCids) => secure.Client(
        configure: dtls => dtls.UseConnectionIds = withCids,
        endpoint: options => options.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]));
}
