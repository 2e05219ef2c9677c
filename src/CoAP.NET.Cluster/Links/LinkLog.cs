using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What links between nodes log, with ids from 2510 on.</summary>
internal static partial class LinkLog
{
    [LoggerMessage(2510, LogLevel.Information, "Node {Node} is linked with node {Other} at {Address}.")]
    public static partial void LinkUp(ILogger logger, CoapNodeId node, CoapNodeId other, string address);

    [LoggerMessage(2511, LogLevel.Warning, "The link of node {Node} with node {Other} has ended and is opened again: {Reason}")]
    public static partial void LinkLost(ILogger logger, CoapNodeId node, CoapNodeId other, string reason);

    [LoggerMessage(2512, LogLevel.Warning,
        "Node {Node} cannot be linked with node {Other} at {Address}: {Reason} It is tried again; this is said once until it succeeds.")]
    public static partial void LinkFailed(ILogger logger, CoapNodeId node, CoapNodeId other, string address, string reason);

    [LoggerMessage(2513, LogLevel.Debug,
        "Somebody without the secret of the cluster wanted to be linked with node {Node}, and was refused. If it is one of your nodes, "
        + "give it the same CoapClusterOptions.Secret. This is said at most once a minute.")]
    public static partial void LinkStranger(ILogger logger, CoapNodeId node);

    [LoggerMessage(2514, LogLevel.Warning,
        "Node {Other} takes what node {Node} posts more slowly than it comes, so {Count} items were dropped. This is said at most once a "
        + "minute.")]
    public static partial void LinkItemsDropped(ILogger logger, CoapNodeId node, CoapNodeId other, int count);

    [LoggerMessage(2515, LogLevel.Error, "What takes items of other nodes at {Path} has failed; the item is lost.")]
    public static partial void LinkHandlerFailed(ILogger logger, string path, Exception exception);

    [LoggerMessage(2516, LogLevel.Error, "What listens to links of the cluster has failed.")]
    public static partial void LinkListenerFailed(ILogger logger, Exception exception);

    [LoggerMessage(2517, LogLevel.Warning,
        "Node {Other} says that it is reached at {Address}, which is no address of a link; node {Node} is not linked with it. See "
        + "CoapClusterOptions.Address of that node.")]
    public static partial void LinkAddressUnusable(ILogger logger, CoapNodeId node, CoapNodeId other, string address);

    [LoggerMessage(2518, LogLevel.Debug, "Node {Other} did not take a batch of {Count} items at {Path}: {Reason}")]
    public static partial void LinkBatchFailed(ILogger logger, CoapNodeId other, int count, string path, string reason);
}
