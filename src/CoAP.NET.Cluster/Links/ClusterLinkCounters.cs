namespace CoAP.NET.Cluster;

/// <summary>What happened on the links of a node so far.</summary>
/// <param name="Links">How many stand now that this node opened.</param>
/// <param name="Opened">How often one was opened.</param>
/// <param name="Failed">How often one could not be opened.</param>
/// <param name="Lost">How often one ended without this node's doing.</param>
/// <param name="Strangers">How often somebody connected, or was connected to, who is no node of this cluster.</param>
/// <param name="ItemsSent">Items that another node has taken.</param>
/// <param name="ItemsReceived">Items that came from other nodes.</param>
/// <param name="ItemsDropped">Items that found no room, or whose link ended before the other node had taken them.</param>
/// <param name="BatchesSent">How many requests the items that were sent took.</param>
internal readonly record struct ClusterLinkCounters(
    int Links, long Opened, long Failed, long Lost, long Strangers, long ItemsSent, long ItemsReceived, long ItemsDropped,
    long BatchesSent);
