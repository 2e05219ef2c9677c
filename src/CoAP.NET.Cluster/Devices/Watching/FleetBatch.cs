namespace CoAP.NET.Cluster;

/// <summary>What a node said of its devices.</summary>
/// <param name="Node">The node.</param>
/// <param name="Items">What; null when the node is not heard any more.</param>
internal readonly record struct FleetBatch(CoapNodeId Node, List<WatchItem>? Items);
