namespace CoAP.NET.Cluster;

/// <summary>
/// Is told when links come and go, of one node by one thread at a time and in order. A listener must be quick; what it throws is logged.
/// </summary>
internal interface IClusterLinkListener
{
    /// <summary>From now on the node can be asked, and is given what is posted.</summary>
    /// <param name="node">The node.</param>
    void OnUp(CoapNodeId node);

    /// <summary>The link has ended. What was under way may have arrived or not.</summary>
    /// <param name="node">The node.</param>
    void OnDown(CoapNodeId node);
}
