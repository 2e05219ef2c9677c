using System.Net;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Requests that leave from an address of this host that the user names, over real sockets: all of 127.0.0.0/8 is ours.</summary>
public sealed class LocalAddressTests : IAsyncLifetime
{
    private readonly CoapServer _server = new();
    private string _udp = null!;
    private string _tcp = null!;

    public async ValueTask InitializeAsync()
    {
        _server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
        _server.MapGet("/me", static request => CoapResults.Text(request.Peer.Address.ToString()));
        _server.MapGet("/state", static request => CoapResults.Text(request.Peer.Address.ToIPAddress().ToString())).Observable();
        await _server.StartAsync();
        _udp = _server.LocalEndpoints.Single(static uri => uri.Scheme == "coap").Origin();
        _tcp = _server.LocalEndpoints.Single(static uri => uri.Scheme == "coap+tcp").Origin();
    }

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public async Task A_client_with_many_local_addresses_is_many_peers_over_a_single_port()
    {
        // Nothing is sent twice because the machine is busy: the second response would be one that nobody waits for.
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { AckTimeout = FromMinutes(2) } });
        string[] seen =
            await Task.WhenAll(Enumerable.Range(1, 50).Select(async i => (await AskAsync(client, _udp, $"127.3.0.{i}")).GetText()));
        Assert.Equal(Enumerable.Range(1, 50).Select(static i => $"127.3.0.{i}"), seen.Select(AddressOf));
        Assert.Single(seen.Select(static text => text[text.LastIndexOf(':')..]).Distinct());
        Assert.Equal(seen,
            await Task.WhenAll(Enumerable.Range(1, 50).Select(async i => (await AskAsync(client, _udp, $"127.3.0.{i}")).GetText())));
        Assert.Equal(50, client.Endpoint.Pipelines[0].Channels.Count);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.UnmatchedResponses]);
    }

    [Theory]
    [InlineData(CoapSocketEngine.Auto)]
    [InlineData(CoapSocketEngine.Portable)]
    public async Task A_client_opens_a_TCP_connection_for_each_of_its_local_addresses(CoapSocketEngine engine)
    {
        await using CoapClient client = new(new CoapEndpointOptions { Transports = { TcpEngine = engine } });
        string first = (await AskAsync(client, _tcp, "127.3.0.1")).GetText();
        string second = (await AskAsync(client, _tcp, "127.3.0.2")).GetText();
        string none = (await AskAsync(client, _tcp, null)).GetText();
        Assert.Equal(["127.3.0.1", "127.3.0.2", "127.0.0.1"], [AddressOf(first), AddressOf(second), AddressOf(none)]);
        await AskAsync(client, _tcp, "127.3.0.1").Says(first);
        Assert.Equal(3, client.Endpoint.Connections.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_local_address_named_by_the_user_and_the_same_address_chosen_by_the_system_are_one_peer(bool isNamedFirst)
    {
        await using CoapClient client = new();
        string?[] order = isNamedFirst ? ["127.0.0.1", null] : [null, "127.0.0.1"];
        string first = (await AskAsync(client, _udp, order[0])).GetText();
        await AskAsync(client, _udp, "127.3.0.1");
        await AskAsync(client, _udp, order[1]).Says(first);
        await AskAsync(client, _udp, order[0]).Says(first);
        Assert.Equal(2, client.Endpoint.Pipelines[0].Channels.Count);
    }

    [Fact]
    public async Task A_peer_is_the_same_for_requests_received_from_it_and_sent_to_it()
    {
        await using CoapServer other = new();
        other.Listen("coap://0.0.0.0:0");
        other.MapGet("/x", static () => CoapResults.Text("x"));
        await other.StartAsync();
        int port = other.LocalEndpoints[0].Port;
        await using CoapClient asked = new(_server.Endpoint);
        await asked.GetAsync($"coap://127.3.0.9:{port}/x").Says("x");
        await using CoapClient back = new(other.Endpoint);
        await AskAsync(back, _udp, "127.3.0.9").Says($"127.3.0.9:{port}");
        Assert.Equal(1, other.Endpoint.Pipelines.Sum(static pipeline => pipeline.Channels.Count));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Observations_from_different_local_addresses_are_separate(bool overTcp)
    {
        await using CoapClient client = new();
        string uri = (overTcp ? _tcp : _udp) + "/state";
        await using CoapObservation first = await client.ObserveAsync(From(uri, "127.3.0.1"));
        await using CoapObservation second = await client.ObserveAsync(From(uri, "127.3.0.2"));
        await using CoapObservation shared = await client.ObserveAsync(From(uri, "127.3.0.2"));
        Assert.Equal("127.3.0.1", await FirstOf(first));
        Assert.Equal("127.3.0.2", await FirstOf(second));
        Assert.Equal("127.3.0.2", await FirstOf(shared));
        Assert.Equal(2, _server.ObserverCount);
    }

    [Fact]
    public async Task An_error_for_an_unusable_local_address_says_why()
    {
        await using CoapClient client = new();
        CoapException family = await Assert.ThrowsAsync<CoapException>(() => AskAsync(client, _udp, "::1"));
        family.Mentions("IP version");
        CoapException foreign = await Assert.ThrowsAsync<CoapException>(() => AskAsync(client, _udp, "192.0.2.1"));
        foreign.Mentions("this machine does not have the address");
        CoapConnectionException connecting = await Assert.ThrowsAsync<CoapConnectionException>(() => AskAsync(client, _tcp, "192.0.2.1"));
        connecting.Mentions("LocalAddress");
        await using CoapClient bound = new(_server.Endpoint);
        CoapException elsewhere = await Assert.ThrowsAsync<CoapException>(() => AskAsync(bound, _udp, "127.3.0.1"));
        elsewhere.Mentions("bound to 127.0.0.1");
    }

    private static string AddressOf(string endpoint) => endpoint[..endpoint.LastIndexOf(':')];

    private static CoapRequest From(string uri, string? local) =>
        new(CoapMethod.Get, uri) { LocalAddress = local is null ? null : IPAddress.Parse(local) };

    private static Task<CoapResponse> AskAsync(CoapClient client, string server, string? local) =>
        client.SendAsync(From(server + "/me", local)).WaitAsync(FromMinutes(2));

    private static async Task<string> FirstOf(CoapObservation observation)
    {
        await foreach (CoapResponse response in observation.ReadAllAsync())
        {
            return response.GetText();
        }

        return string.Empty;
    }
}
