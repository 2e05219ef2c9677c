using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Nodes;
using Orleans.Runtime;
using Orleans.Serialization;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Calls other silos about their devices. Thread-safe.</summary>
internal sealed class RemoteSiloDeviceClient(CoapCluster cluster, CoapNodeClient nodes, Serializer serializer)
{
    /// <summary>The silos of the nodes in the map of this node.</summary>
    public SiloAddress[] Silos
    {
        get
        {
            CoapClusterSlotMap map = cluster.Map;
            return [.. map.Nodes.Select(node => SiloPeers.SiloOf(map, node.Id)).OfType<SiloAddress>()];
        }
    }

    /// <summary>Returns what a silo knows of a device; null if it does not have it.</summary>
    public async Task<DeviceSighting?> FindAsync(SiloAddress silo, string name, CancellationToken cancellationToken = default) =>
        serializer.Deserialize<DeviceSighting?>(
            await CallAsync(silo, new DeviceCall(DeviceOperation.Find, name), cancellationToken).ConfigureAwait(false));

    /// <summary>Calls a silo.</summary>
    /// <param name="silo">The silo.</param>
    /// <param name="call">The call.</param>
    /// <param name="cancellationToken">Stops waiting, at both silos.</param>
    /// <returns>Its answer.</returns>
    public Task<byte[]> CallAsync(SiloAddress silo, DeviceCall call, CancellationToken cancellationToken = default) =>
        nodes.At(silo).AskDeviceAsync(cluster.Self.Id.Value, call, cancellationToken);
}
