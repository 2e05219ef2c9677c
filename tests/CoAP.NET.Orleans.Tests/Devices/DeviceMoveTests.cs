using CoAP.NET.Orleans.Tests.Silos;

namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>Requests to devices whose slot moves to another silo meanwhile.</summary>
/// <remarks>Real clock: silos have no other.</remarks>
public sealed class DeviceMoveTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_slot_is_handed_over_only_after_a_request_in_progress_to_its_device(int asking)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using SiloSite site = await SiloSite.StartAsync(2, 0);
        (SiloDevice device, SiloNode node) = await ConnectAsync(site);
        CoapCluster asker = (asking == 0 ? node : Other(site, node)).Cluster;
        Task<CoapResponse> asked = asker.Devices[device.Name].PostAsync("/slow", CoapContent.Text("1"));
        await Eventually.IsTrueAsync(() => device.Asked == 1);

        // It is acknowledged soon, and answered when the slots are on their way.
        Task leaving = node.Cluster.LeaveAsync();
        await Eventually.IsTrueAsync(() => node.Cluster.GetNodeCounters().Moving > 0);
        Assert.False(leaving.IsCompleted);
        device.Answer.SetResult();

        await asked.Says(device.Name);
        await leaving;
        Assert.Equal(1, device.Asked);
        await GoOnAsync(site, device, node);
        await asker.Devices[device.Name].GetAsync("/slow").Says(device.Name);
        Assert.Equal((1, 2), (device.Sessions, device.Asked));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task The_next_node_repeats_an_unanswered_safe_request_and_an_unsafe_request_has_an_unknown_outcome(int asking)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using SiloSite site = await SiloSite.StartAsync(2, 0, release: FromMilliseconds(100));
        (SiloDevice device, SiloNode node) = await ConnectAsync(site);
        CoapCluster asker = (asking == 0 ? node : Other(site, node)).Cluster;
        Task<CoapResponse> safe = asker.Devices[device.Name].GetAsync("/slow");
        await Eventually.IsTrueAsync(() => device.Asked == 1);
        Task<CoapResponse> unsafely = asker.Devices[device.Name].PostAsync("/slow", CoapContent.Text("1"));
        await Eventually.IsTrueAsync(() => device.Asked == 2);
        await node.Cluster.LeaveAsync();

        CoapDeviceException error = await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () => unsafely);
        Assert.True(error.IsOutcomeUnknown);
        await GoOnAsync(site, device, node);
        await Eventually.IsTrueAsync(() => device.Asked == 3);
        device.Answer.SetResult();
        await safe.Says(device.Name);
        Assert.Equal((1, 3), (device.Sessions, device.Asked));
    }

    private static async Task<(SiloDevice Device, SiloNode Node)> ConnectAsync(SiloSite site)
    {
        SiloDevice device = await site.AddServingDeviceAsync();
        SiloNode node = site.Silos.Single(one => one.Cluster.Devices.GetLocal().Count > 0);
        return (device, node);
    }

    // A balancer lets nothing through of a node that the device has sent nothing to.
    private static async Task GoOnAsync(SiloSite site, SiloDevice device, SiloNode left)
    {
        site.Remove(left);
        await device.SpeakAsync(site.Uri("who")).Says(device.Name);
    }

    private static SiloNode Other(SiloSite site, SiloNode node) => site.Silos.Single(one => one != node);
}
