using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What the steering of nodes logs, with ids from 2536 on.</summary>
internal static partial class ClusterSteeringLog
{
    [LoggerMessage(2536, LogLevel.Warning,
        "Node {Node} stood still for {Elapsed}, so that others may have taken its slots. It serves again when it has asked the store, or "
        + "after a lease; what came meanwhile is dropped, and clients send it again. If no process or machine was paused, look for long "
        + "collections, blocked threads of the pool and too few processors, or let CoapClusterOptions.Lease be longer.")]
    public static partial void StoodStill(ILogger logger, CoapNodeId node, TimeSpan elapsed);
}
