using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Oscore;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Oscore;

/// <summary>Requests under OSCORE that arrive at a node without their context.</summary>
/// <remarks>Real clock: the sockets are real.</remarks>
public sealed class ContextRelayTests
{
    private const int Devices = 6;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_node_accepts_requests_of_every_context_and_the_owner_of_the_context_serves_them(bool sprays)
    {
        await using ContextSite site = await ContextSite.StartAsync(3, Devices);
        site.Balancer.Sprays = sprays;

        await Task.WhenAll(Enumerable.Range(0, Devices).Select(async device =>
        {
            for (int i = 0; i < 12; i++)
            {
                await site.CountAsync(device, $"{device}-{i}");
                if (i == 5)
                {
                    site.Balancer.Forget();
                }
            }
        }));

        Assert.Equal(12 * Devices, site.Served.Count);
        Assert.Equal(12 * Devices, site.Served.Select(served => served.Name).Distinct().Count());
        Assert.All(site.Served, served => Assert.Same(site.OwnerOf(served.Name[0] - '0'), served.Node));
        Assert.True(site.Nodes.Sum(node => node.Cluster.GetNodeCounters().RelaysReceived) > 0);
    }

    [Fact]
    public async Task Copies_of_a_request_at_other_nodes_are_duplicates_and_not_replays()
    {
        await using ContextSite site = await ContextSite.StartAsync(3, 1);
        ContextSite.Node owner = site.OwnerOf(0);

        // Each node knows its context, and the balancer lets answers of each pass.
        site.Balancer.Sprays = true;
        for (int i = 0; i < 2 * site.Nodes.Count; i++)
        {
            await site.CountAsync(0, "before");
        }

        site.Balancer.Sprays = false;
        site.Served.Clear();
        long before = owner.Server.Endpoint.Counters[CoapCounter.Duplicates];
        site.Balancer.Use(site.Nodes[0].Address);
        site.Balancer.Keep(site.Nodes[0].Address);
        Task counted = site.CountAsync(0, "once");
        await Eventually.IsTrueAsync(() => site.Balancer.KeptCount > 0);
        site.Use();
        foreach (ContextSite.Node node in site.Nodes)
        {
            site.Balancer.Keep(node.Address);
            site.Balancer.Release();
        }

        await counted;
        await Eventually.IsTrueAsync(() => owner.Server.Endpoint.Counters[CoapCounter.Duplicates] >= before + 2);
        Assert.Equal([("once", owner)], site.Served);
    }

    [Fact]
    public async Task A_request_that_was_acknowledged_during_a_slow_lookup_gets_a_separate_response()
    {
        await using ContextSite site = await ContextSite.StartAsync(2, 1);
        ContextSite.Node other = site.Nodes.Single(node => node != site.OwnerOf(0));
        site.Balancer.Use(other.Address);
        TaskCompletionSource found = new(RunContinuationsAsynchronously);
        site.BeforeLookup = () => found.Task;
        Task counted = site.CountAsync(0, "once");
        await Eventually.IsTrueAsync(() => other.Server.Endpoint.Counters[CoapCounter.DatagramsSent] > 0);
        found.SetResult();

        await counted;
        Assert.Equal([("once", site.OwnerOf(0))], site.Served);
    }

    [Fact]
    public async Task An_observer_at_a_node_without_its_context_gets_each_notification_and_acknowledges_it_there()
    {
        await using ContextSite site = await ContextSite.StartAsync(3, 1);
        ContextSite.Node owner = site.OwnerOf(0);
        site.Balancer.Use(site.Nodes.First(node => node != owner).Address);
        await using CoapObservation state = await site.Devices[0].ObserveAsync(site.Uri("state"));
        await using IAsyncEnumerator<CoapResponse> responses = state.ReadAllAsync().GetAsyncEnumerator();
        for (int i = 0; i < 30; i++)
        {
            do
            {
                Assert.True(await responses.MoveNextAsync());
            }
            while (responses.Current.GetText() != owner.Text);

            owner.Text = $"{i + 1}";
            owner.State.Notify();
        }

        // Confirmable ones are among them: without acknowledgements the owner would wait for some 93 s, and then end the observation.
        await Eventually.IsTrueAsync(() => owner.Server.Endpoint.GetSnapshot().Shards.Sum(static shard => shard.Outstanding) == 0
            && owner.State.ObserverCount == 1);
    }

    [Fact]
    public async Task The_contexts_of_a_dead_node_move_to_another_node_that_serves_no_replayed_request()
    {
        await using ContextSite site = await ContextSite.StartAsync(3, 1);
        ContextSite.Node dead = site.OwnerOf(0);
        site.Balancer.Use(dead.Address);
        site.Balancer.Keep(dead.Address);
        Task before = site.CountAsync(0, "before");
        await Eventually.IsTrueAsync(() => site.Balancer.KeptCount > 0);
        site.Balancer.Release();
        await before;
        site.Balancer.Keep(null);

        site.Hub.Kill(dead.Cluster.Self.Id);
        await dead.Store.CutAsync();
        site.Nodes.Remove(dead);
        site.Use();
        await site.FairAsync();
        await site.CountAsync(0, "after");
        foreach (ContextSite.Node node in site.Nodes)
        {
            site.Balancer.Keep(node.Address);
            Assert.NotEqual(0, site.Balancer.Release());
        }

        site.Balancer.Keep(null);
        await site.CountAsync(0, "later");

        Assert.Equal(["before", "after", "later"], site.Served.Select(served => served.Name));
        Assert.Same(site.OwnerOf(0), site.Served.Last().Node);
    }

    [Fact]
    public async Task A_node_that_lost_the_slot_of_a_context_no_longer_serves_its_requests()
    {
        await using ContextSite site = await ContextSite.StartAsync(2, 1);
        ContextSite.Node first = site.OwnerOf(0);
        ContextSite.Node second = site.Nodes.Single(node => node != first);
        site.Balancer.Use(first.Address);
        await site.CountAsync(0, "0");

        await first.Cluster.LeaveAsync();
        site.Balancer.Keep(first.Address);
        Task moved = site.CountAsync(0, "1");
        while (!moved.IsCompleted)
        {
            // The challenge of the new owner makes it a second message.
            int kept = site.Balancer.KeptCount;
            site.Balancer.Release();
            await Task.WhenAny(moved, Eventually.IsTrueAsync(() => site.Balancer.KeptCount > kept));
        }

        await moved;
        Assert.Equal(1, first.Cluster.Contexts.FlowCount);
        site.Balancer.Release();
        site.Balancer.Keep(null);
        await site.CountAsync(0, "2");

        Assert.Equal([("0", first), ("1", second), ("2", second)], site.Served);
    }

    [Fact]
    public async Task A_node_that_was_suspended_does_not_serve_requests_that_another_node_served_meanwhile()
    {
        SleepingTime time = new();
        await using ContextSite site = await ContextSite.StartAsync(2, Devices, time);
        ContextSite.Node sleeper = site.Nodes[1];
        int device = Enumerable.Range(0, Devices).First(i => site.OwnerOf(i) == sleeper);
        site.Balancer.Use(sleeper.Address);
        await site.CountAsync(device, "before");

        // It stands still with a request in its socket; the other node gets its slots, and serves a copy.
        sleeper.Store.Sleep();
        site.Balancer.Keep(sleeper.Address);
        Task counted = site.CountAsync(device, "once");
        await Eventually.IsTrueAsync(() => site.Balancer.KeptCount > 0);
        site.Hub.Kill(sleeper.Cluster.Self.Id);
        site.Nodes.Remove(sleeper);
        await site.FairAsync();
        site.Use();
        await counted;

        // It continues: what is in its socket comes before any timer.
        time.Sleep(ContextSite.Lease * 0.7);
        Assert.NotEqual(0, site.Balancer.Release());
        await using CoapClient after = new();
        await after.GetAsync($"coap://{sleeper.Address}/plain").Says("plain");
        Assert.Equal(["before", "once"], site.Served.Select(served => served.Name));
        sleeper.Store.Wake();
    }

    [Fact]
    public void Clients_of_a_source_do_not_evict_clients_of_other_sources()
    {
        NodeHub hub = new();
        CoapCluster cluster = hub.Make(new CoapMemoryCluster().Open(), ClusterTests.Options());
        using OscoreSteering steering =
            new(cluster, cluster.Contexts, new ClusterDatagramRelay(cluster.Self.Id, cluster.Peers), [], TimeProvider.System);
        CoapUdpTransport transport = new(new CoapUdpTransportOptions());
        for (uint i = 0; i < 10; i++)
        {
            steering.Add(new RelayedOscoreClient(CoapAddress.FromIPv4(0x0A000000 + (i << 16), 5683), transport));
        }

        for (ushort port = 1; port < ushort.MaxValue; port++)
        {
            steering.Add(new RelayedOscoreClient(CoapAddress.FromIPv4(0x7F000001, port), transport));
            steering.Add(new RelayedOscoreClient(CoapAddress.FromIPv4(0x7F000002, port), transport));
        }

        Assert.Equal(OscoreSteering.MaxFlows, steering.FlowCount);
        for (uint i = 0; i < 10; i++)
        {
            Assert.True(steering.Knows(CoapAddress.FromIPv4(0x0A000000 + (i << 16), 5683)));
        }
    }
}
