using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Cluster.Tests.Devices;

namespace CoAP.NET.Cluster.Tests.Telemetry;

/// <summary>What is counted of requests to devices and of their outboxes.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DeviceMetricTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new();

    [Fact]
    public async Task Requests_to_devices_are_counted_by_outcome()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        ICoapDevice asked = node.Devices[Name];
        await _world.RunAsync(asked.GetAsync("/state"));
        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => _world.RunAsync(node.Devices["nobody"].GetAsync("/state")));
        _world.SetDeaf(device, true);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => _world.RunAsync(asked.GetAsync("/state")));
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => _world.RunAsync(asked.GetAsync("/state")));
        Assert.Equal([1, 2, 1, 0, 1], Read(node, ClusterMetric.DevicesAnswered, ClusterMetric.DevicesAsleep, ClusterMetric.DevicesUnknown,
            ClusterMetric.DevicesUnreachable, ClusterMetric.Devices));
    }

    [Fact]
    public async Task Queued_requests_are_counted_by_outcome()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options => options.MaxQueuedPerDevice = 3);
        ICoapDevice asked = node.Devices[Name];
        _world.SetDeaf(device, true);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => _world.RunAsync(asked.GetAsync("/state")));
        CoapQueuedRequest first = await _world.RunAsync(asked.QueueAsync(Get()));
        CoapQueuedRequest second = await _world.RunAsync(asked.QueueAsync(Get()));
        CoapQueuedRequest third =
            await _world.RunAsync(asked.QueueAsync(Get(), new CoapDeviceRequestOptions { Lifetime = FromMinutes(1) }));
        await Assert.ThrowsAsync<CoapDeviceException>(() => _world.RunAsync(asked.QueueAsync(Get())));
        Assert.Equal([3, 3, 1], Read(node, ClusterMetric.OutboxWaiting, ClusterMetric.OutboxQueued, ClusterMetric.OutboxRefused));

        Assert.True(await _world.RunAsync(asked.CancelAsync(first.Id)));
        await Assert.ThrowsAsync<CoapDeviceException>(() => _world.RunAsync(asked.WaitAsync(third.Id)));
        _world.SetDeaf(device, false);
        await _world.RunAsync(device.SpeakAsync(node));
        await _world.RunAsync(asked.WaitAsync(second.Id));
        await _world.RunUntilAsync(() => Read(node, ClusterMetric.OutboxWaiting)[0] == 0);
        Assert.Equal([3, 1, 1, 1, 0, 1], Read(node, ClusterMetric.OutboxQueued, ClusterMetric.OutboxSent, ClusterMetric.OutboxExpired,
            ClusterMetric.OutboxCancelled, ClusterMetric.OutboxFailed, ClusterMetric.OutboxRefused));
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private static long[] Read(DeviceNode node, params ClusterMetric[] metrics) =>
        [.. metrics.Select(metric => ClusterInstruments.Read(node.Cluster, metric))];

    private static CoapRequest Get() => new(CoapMethod.Get, "/state");

    private async Task<(DeviceNode Node, TestDevice Device)> ConnectAsync(Action<CoapDeviceOptions>? configure = null)
    {
        DeviceNode node = await _world.StartNodeAsync(options =>
        {
            options.RetryAsleepAfter = Timeout.InfiniteTimeSpan;
            configure?.Invoke(options);
        });
        TestDevice device = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(device.SpeakAsync(node));
        return (node, device);
    }
}
