using CoAP.NET.Cluster.Tests.Steering;
using CoAP.NET.Dtls;
using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>A resource that is observed at all devices of several nodes with real sockets, while slots move.</summary>
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
        await UntilToldAsync(reader, devices);
        for (int i = 0; i < 2; i++)
        {
            SiteNode old = site.Nodes[0];
            Task leaving = old.Cluster.LeaveAsync();
            while (!leaving.IsCompleted)
            {
                devices.ForEach(static device => device.Change());
                await Task.WhenAny(leaving, UntilToldAsync(reader, devices));
            }

            await leaving;
            devices.ForEach(static device => device.Change());
            await UntilToldAsync(reader, devices);
            site.Nodes.RemoveAt(0);
            site.Use();
            await old.DisposeAsync();
            await site.AddAsync();
            await site.FairAsync();
            devices.ForEach(static device => device.Change());
            await UntilToldAsync(reader, devices);
        }

        AssertUndisturbed(reader, devices);
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
        await UntilToldAsync(reader, devices);
        SiteNode dead = site.Nodes[1];
        await Task.WhenAll(site.Nodes.Select(static node => node.Cluster.Writer.FlushAsync()));
        site.Nodes.RemoveAt(1);
        site.Use();

        // What they say from now on may reach it, and nobody else.
        devices.ForEach(static device => device.Change());
        await dead.Store.CutAsync();
        await site.FairAsync();
        await UntilToldAsync(reader, devices);
        devices.ForEach(static device => device.Change());
        await UntilToldAsync(reader, devices);

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

    private static Task UntilToldAsync(FleetReader reader, List<SiteDevice> devices) =>
        Eventually.IsTrueAsync(() => devices.All(device => reader.LastOf(device.Name) == device.State));

    private static void AssertUndisturbed(FleetReader reader, List<SiteDevice> devices)
    {
        Assert.All(devices, static device => Assert.Equal((1, 1, 1), (device.Registrations, device.Observers, device.Sessions)));
        Assert.Equal(Devices, reader.All.Count(static one => one.Kind == CoapDeviceNotificationKind.Came));
        Assert.DoesNotContain(reader.All, static one => one.Kind is CoapDeviceNotificationKind.Went or CoapDeviceNotificationKind.Refused);
    }
}
