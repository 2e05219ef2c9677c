using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Is notified of live nodes and of those that are not live any more, for each node on one thread at a time and in order. A listener must
/// be quick; its exceptions are logged.
/// </summary>
internal interface INodeLivenessListener
{
    /// <summary>A node is live: it accepts questions and posts.</summary>
    void OnUp(CoapNodeId node);

    /// <summary>A node is not live any more. Pending messages may or may not have arrived.</summary>
    void OnDown(CoapNodeId node);
}
