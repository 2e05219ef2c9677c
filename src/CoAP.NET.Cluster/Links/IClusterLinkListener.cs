namespace CoAP.NET.Cluster;

/// <summary>
/// Receives the start and end of links, for each node on one thread at a time and in order. A listener must be quick; its exceptions are
/// logged.
/// </summary>
internal interface IClusterLinkListener
{
    /// <summary>Reports a link: the node now accepts requests and posts.</summary>
    /// <param name="node">The node.</param>
    void OnUp(CoapNodeId node);

    /// <summary>Reports the end of a link. Pending messages may or may not have arrived.</summary>
    /// <param name="node">The node.</param>
    void OnDown(CoapNodeId node);
}
