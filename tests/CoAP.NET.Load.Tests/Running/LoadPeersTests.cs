using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.Running;

public sealed class LoadPeersTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Theory]
    [InlineData("coap://127.0.0.1:0")]
    [InlineData("coap://[::1]:0")]
    public async Task A_peer_changes_its_port_before_its_Message_IDs_are_exhausted(string listen)
    {
        const int MessagesForEachPort = 12;
        await using TestServer server = await TestServer.StartAsync(listen);
        await using LoadPeers peers = await LoadPeers.OpenAsync(new LoadPlan { Uri = server.Uri + "/hello", Peers = 2 },
            MessagesForEachPort, CancellationToken.None);
        Assert.Equal(2, peers.Count);
        for (int peer = 0; peer < 2; peer++)
        {
            CoapRequest request = peers[peer].NewRequest();
            while (PortsOf(server, peer, peers).Count() < 4)
            {
                await peers[peer].Take().SendAsync(request).WaitAsync(s_hang);
            }

            // Opening the next one takes a moment, in which the old one is still used; the last one has just begun.
            Assert.All(PortsOf(server, peer, peers).Where(port => port.Value > 1),
                port => Assert.InRange(port.Value, MessagesForEachPort - 1, 64_512), throwIfEmpty: true);
        }
    }

    [Fact]
    public async Task Peers_with_source_addresses_share_a_client_and_other_peers_have_separate_clients()
    {
        await using LoadPeers shared = await LoadPeers.OpenAsync(
            new LoadPlan { Uri = "coap://127.0.0.1/x", Peers = 3, FirstSource = "127.1.0.1" }, CancellationToken.None);
        Assert.Equal((shared[0].Client, shared[0].Client), (shared[1].Client, shared[2].Client));
        Assert.Equal(["127.1.0.1", "127.1.0.2", "127.1.0.3"],
            Enumerable.Range(0, 3).Select(i => shared[i].NewRequest().LocalAddress!.ToString()));
        await using LoadPeers own = await LoadPeers.OpenAsync(new LoadPlan { Uri = "coap://[::1]/x", Peers = 3 }, CancellationToken.None);
        Assert.Equal(3, Enumerable.Range(0, 3).Select(i => own[i].Client).Distinct().Count());
        Assert.Null(own[0].NewRequest().LocalAddress);
    }

    [Fact]
    public async Task Blocks_count_as_messages()
    {
        await using LoadPeers peers = await LoadPeers.OpenAsync(
            new LoadPlan { Uri = "coap://127.0.0.1/x", Peers = 1, Method = "PUT", PayloadBytes = 2500 }, CancellationToken.None);
        Assert.Equal([2, 2, 2, 3], new[] { 0, 1, 1024, 1025 }.Select(peers.Shape.FurtherMessages).Select(count => (int)count));
    }

    [Fact]
    public async Task A_request_matches_the_plan()
    {
        LoadPlan plan = new()
        {
            Uri = "coap://127.0.0.1/x",
            Peers = 1,
            Method = "0.05",
            Payload = "what?",
            Confirmable = false,
            TimeoutSeconds = 7
        };
        await using LoadPeers peers = await LoadPeers.OpenAsync(plan, CancellationToken.None);
        CoapRequest request = peers[0].NewRequest();
        Assert.Equal((CoapMethod.Fetch, plan.Uri, false, FromSeconds(7)),
            (request.Method, request.Uri?.ToString(), request.Confirmable, request.Timeout));
        Assert.Equal("what?", request.GetText());
    }

    // The peers of addresses differ by these, and ask one after the other where they have none.
    private static IEnumerable<KeyValuePair<CoapAddress, int>> PortsOf(TestServer server, int peer, LoadPeers peers) =>
        peers[peer].Source is { } source
            ? server.Peers.Where(port => port.Key.ToIPAddress().Equals(source))
            : server.Peers.OrderBy(port => port.Value).Skip(4 * peer);
}
