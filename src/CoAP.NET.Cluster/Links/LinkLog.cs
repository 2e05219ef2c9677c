using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The log of links between nodes: ids from 2510.</summary>
internal static partial class LinkLog
{
    [LoggerMessage(2510, LogLevel.Information, "Node {Node} is linked with node {Other} at {Address}.")]
    public static partial void LinkUp(ILogger logger, CoapNodeId node, CoapNodeId other, string address);

    [LoggerMessage(2511, LogLevel.Warning, "Node {Node} has lost its link with node {Other} and opens it again: {Reason}")]
    public static partial void LinkLost(ILogger logger, CoapNodeId node, CoapNodeId other, string reason);

    [LoggerMessage(2512, LogLevel.Warning,
        "Node {Node} cannot open a link with node {Other} at {Address}: {Reason} It retries; this is logged once until it succeeds.")]
    public static partial void LinkFailed(ILogger logger, CoapNodeId node, CoapNodeId other, string address, string reason);

    [LoggerMessage(2513, LogLevel.Debug,
        "Node {Node} has refused a link from a peer without the secret of the cluster. If it is one of your nodes, configure the same "
        + "CoapClusterOptions.Secret. Logged at most once a minute.")]
    public static partial void LinkStranger(ILogger logger, CoapNodeId node);

    [LoggerMessage(2514, LogLevel.Warning,
        "Node {Other} accepts items more slowly than node {Node} sends them, so {Count} items were dropped. Logged at most once a minute.")]
    public static partial void LinkItemsDropped(ILogger logger, CoapNodeId node, CoapNodeId other, int count);

    [LoggerMessage(2515, LogLevel.Error, "The handler of items of other nodes at {Path} has failed; the item is lost.")]
    public static partial void LinkHandlerFailed(ILogger logger, string path, Exception exception);

    [LoggerMessage(2516, LogLevel.Error, "A listener of the links of the cluster has failed.")]
    public static partial void LinkListenerFailed(ILogger logger, Exception exception);

    [LoggerMessage(2517, LogLevel.Warning,
        "Node {Other} announces the address {Address}, which is not valid for a link; node {Node} opens no link with it. Check "
        + "CoapClusterOptions.Address of that node.")]
    public static partial void LinkAddressUnusable(ILogger logger, CoapNodeId node, CoapNodeId other, string address);

    [LoggerMessage(2518, LogLevel.Debug, "Node {Other} did not accept a batch of {Count} items at {Path}: {Reason}")]
    public static partial void LinkBatchFailed(ILogger logger, CoapNodeId other, int count, string path, string reason);
}
