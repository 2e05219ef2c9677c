using Orleans.Placement;

namespace CoAP.NET.Orleans.Slots;

/// <summary>Places a grain as the plan of the slots does (<see cref="SlotPlacementDirector"/>).</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class SlotPlacementAttribute() : PlacementAttribute(new SlotPlacement());
