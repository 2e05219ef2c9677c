using CoAP.NET.Cluster;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>The log of nodes on Orleans: ids from 2590.</summary>
internal static partial class SiloLog
{
    [LoggerMessage(2590, LogLevel.Warning,
        "Slot {Slot} could not be activated at node {Node}; it retries every second. Its devices wait meanwhile. Logged at most once a "
        + "minute.")]
    public static partial void NotActivated(ILogger logger, CoapSlot slot, CoapNodeId node, Exception exception);

    [LoggerMessage(2591, LogLevel.Warning,
        "Node {Node} could not be notified of changes: {Reason} This node retries, and no change is lost. Logged at most once a minute.")]
    public static partial void NotNotified(ILogger logger, CoapNodeId node, string reason);

    [LoggerMessage(2592, LogLevel.Warning,
        "Silo {Silo} accepts datagrams of its devices more slowly than they arrive here, or not at all, so {Count} were dropped. "
        + "Logged at most once a minute.")]
    public static partial void PostsDropped(ILogger logger, SiloAddress silo, int count);

    [LoggerMessage(2593, LogLevel.Error, "The handler of posts of other nodes at {Path} has failed; the post is lost.")]
    public static partial void HandlerFailed(ILogger logger, string path, Exception exception);

    [LoggerMessage(2594, LogLevel.Error, "The balancer of slots of node {Node} has failed; it continues in a second.")]
    public static partial void BalancerFailed(ILogger logger, CoapNodeId node, Exception exception);
}
