using CoAP.NET.Orleans.Nodes;

namespace CoAP.NET.Orleans.Slots;

/// <summary>Places slots by the map of the store (<see cref="SlotPlacementDirector"/>).</summary>
internal sealed class SlotPlacement() : NamedPlacement("coap.slots");
