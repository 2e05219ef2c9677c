using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Devices.Observing;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Tests.Nodes;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Reaches the devices of all nodes, in place of the grains of Orleans: the world knows where each device is.</summary>
/// <param name="world">The world.</param>
/// <param name="node">The node that asks.</param>
internal sealed class NodeDevices(ClusterWorld world, SimulatedClusterNode node) : IDeviceRouter
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    public async Task<CoapResponse?> TrySendAsync(string name, CoapRequest request, CancellationToken cancellationToken)
    {
        if (Find(name) is not { } there)
        {
            return null;
        }

        try
        {
            return await world.Hub.CallAsync((HubNetwork)node.Cluster.Peers.Network!, there.Cluster.Self.Id,
                _ => SendAsync(there, name, request, cancellationToken), s_timeout).WaitAsync(cancellationToken);
        }
        catch (Exception exception) when (exception is IOException or TimeoutException)
        {
            throw CoapDeviceException.Unreachable(name, $"node {there} did not answer.", isOutcomeUnknown: true, exception);
        }
    }

    public Task<IDeviceNotificationFeed?> TryObserveAsync(
        ObservedResource resource, IDeviceNotificationFeed? wrong, CancellationToken cancellationToken) =>
        Task.FromResult<IDeviceNotificationFeed?>(null);

    public Task<CoapDeviceStatus?> FindAsync(string name, CancellationToken cancellationToken) =>
        Task.FromResult(Find(name) is { } there && LocalOf(there).TryFind(name) is { } device ? LocalOf(there).StatusOf(device) : null);

    public async Task WhenAwakeAsync(string name, CancellationToken cancellationToken)
    {
        do
        {
            await Task.Delay(s_pause, node.Time, cancellationToken);
        }
        while (Find(name) is null);
    }

    public Task<bool> TryForgetAsync(string name, CancellationToken cancellationToken) => Task.FromResult(false);

    private static async Task<CoapResponse?> SendAsync(
        SimulatedClusterNode there, string name, CoapRequest request, CancellationToken cancellationToken) =>
        LocalOf(there).TryFind(name) is { } device ? await device.SendAsync(request, cancellationToken) : null;

    private static LocalDevices LocalOf(SimulatedClusterNode there) => ((ClusterDevices)there.Cluster.Devices).Local;

    // Of several that have a session of it, the one that owns the slot of its newest one; without a Connection ID, the one that served it
    // last.
    private SimulatedClusterNode? Find(string name)
    {
        SimulatedDevice device = world.Devices.First(one => one.Name == name);
        CoapSlot? slot = device.ServerCid is { } cid ? new CoapSlot(Convert.FromHexString(cid)[0]) : null;
        SimulatedClusterNode[] all = [.. world.Nodes.Where(one => LocalOf(one).TryFind(name) is not null)];
        return all.FirstOrDefault(one => slot is { } of ? one.Cluster.FenceOf(of).IsSet : one == device.ServedBy) ?? all.FirstOrDefault();
    }
}
