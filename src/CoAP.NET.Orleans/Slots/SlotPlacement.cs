using Orleans.Metadata;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>Places slots by the map of the store (<see cref="SlotPlacementDirector"/>).</summary>
internal sealed class SlotPlacement : PlacementStrategy
{
    /// <summary>Its name at other silos.</summary>
    public const string Name = "coap.slots";

    /// <inheritdoc/>
    public override void PopulateGrainProperties(
        IServiceProvider services, Type grainClass, GrainType grainType, Dictionary<string, string> properties) =>
        properties[WellKnownGrainTypeProperties.PlacementStrategy] = Name;
}
