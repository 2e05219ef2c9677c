using Orleans.Placement;

namespace CoAP.NET.Orleans;

/// <summary>Places a grain as <see cref="SlotPlacement"/> does.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class SlotPlacementAttribute() : PlacementAttribute(new SlotPlacement());
