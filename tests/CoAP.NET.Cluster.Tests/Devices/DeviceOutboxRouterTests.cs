using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>Outboxes of several nodes, each at the node that owns the slot of the device's name.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DeviceOutboxRouterTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new();
    private readonly NodeHub _hub = new();
    private readonly List<DeviceNode> _nodes = [];

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task A_queued_request_from_any_node_is_sent_although_the_node_of_the_outbox_dies()
    {
        await StartAsync(options => options.MaxQueuedPerDevice = 3);
        TestDevice device = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(device.SpeakAsync(_nodes[0]));
        await _world.RunAsync(_nodes[0].Cluster.Writer.FlushAsync());
        await device.Server.DisposeAsync();
        DeviceNode home = Home(_nodes);
        DeviceNode[] others = [.. _nodes.Where(node => node != home)];
        List<CoapQueuedRequest> queued = [];
        for (int i = 0; i < 3; i++)
        {
            queued.Add(await _world.RunAsync(others[0].Devices[Name].QueueAsync(Put($"{i}"))));
        }

        foreach (DeviceNode node in _nodes)
        {
            Assert.Equal(queued.Select(one => one.Id),
                (await _world.RunAsync(node.Devices[Name].GetQueuedAsync())).Select(one => one.Id));
            CoapDeviceException full = await Assert.ThrowsAsync<CoapDeviceException>(
                () => _world.RunAsync(node.Devices[Name].QueueAsync(Put("more"))));
            Assert.Equal(CoapDeviceFault.Full, full.Fault);
            full.Mentions("MaxQueuedPerDevice");
            Assert.Equal(CoapDeviceFault.Forgotten, (await Assert.ThrowsAsync<CoapDeviceException>(
                () => _world.RunAsync(node.Devices[Name].WaitAsync(Guid.Empty)))).Fault);
        }

        Assert.True(await _world.RunAsync(others[1].Devices[Name].CancelAsync(queued[1].Id)));
        Assert.False(await _world.RunAsync(others[1].Devices[Name].CancelAsync(queued[1].Id)));
        Task<CoapResponse> first = others[0].Devices[Name].WaitAsync(queued[0].Id);
        Task<CoapResponse> last = others[1].Devices[Name].WaitAsync(queued[2].Id);
        await _world.PassAsync(FromMinutes(5));

        _hub.Kill(home.Cluster.Self.Id);
        await _world.RunUntilAsync(() => others.Any(IsHome));
        TestDevice again = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(again.SpeakAsync(Home(others)));

        await _world.RunAsync(first).Says("set 0");
        await _world.RunAsync(last).Says("set 2");
        Assert.Equal(["set 0", "set 2"], again.Done);
        Assert.Equal(CoapDeviceFault.Cancelled, (await Assert.ThrowsAsync<CoapDeviceException>(
            () => _world.RunAsync(others[0].Devices[Name].WaitAsync(queued[1].Id)))).Fault);
    }

    [Fact]
    public async Task A_caller_that_cancels_cancels_its_request_at_the_node_of_the_outbox()
    {
        await StartAsync();
        TestDevice device = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(device.SpeakAsync(_nodes[0]));
        await _world.RunAsync(_nodes[0].Cluster.Writer.FlushAsync());
        await device.Server.DisposeAsync();
        DeviceNode other = _nodes.First(node => !IsHome(node));
        using CancellationTokenSource stop = new();
        Task<CoapResponse> sent = other.Devices[Name].SendAsync(Put("1"), new CoapDeviceRequestOptions { Queue = true }, stop.Token);
        await IsCountAsync(1);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _world.RunAsync(sent));
        await IsCountAsync(0);
    }

    private async Task IsCountAsync(int count)
    {
        int found = -1;
        for (int looks = 0; found != count && looks < 100; looks++)
        {
            found = (await _world.RunAsync(Home(_nodes).Devices[Name].GetQueuedAsync())).Count;
            await _world.PassAsync(FromMilliseconds(10));
        }

        Assert.Equal(count, found);
    }

    private static CoapRequest Put(string text) => new(CoapMethod.Put, "/set") { Content = CoapContent.Text(text) };

    private static bool IsHome(DeviceNode node) => node.Cluster.FenceOf(DeviceName.SlotOf(Name)).IsSet;

    private static DeviceNode Home(IEnumerable<DeviceNode> nodes) => nodes.Single(IsHome);

    private async Task StartAsync(Action<CoapDeviceOptions>? configure = null)
    {
        for (int i = 0; i < 3; i++)
        {
            _nodes.Add(await _world.StartNodeAsync(configure, _hub));
        }

        await _world.RunUntilAsync(() => _nodes.All(node => node.Cluster.Peers.Up.Count == 2
            && CoapSlot.All.All(slot => node.Cluster.Map[slot].Fence.IsSet)));
    }
}
