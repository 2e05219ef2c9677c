using System.Text;
using CoAP.NET.Cluster.Tests.Steering;
using CoAP.NET.Dtls;
using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>A resource that is observed at all devices of several nodes with real sockets, while slots move.</summary>
/// <remarks>Real clock: a node that dies is missed when its lease is over, and its sockets are real.</remarks>
public sealed class FleetSiteTests
{
    private const int Devices = 6;

    [Fact]
    public async Task Devices_that_are_handed_over_hear_nothing_of_it_and_no_state_is_lost()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        await using Site site = await Site.StartAsync(3, 0);
        List<SiteDevice> devices = await AddDevicesAsync(site);
        await using FleetReader reader = new(site.Nodes[2].Cluster.Devices, SiteDevice.Path);
        await UntilToldAsync(site, reader, devices);
        for (int i = 0; i < 2; i++)
        {
            SiteNode old = site.Nodes[0];
            Task leaving = old.Cluster.LeaveAsync();
            while (!leaving.IsCompleted)
            {
                devices.ForEach(static device => device.Change());
                await Task.WhenAny(leaving, UntilToldAsync(site, reader, devices));
            }

            await leaving;
            devices.ForEach(static device => device.Change());
            await UntilToldAsync(site, reader, devices);
            site.Nodes.RemoveAt(0);
            site.Use();
            await old.DisposeAsync();
            await site.AddAsync();
            await site.FairAsync();
            devices.ForEach(static device => device.Change());
            await UntilToldAsync(site, reader, devices);
        }

        AssertUndisturbed(reader, devices);
    }

    [Fact]
    public async Task What_a_node_has_acknowledged_when_it_hands_a_device_over_is_told_also_where_it_is_known_after_that()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        await using Site site = await Site.StartAsync(2, 0);
        List<SiteDevice> devices = [await site.AddServingDeviceAsync()];
        SiteNode old = site.Nodes.Single(static node => node.Cluster.Devices.GetLocal().Count > 0);
        await using FleetReader reader = new(site.Nodes.Single(node => node != old).Cluster.Devices, SiteDevice.Path);
        await UntilToldAsync(site, reader, devices);
        CoapPeer peer = Assert.Single(old.Server.Endpoint.ConnectedPeers);
        WatchedResource resource = WatchedResource.Of(SiteDevice.Path, null);
        DeviceWatch watch = ((ClusterDevices)old.Cluster.Devices).Watches.Join(resource, new WatchReader());
        await old.Cluster.LeaveAsync();
        await Eventually.IsTrueAsync(() => watch.Count == 0);

        watch.OnNotification(Notification("late"));
        await Eventually.IsTrueAsync(() => reader.LastOf(devices[0].Name) == "late");
        site.Nodes.Remove(old);
        site.Use();
        devices[0].Change();
        await UntilToldAsync(site, reader, devices);
        watch.OnNotification(Notification("too late"));
        devices[0].Change();
        await UntilToldAsync(site, reader, devices);

        Assert.Equal(["Came", "0", "late", "1", "2"], reader.Of(devices[0].Name));

        CoapObservedNotification Notification(string state)
        {
            CoapMessage message = new(CoapCode.Content) { Payload = Encoding.UTF8.GetBytes(state) };
            message.Options.Observe = 1;
            return new CoapObservedNotification(resource.Name, peer, CoapResponse.FromMessage(message));
        }
    }

    [Fact]
    public async Task When_a_node_dies_its_devices_are_observed_by_others_without_a_registration_and_the_newest_state_is_told()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        await using Site site = await Site.StartAsync(3, 0);
        List<SiteDevice> devices = await AddDevicesAsync(site);
        await using FleetReader reader = new(site.Nodes[0].Cluster.Devices, SiteDevice.Path);
        await UntilToldAsync(site, reader, devices);
        SiteNode dead = site.Nodes[1];
        await Task.WhenAll(site.Nodes.Select(static node => node.Cluster.Writer.FlushAsync()));
        site.Nodes.RemoveAt(1);
        site.Use();

        // What they say from now on may reach it, and nobody else.
        devices.ForEach(static device => device.Change());
        await dead.Store.CutAsync();
        await site.FairAsync();
        await UntilToldAsync(site, reader, devices);
        devices.ForEach(static device => device.Change());
        await UntilToldAsync(site, reader, devices);

        AssertUndisturbed(reader, devices);
    }

    private static async Task<List<SiteDevice>> AddDevicesAsync(Site site)
    {
        List<SiteDevice> devices = [];
        for (int i = 0; i < Devices; i++)
        {
            devices.Add(await site.AddServingDeviceAsync());
            site.Balancer.Forget();
        }

        return devices;
    }

    private static async Task UntilToldAsync(Site site, FleetReader reader, List<SiteDevice> devices)
    {
        if (!await Eventually.IsTrueOrHangsAsync(() => devices.All(device => reader.LastOf(device.Name) == device.State)))
        {
            IEnumerable<string> heard = devices.Select(device => $"{device.Describe()}, heard: {string.Join(" ", reader.Of(device.Name))}");
            Assert.Fail($"The newest states were not told.\n{string.Join("\n", heard)}\n{site.Describe()}");
        }
    }

    private static void AssertUndisturbed(FleetReader reader, List<SiteDevice> devices)
    {
        Assert.All(devices, static device => Assert.Equal((1, 1, 1), (device.Registrations, device.Observers, device.Sessions)));
        Assert.Equal(Devices, reader.All.Count(static one => one.Kind == CoapDeviceNotificationKind.Came));
        Assert.DoesNotContain(reader.All, static one => one.Kind is CoapDeviceNotificationKind.Went or CoapDeviceNotificationKind.Refused);
    }
}
