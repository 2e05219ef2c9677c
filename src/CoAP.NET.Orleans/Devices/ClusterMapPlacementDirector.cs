using CoAP.NET.Orleans.Nodes;
using Orleans.Placement;
using Orleans.Runtime;
using Orleans.Runtime.Placement;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Places a grain at a silo of the cluster map, preferably at the one that calls it.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class ClusterMapPlacementAttribute() : PlacementAttribute(new ClusterMapPlacement());

/// <summary>The strategy of <see cref="ClusterMapPlacementAttribute"/>.</summary>
internal sealed class ClusterMapPlacement() : NamedPlacement("coap.devices");

/// <summary>
/// Places the grain of a device at the silo that first calls it if its node is in the map of the cluster, otherwise at one of those silos,
/// chosen by the hash of the grain. A silo with another secret is not in the map and must not learn where devices are.
/// </summary>
internal sealed class ClusterMapPlacementDirector(RemoteSiloDeviceClient calls) : IPlacementDirector
{
    /// <inheritdoc/>
    public Task<SiloAddress> OnAddActivation(PlacementStrategy strategy, PlacementTarget target, IPlacementContext context)
    {
        SiloAddress[] able = [.. context.GetCompatibleSilos(target).Intersect(calls.Silos)];
        return able.Length == 0
            ? throw new SiloUnavailableException("No node whose secret is that of this one has joined the cluster yet.")
            : Task.FromResult(able.Contains(context.LocalSilo)
                ? context.LocalSilo
                : able[target.GrainIdentity.GetUniformHashCode() % able.Length]);
    }
}
