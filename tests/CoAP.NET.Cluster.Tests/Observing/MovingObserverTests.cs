namespace CoAP.NET.Cluster.Tests.Observing;

/// <summary>Observers whose session moves from a node that leaves to another one.</summary>
public sealed class MovingObserverTests
{
    [Fact]
    public async Task An_observer_moves_with_its_session_and_gets_notifications_at_the_other_node_without_reregistering()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        await using Site site = await Site.StartAsync(nodes: 2, devices: 1);
        SiteNode from = site.Nodes.Single(node => node.Sessions == 1);
        SiteNode to = site.Nodes.Single(node => node != from);
        string state = "at the node that leaves";
        from.Server.MapGet("/state", () => CoapResults.Text(Volatile.Read(ref state))).Observable();
        to.Server.MapGet("/state", () => CoapResults.Text(Volatile.Read(ref state))).Observable();
        CoapClient device = site.Devices[0];
        await using CoapObservation observation = await device.ObserveAsync(site.Uri("state"));
        await using IAsyncEnumerator<CoapResponse> told = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await told.MoveNextAsync());
        Assert.Equal((1, 0), (from.Server.ObserverCount, to.Server.ObserverCount));

        // The balancer lets a node through to whom the device has spoken there.
        site.Balancer.Use(to.Address);
        await site.AskAsync(device);
        Volatile.Write(ref state, "while nobody looked");
        await from.Cluster.LeaveAsync();
        await HearAsync(told, "while nobody looked");
        await Eventually.IsTrueAsync(() => to.Cluster.GetObserverCounters().Restored == 1);
        Assert.Equal((0, 1), (from.Server.ObserverCount, to.Server.ObserverCount));

        Volatile.Write(ref state, "at the node that has it now");
        Assert.Equal(1, to.Server.Notify("/state"));
        await HearAsync(told, "at the node that has it now");

        Assert.Equal(0, to.Server.Counters[CoapCounter.Registrations]);
        Assert.Equal(0, device.Endpoint.Counters[CoapCounter.Reregistrations]);
        site.AssertNobodyShookHandsAgain();
    }

    private static async Task HearAsync(IAsyncEnumerator<CoapResponse> told, string state)
    {
        do
        {
            Assert.True(await told.MoveNextAsync());
        }
        while (told.Current.GetText() != state);
    }
}
