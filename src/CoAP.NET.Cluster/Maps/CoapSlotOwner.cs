namespace CoAP.NET.Cluster.Maps;

/// <summary>The owner of a slot.</summary>
/// <param name="Node">The node, which may no longer be live; unset for a slot that never had an owner.</param>
/// <param name="Fence">The fence under which the node writes.</param>
internal readonly record struct CoapSlotOwner(CoapNodeId Node, CoapFencingToken Fence);
