using Orleans.Placement;

namespace CoAP.NET.Orleans;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class SlotPlacementAttribute() : PlacementAttribute(new SlotPlacement());
