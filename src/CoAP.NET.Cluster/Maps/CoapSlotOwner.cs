namespace CoAP.NET.Cluster;

/// <summary>Who has a slot.</summary>
/// <param name="Node">The node, which need not be there any more; nobody for a slot that was never taken.</param>
/// <param name="Fence">The fence under which that node writes.</param>
public readonly record struct CoapSlotOwner(CoapNodeId Node, CoapFence Fence);
