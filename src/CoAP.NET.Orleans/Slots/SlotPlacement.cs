namespace CoAP.NET.Orleans;

/// <summary>Places slots by the map of the store (<see cref="SlotPlacementDirector"/>).</summary>
internal sealed class SlotPlacement() : NamedPlacement("coap.slots");
