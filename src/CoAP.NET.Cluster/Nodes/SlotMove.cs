namespace CoAP.NET.Cluster;

/// <summary>A slot that its owner must hand over.</summary>
/// <param name="Slot">The slot.</param>
/// <param name="To">The receiver.</param>
internal readonly record struct SlotMove(CoapSlot Slot, CoapNodeId To);
