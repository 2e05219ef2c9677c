using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Observing;

/// <summary>Observers whose session moves from a node that leaves to another one.</summary>
public sealed class MovingObserverTests
{
    [Fact]
    public async Task An_observer_moves_with_its_session_and_gets_notifications_at_the_other_node_without_reregistering()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
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

    [Fact]
    public async Task Two_observers_whose_sessions_move_are_notified_of_their_own_states_only()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(nodes: 2, devices: 2);
        string state = "before";
        foreach (SiteNode node in site.Nodes)
        {
            node.Server.MapGet("/own", request => CoapResults.Text($"{Volatile.Read(ref state)} of {request.Peer.Id}")).Observable();
        }

        ConcurrentQueue<string>[] heard = [[], []];
        CoapObservation[] observations = await Task.WhenAll(site.Devices.Select((device, i) => device.ObserveAsync(
            new CoapRequest(CoapMethod.Get, site.Uri("own")), response => heard[i].Enqueue(response.GetText()))));
        SiteNode from = site.Nodes.First(node => node.Sessions > 0);
        SiteNode to = site.Nodes.Single(node => node != from);
        site.Balancer.Use(to.Address);
        foreach (CoapClient device in site.Devices)
        {
            await site.AskAsync(device);
        }

        await from.Cluster.LeaveAsync();
        await Eventually.IsTrueAsync(() => to.Server.ObserverCount == 2);
        foreach (string next in (string[])["one", "two"])
        {
            Volatile.Write(ref state, next);
            to.Server.Notify("/own");
            await Eventually.IsTrueAsync(
                () => observations.Index().All(each => each.Item.Latest!.GetText() == $"{next} of psk:device-{each.Index}"));
        }

        for (int i = 0; i < 2; i++)
        {
            Assert.All(heard[i], text => Assert.EndsWith($" of psk:device-{i}", text, Ordinal));
            await observations[i].DisposeAsync();
        }
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
