using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Nodes;
using Orleans.Runtime;
using Orleans.Runtime.Services;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Addresses the devices of each silo. Thread-safe.</summary>
internal sealed class CoapDeviceClient(CoapCluster cluster, IServiceProvider services) : GrainServiceClient<ICoapDeviceService>(services)
{
    /// <summary>This node.</summary>
    public Guid Self => cluster.Self.Id.Value;

    /// <summary>The silos of the nodes in the map of this node.</summary>
    public SiloAddress[] Silos
    {
        get
        {
            CoapClusterSlotMap map = cluster.Map;
            return [.. map.Nodes.Select(node => SiloNetwork.SiloOf(map, node.Id)).OfType<SiloAddress>()];
        }
    }

    public ICoapDeviceService At(SiloAddress silo) => GetGrainService(silo);
}
