using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What nodes log that share slots, with ids from 2530 on.</summary>
internal static partial class NodesLog
{
    [LoggerMessage(2530, LogLevel.Information, "Node {Node} has handed {Count} slots over to node {To}; it has {Left} left.")]
    public static partial void HandedOver(ILogger logger, CoapNodeId node, int count, CoapNodeId to, int left);

    [LoggerMessage(2531, LogLevel.Warning,
        "What node {Node} has of slot {Slot} was not put into the store before it is handed over; the next owner goes on as after a crash.")]
    public static partial void NotReleased(ILogger logger, CoapNodeId node, CoapSlot slot, Exception exception);

    [LoggerMessage(2532, LogLevel.Information, "Node {Node} leaves and hands {Count} slots over to {Others} other nodes.")]
    public static partial void Leaving(ILogger logger, CoapNodeId node, int count, int others);

    [LoggerMessage(2533, LogLevel.Information,
        "Node {Node} has handed over all slots in {Elapsed}, and relays what still arrives here for {RelayTime}.")]
    public static partial void Left(ILogger logger, CoapNodeId node, TimeSpan elapsed, TimeSpan relayTime);

    [LoggerMessage(2534, LogLevel.Warning,
        "Node {Node} leaves with {Count} slots that were not handed over; the other nodes take them when it has ended, as after a crash. "
        + "If that happens often, let CoapClusterOptions.Moves.LeaveTimeout be longer, or ReleaseTimeout shorter.")]
    public static partial void NotLeft(ILogger logger, CoapNodeId node, int count);

    [LoggerMessage(2535, LogLevel.Error, "Node {Node} could not change the map of the cluster; it tries again.")]
    public static partial void NotGiven(ILogger logger, CoapNodeId node, Exception exception);
}
