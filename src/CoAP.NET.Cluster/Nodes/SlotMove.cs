using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>A slot that its owner must hand over.</summary>
internal readonly record struct SlotMove(CoapSlot Slot, CoapNodeId To);
