namespace CoAP.NET.Cluster;

/// <summary>News of a node about its devices.</summary>
/// <param name="Node">The node.</param>
/// <param name="Items">The news; null if the node is no longer reachable.</param>
internal readonly record struct FleetBatch(CoapNodeId Node, List<WatchItem>? Items);
