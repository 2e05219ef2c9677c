namespace CoAP.NET.Cluster;

/// <summary>
/// Takes what another node posted (<see cref="ClusterLinks.TryPost"/>), item by item and in order. Runs on the thread that receives: it
/// must be quick and must not wait. What it throws is logged, and costs that item only.
/// </summary>
/// <param name="from">The node that posted it.</param>
/// <param name="item">The item; it ends with the call.</param>
internal delegate void ClusterItemHandler(CoapNodeId from, ReadOnlySpan<byte> item);
