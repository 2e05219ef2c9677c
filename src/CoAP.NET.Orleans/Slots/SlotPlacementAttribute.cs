using Orleans.Placement;

namespace CoAP.NET.Orleans.Slots;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class SlotPlacementAttribute() : PlacementAttribute(new SlotPlacement());
