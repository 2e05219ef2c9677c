using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>The log of nodes on Orleans: id 2595.</summary>
internal static partial class SiloLog
{
    [LoggerMessage(2595, LogLevel.Warning,
        "The store of the cluster lost confirmed changes, and the silo of node {Node} could not verify that the membership table of "
        + "Orleans still has it; it retries every second. If it ends before, no other node takes its slots.")]
    public static partial void NotWritten(ILogger logger, CoapNodeId node, Exception exception);
}
