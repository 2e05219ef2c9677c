using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Groups;

/// <summary>Servers in a group and a client that asks it, on a network in memory and in virtual time.</summary>
public sealed class GroupNetworkTests
{
    private static readonly CoapAddress s_group = InMemoryNetwork.Address("[ff02::fd]:5683");
    private readonly VirtualClock _clock = new();

    [Fact]
    [Rfc("7252-8.2-1", "7252-8.2-3", "gc-3.8-1")]
    public async Task A_client_discovers_group_members_by_resource_type_and_sends_a_member_further_requests()
    {
        InMemoryNetwork network = new(_clock,
            new InMemoryNetworkOptions { Conditions = NetworkConditions.Delayed(FromMilliseconds(20)) });
        List<CoapServer> servers = [];
        for (uint i = 1; i <= 6; i++)
        {
            CoapServer server = new(Options(i));
            CoapAddress address = InMemoryNetwork.Address($"[2001:db8::{i}]:5683");
            server.Endpoint.AddTransport(network.CreateTransport(address));
            uint number = i;
            server.MapGet("/t", () => $"{number}").WithResourceType(i % 2 == 0 ? "even" : "odd");
            server.JoinGroups();
            await server.StartAsync();
            network.JoinGroup(address, s_group);
            servers.Add(server);
        }

        await using CoapClient client = new(Options(100));
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("[2001:db8::100]:40000")));
        Task<List<CoapGroupMemberLinks>> discovery =
            CollectAsync(client.DiscoverGroupAsync("coap://[ff02::fd]", "rt=even", FromSeconds(10)));
        _clock.Advance(FromSeconds(11));
        List<CoapGroupMemberLinks> found = await discovery.WaitAsync(FromMinutes(2));
        Assert.Equal(
            ["coap://[2001:db8::2]/.well-known/core", "coap://[2001:db8::4]/.well-known/core", "coap://[2001:db8::6]/.well-known/core"],
            found.Select(links => links.Uri.ToString()).Order());
        Assert.Single(network.Trace, item => item.Kind == NetworkEventKind.Sent && item.Packet!.To.IsMulticast);
        Assert.Equal(3, network.Trace.Count(item => item.Kind == NetworkEventKind.Sent && !item.Packet!.To.IsMulticast));
        TimeSpan[] sent = [
            .. network.Trace.Where(item => item.Kind == NetworkEventKind.Sent && !item.Packet!.To.IsMulticast).Select(item => item.Time)];
        Assert.All(sent, time => Assert.InRange(time, FromMilliseconds(20), FromSeconds(5.1)));
        Assert.Equal(3, sent.Distinct().Count());

        CoapGroupMemberLinks second = found.Single(links => links.Uri.Host == "[2001:db8::2]");
        Task<CoapResponse> further = second.Peer.GetAsync(Assert.Single(second.Links).Target);
        _clock.Advance(FromSeconds(1));
        await further.WaitAsync(FromMinutes(2)).Says("2");
        foreach (CoapServer server in servers)
        {
            await server.DisposeAsync();
        }
    }

    private CoapEndpointOptions Options(ulong seed) => new() { TimeProvider = _clock, Pipeline = { Random = new VirtualRandom(seed) } };

    private static async Task<List<T>> CollectAsync<T>(IAsyncEnumerable<T> answers)
    {
        List<T> all = [];
        await foreach (T answer in answers)
        {
            all.Add(answer);
        }

        return all;
    }
}
