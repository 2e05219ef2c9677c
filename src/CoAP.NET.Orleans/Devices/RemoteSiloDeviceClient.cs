using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Orleans.Nodes;
using Orleans.Runtime;
using Orleans.Serialization;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// Calls other silos about their devices. The nodes encrypt the calls, which Orleans does not (<see cref="NodeCipher"/>). Thread-safe.
/// </summary>
internal sealed class RemoteSiloDeviceClient(CoapCluster cluster, CoapNodeClient nodes, Serializer serializer)
{
    /// <summary>The purpose of the messages.</summary>
    public const string Path = "/devices";

    /// <summary>The silos of the nodes in the map of this node, which has no nodes with another secret.</summary>
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
    /// <exception cref="SiloUnavailableException">The node of the silo is not in the map, or has another secret.</exception>
    public async Task<byte[]> CallAsync(SiloAddress silo, DeviceCall call, CancellationToken cancellationToken = default)
    {
        CoapClusterSlotMap map = cluster.Map;
        byte[]? opened = null;
        if (map.Nodes.FirstOrDefault(node => silo.Equals(SiloPeers.SiloOf(map, node.Id))) is { } node)
        {
            byte[] question = cluster.Messages.Seal(node.Id, Path, serializer.SerializeToArray(call));
            byte[]? answer = await nodes.At(silo).AskDeviceAsync(cluster.Self.Id.Value, question, cancellationToken).ConfigureAwait(false);
            opened = answer is null ? null : cluster.Messages.TryOpen(node.Id, Path, answer, question);
        }

        return opened ?? throw new SiloUnavailableException($"Silo {silo} has no node of this cluster.");
    }
}
