namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Several nodes with real sockets behind a balancer, and devices with Connection IDs.</summary>
/// <remarks>Real clock: its sockets are real.</remarks>
public sealed class SiteTests
{
    private const int Devices = 8;

    [Fact]
    public async Task Devices_keep_their_sessions_during_a_rolling_restart()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(3, Devices);
        site.Talk();
        for (int i = 0; i < 3; i++)
        {
            SiteNode old = site.Nodes[0];
            await site.MoreAsync();
            await old.Cluster.LeaveAsync();
            Assert.Empty(old.Cluster.Map.SlotsOf(old.Cluster.Self.Id));
            await site.MoreAsync();
            site.Nodes.RemoveAt(0);
            site.Use();
            await old.DisposeAsync();
            await site.AddAsync();
            await site.FairAsync();
        }

        await site.MoreAsync();
        await site.QuietAsync();

        site.AssertNobodyShookHandsAgain();
        Assert.Equal(0, site.ServedTwice);
    }

    [Fact]
    public async Task Devices_of_a_node_that_dies_continue_at_other_nodes_without_a_handshake()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(3, Devices);
        site.Talk();
        await site.MoreAsync();
        SiteNode dead = site.Nodes[1];
        site.Nodes.RemoveAt(1);
        site.Use();
        site.Hub.Kill(dead.Cluster.Self.Id);
        await dead.Store.CutAsync();
        await site.FairAsync();
        await site.MoreAsync(4 * Devices);
        await site.QuietAsync();

        site.AssertNobodyShookHandsAgain();
        Assert.All(site.Nodes, node => Assert.NotEqual(0, node.Cluster.GetNodeCounters().Taken));
    }

    [Fact]
    public async Task A_node_that_slept_while_others_took_its_slots_yields_the_slots_when_it_wakes()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(3, Devices);
        site.Talk();
        await site.MoreAsync();
        SiteNode sleeper = site.Nodes[1];
        sleeper.Store.Sleep();
        site.Hub.Kill(sleeper.Cluster.Self.Id);
        site.Nodes.RemoveAt(1);
        await site.FairAsync();
        await site.MoreAsync();
        site.Nodes.Add(sleeper);
        site.Hub.Revive(sleeper.Cluster.Self.Id);
        sleeper.Store.Wake();
        await site.FairAsync();
        await site.MoreAsync(4 * Devices);
        await site.QuietAsync();

        site.AssertNobodyShookHandsAgain();
        Assert.NotEqual(0, sleeper.Cluster.GetNodeCounters().Lost);
    }

    [Fact]
    public async Task A_client_that_connects_to_a_leaving_node_is_served_by_another_node()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(2, 2);
        SiteNode leaving = site.Nodes[0];
        await leaving.Cluster.LeaveAsync();
        site.Balancer.Use(leaving.Address);
        CoapClient device = site.AddDevice();
        await site.AskAsync(device);
        await site.AskAsync(device);
        await site.AskAsync(site.Devices[0]);

        site.AssertNobodyShookHandsAgain();
        Assert.Equal(0, leaving.Sessions);
        await Eventually.IsTrueAsync(() => site.Nodes[1].Sessions == 3);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_request_during_the_move_of_its_session_is_served_once_at_whatever_node_it_arrives(int arrivesAt)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(3, 0);
        SiteNode leaving = site.Nodes[0];
        site.Balancer.Use(leaving.Address);
        CoapClient[] devices = [.. Enumerable.Range(0, 4 * Devices).Select(_ => site.AddDevice())];
        await Task.WhenAll(devices.Select(site.AskAsync));
        Assert.Equal(devices.Length, leaving.Sessions);

        // It gives slots away, and nobody has their sessions until the store has heard. They come to it, or by way of another node.
        leaving.Store.HoldWrites();
        Task left = leaving.Cluster.LeaveAsync();
        await Eventually.IsTrueAsync(() => leaving.Sessions < devices.Length);
        site.Balancer.Use(site.Nodes[arrivesAt].Address);
        Task[] asked = [.. devices.Select((device, i) => site.CountAsync(device, $"{i}"))];
        await Eventually.IsTrueAsync(() => leaving.Cluster.GetNodeCounters().DatagramsWaiting > 0);
        leaving.Store.Wake();
        await Task.WhenAll(asked);
        await left;

        Assert.Equal((devices.Length, 0), (site.Served, site.ServedTwice));
        site.AssertNobodyShookHandsAgain();
    }

    [Fact]
    public async Task A_session_is_found_at_whatever_node_a_balancer_chooses_while_slots_move()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(2, Devices);
        site.Balancer.Sprays = true;
        site.Talk();
        await site.MoreAsync();
        await site.AddAsync();
        await site.FairAsync();
        await site.MoreAsync();
        site.Balancer.Sprays = false;
        site.Balancer.Forget();
        await site.MoreAsync();
        await site.QuietAsync();

        site.AssertNobodyShookHandsAgain();
        Assert.Equal(0, site.ServedTwice);
        Assert.True(site.Nodes.Sum(node => node.Cluster.GetNodeCounters().Relayed) > 20);
        Assert.True(site.Nodes.Sum(node => node.Cluster.GetNodeCounters().RelaysReturned) > 20);
    }
}
