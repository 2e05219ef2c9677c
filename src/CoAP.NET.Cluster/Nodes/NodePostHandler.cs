using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Handles posts of another node (<see cref="INodePeers.TryPost"/>), item by item and in order. It runs on the receiving thread and must
/// be quick and not block. An exception is logged, and only loses that item.
/// </summary>
/// <param name="from">The sending node.</param>
/// <param name="item">The item; only valid during the call.</param>
internal delegate void NodePostHandler(CoapNodeId from, ReadOnlySpan<byte> item);
