using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>The log of nodes that share slots: ids from 2530.</summary>
internal static partial class NodesLog
{
    [LoggerMessage(2530, LogLevel.Information, "Node {Node} has handed {Count} slots over to node {To}; it has {Left} left.")]
    public static partial void HandedOver(ILogger logger, CoapNodeId node, int count, CoapNodeId to, int left);

    [LoggerMessage(2531, LogLevel.Warning,
        "Node {Node} could not write the state of slot {Slot} to the store before handing it over; the next owner continues as after a "
        + "crash.")]
    public static partial void NotReleased(ILogger logger, CoapNodeId node, CoapSlot slot, Exception exception);

    [LoggerMessage(2532, LogLevel.Information, "Node {Node} is leaving and hands {Count} slots over to {Others} other nodes.")]
    public static partial void Leaving(ILogger logger, CoapNodeId node, int count, int others);

    [LoggerMessage(2533, LogLevel.Information,
        "Node {Node} has handed over all slots in {Elapsed}, and relays datagrams that still arrive for {RelayTime}.")]
    public static partial void Left(ILogger logger, CoapNodeId node, TimeSpan elapsed, TimeSpan relayTime);

    [LoggerMessage(2534, LogLevel.Warning,
        "Node {Node} stops with {Count} slots that were not handed over; the other nodes take them when it has ended, as after a crash. "
        + "If that happens often, increase CoapClusterOptions.Moves.LeaveTimeout or reduce ReleaseTimeout.")]
    public static partial void NotLeft(ILogger logger, CoapNodeId node, int count);

    [LoggerMessage(2535, LogLevel.Error, "Node {Node} could not change the map of the cluster; it retries.")]
    public static partial void NotGiven(ILogger logger, CoapNodeId node, Exception exception);

    [LoggerMessage(2590, LogLevel.Warning,
        "Slot {Slot} could not be activated at node {Node}; it retries every second. Its devices wait meanwhile. Logged at most once a "
        + "minute.")]
    public static partial void NotActivated(ILogger logger, CoapSlot slot, CoapNodeId node, Exception exception);

    [LoggerMessage(2592, LogLevel.Warning,
        "Node {Node} accepts datagrams of its devices more slowly than they arrive here, or not at all, so {Count} were dropped. "
        + "Logged at most once a minute.")]
    public static partial void PostsDropped(ILogger logger, CoapNodeId node, int count);

    [LoggerMessage(2593, LogLevel.Error, "A post of another node could not be handled ({Kind}); it is lost.")]
    public static partial void PostFailed(ILogger logger, string kind, Exception exception);

    [LoggerMessage(2594, LogLevel.Error, "The balancer of slots of node {Node} has failed; it continues in a second.")]
    public static partial void BalancerFailed(ILogger logger, CoapNodeId node, Exception exception);
}
