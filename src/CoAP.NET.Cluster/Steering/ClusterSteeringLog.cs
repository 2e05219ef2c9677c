using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The log of the steering between nodes: ids from 2536.</summary>
internal static partial class ClusterSteeringLog
{
    [LoggerMessage(2536, LogLevel.Warning,
        "Node {Node} stood still for {Elapsed}, so other nodes may have taken its slots. It serves again when it has read the store, or "
        + "after a lease; datagrams that come until then are dropped, and clients retransmit them. If no process or machine was paused, "
        + "look for long garbage collections, blocked threads of the pool and too few processors, or increase CoapClusterOptions.Lease.")]
    public static partial void StoodStill(ILogger logger, CoapNodeId node, TimeSpan elapsed);

    [LoggerMessage(2537, LogLevel.Warning,
        "Nobody answers whose socket is which at the shared endpoint {Address}, node {Node} itself neither, so records there come to any "
        + "of the processes by hash, and are relayed. Where another endpoint has the same port at each address of this host by which this "
        + "one could be asked, give it a port of its own; otherwise let datagrams through on the loopback interface. Said once until it "
        + "works.")]
    public static partial void SocketsNotFound(ILogger logger, CoapNodeId node, CoapAddress address);
}
