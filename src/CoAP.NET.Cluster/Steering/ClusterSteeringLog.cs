using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The log of the steering between nodes: ids from 2536.</summary>
internal static partial class ClusterSteeringLog
{
    [LoggerMessage(2536, LogLevel.Warning,
        "Node {Node} stalled for {Elapsed}; other nodes may have taken its slots. It serves again when it has read the store, or "
        + "after a lease; datagrams that arrive until then are dropped, and clients retransmit them. If no process or machine was paused, "
        + "look for long garbage collections, blocked threads of the pool and too few processors, or increase CoapClusterOptions.Lease.")]
    public static partial void StoodStill(ILogger logger, CoapNodeId node, TimeSpan elapsed);

    [LoggerMessage(2537, LogLevel.Warning,
        "The shared endpoint {Address} does not answer probes for the owners of its sockets, not even those of node {Node} itself. "
        + "Records arrive at any of the processes by hash, and are relayed. If another endpoint has the same port at each address of this "
        + "host that could reach this one, give it its own port; otherwise allow datagrams on the loopback interface. Logged once until it "
        + "works.")]
    public static partial void SocketsNotFound(ILogger logger, CoapNodeId node, CoapAddress address);
}
