using Orleans.Runtime;
using Orleans.Runtime.Placement;

namespace CoAP.NET.Orleans.Slots;

/// <summary>
/// Places a slot where the map plans it: at its owner, at the node with the fewest if the owner is dead, and only at nodes whose servers
/// run. A move names its target.
/// </summary>
internal sealed class SlotPlacementDirector(SiloSlotTable host) : IPlacementDirector
{
    /// <inheritdoc/>
    public Task<SiloAddress> OnAddActivation(PlacementStrategy strategy, PlacementTarget target, IPlacementContext context)
    {
        SiloAddress[] able = context.GetCompatibleSilos(target);
        SiloAddress? silo = IPlacementDirector.GetPlacementHint(target.RequestContextData, able)
            ?? (SlotDirectory.SlotOf(target.GrainIdentity) is { } slot ? host.PlannedSiloOf(slot) : null);
        return silo is not null && able.Contains(silo)
            ? Task.FromResult(silo)
            : throw new SiloUnavailableException("No node whose servers run can take the slot yet.");
    }
}
