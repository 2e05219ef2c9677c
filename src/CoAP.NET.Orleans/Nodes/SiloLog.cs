using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>The log of nodes on Orleans: ids from 2590.</summary>
internal static partial class SiloLog
{
    [LoggerMessage(2592, LogLevel.Warning,
        "Silo {Silo} accepts datagrams of its devices more slowly than they arrive here, or not at all, so {Count} were dropped. "
        + "Logged at most once a minute.")]
    public static partial void PostsDropped(ILogger logger, SiloAddress silo, int count);

    [LoggerMessage(2593, LogLevel.Error, "The handler of posts of other nodes at {Path} has failed; the post is lost.")]
    public static partial void HandlerFailed(ILogger logger, string path, Exception exception);

    [LoggerMessage(2595, LogLevel.Warning,
        "The store of the cluster lost confirmed changes, and the silo of node {Node} could not verify that the membership table of "
        + "Orleans still has it; it retries every second. If it ends before, no other node takes its slots.")]
    public static partial void NotWritten(ILogger logger, CoapNodeId node, Exception exception);
}
