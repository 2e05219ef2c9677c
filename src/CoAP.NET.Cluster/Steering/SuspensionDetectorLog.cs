using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Steering;

/// <summary>The log of the steering between nodes: id 2536.</summary>
internal static partial class SuspensionDetectorLog
{
    [LoggerMessage(2536, LogLevel.Warning,
        "Node {Node} stalled for {Elapsed}; other nodes may have taken its slots. It serves again when it has read the store, or "
        + "after a lease; datagrams that arrive until then are dropped, and clients retransmit them. If no process or machine was paused, "
        + "look for long garbage collections and too few processors, or increase CoapClusterOptions.Lease.")]
    public static partial void StoodStill(ILogger logger, CoapNodeId node, TimeSpan elapsed);
}
