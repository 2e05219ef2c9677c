using CoAP.NET.Orleans.Nodes;
using Orleans.Placement;
using Orleans.Runtime;
using Orleans.Runtime.Placement;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Places a grain as <see cref="ClusterMapPlacementDirector"/> does.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class ClusterMapPlacementAttribute() : PlacementAttribute(new ClusterMapPlacement());

internal sealed class ClusterMapPlacement() : NamedPlacement("coap.devices");

/// <summary>
/// Places the grain of a device at the silo that first calls it, and only at silos whose nodes are in the map of the cluster: a silo with
/// another secret must not learn where devices are.
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
