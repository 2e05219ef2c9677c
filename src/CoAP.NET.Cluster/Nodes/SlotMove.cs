namespace CoAP.NET.Cluster;

/// <summary>A slot that its owner is to hand over.</summary>
/// <param name="Slot">The slot.</param>
/// <param name="To">Who is to have it.</param>
internal readonly record struct SlotMove(CoapSlot Slot, CoapNodeId To);
