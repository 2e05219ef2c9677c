namespace CoAP.NET.Cluster;

/// <summary>Counters of the links of a node since its start.</summary>
/// <param name="Links">The current number of links that this node opened.</param>
/// <param name="Opened">Opened links.</param>
/// <param name="Failed">Failed attempts to open one.</param>
/// <param name="Lost">Links that ended unexpectedly.</param>
/// <param name="Strangers">Connections, in either direction, with peers that are not nodes of this cluster.</param>
/// <param name="ItemsSent">Items that another node has accepted.</param>
/// <param name="ItemsReceived">Items received from other nodes.</param>
/// <param name="ItemsDropped">Items dropped for lack of room, or because their link ended before the other node had accepted them.</param>
/// <param name="BatchesSent">Requests that carried the sent items.</param>
internal readonly record struct ClusterLinkCounters(
    int Links, long Opened, long Failed, long Lost, long Strangers, long ItemsSent, long ItemsReceived, long ItemsDropped,
    long BatchesSent);
