using CoAP.NET.Orleans.Nodes;
using Orleans.Placement;
using Orleans.Runtime;
using Orleans.Runtime.Placement;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Places a grain as <see cref="DevicePlacementDirector"/> does.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class DevicePlacementAttribute() : PlacementAttribute(new DevicePlacement());

internal sealed class DevicePlacement() : NamedPlacement("coap.devices");

/// <summary>
/// Places the grain of a device at the silo that first calls it, and only at silos whose nodes are in the map of the cluster: a silo with
/// another secret must not learn where devices are.
/// </summary>
internal sealed class DevicePlacementDirector(RemoteSiloDeviceClient calls) : IPlacementDirector
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
