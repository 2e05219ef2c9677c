using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>A live node: what calls it, and the posts (one-way messages) that wait for it. Thread-safe.</summary>
internal sealed class NodePeer
{
    // Address, version and node.
    private const int HeadLength = 64;

    private readonly NodeSendQueue _posts;

    /// <summary>Creates it.</summary>
    /// <param name="self">This node.</param>
    /// <param name="service">Calls the other one.</param>
    /// <param name="dropped">Is called with the number of posts that the other node did not take.</param>
    /// <param name="time">The clock.</param>
    public NodePeer(CoapNodeId self, INodeService service, Action<int> dropped, TimeProvider time)
    {
        Service = service;
        _posts = new NodeSendQueue(dropped, time);
        Datagrams = LineOf(posts => service.RelayDatagramsAsync(self, posts));
        DatagramReturns = LineOf(posts => service.ReturnDatagramsAsync(self, posts));
        Oscore = LineOf(posts => service.RelayOscoreAsync(self, posts));
        OscoreReturns = LineOf(posts => service.ReturnOscoreAsync(self, posts));
        RemovedResumptions = _posts.AddLine<CoapRecordKey>(service.RemoveResumptionsAsync, static key => key.Bytes.Length);
        TableChanges = _posts.AddLine<ReplicatedTableChangeMessage>(service.ReportTableChangesAsync, static change => change.Length);
    }

    /// <summary>What calls the node.</summary>
    public INodeService Service { get; }

    /// <summary>Datagrams of clients for sessions of the node.</summary>
    public NodePostLine<PostedDatagram> Datagrams { get; }

    /// <summary>Answers to clients whose datagrams arrive at the node.</summary>
    public NodePostLine<PostedDatagram> DatagramReturns { get; }

    /// <summary>Messages of clients for OSCORE contexts of the node.</summary>
    public NodePostLine<PostedDatagram> Oscore { get; }

    /// <summary>Messages under OSCORE to clients whose messages arrive at the node.</summary>
    public NodePostLine<PostedDatagram> OscoreReturns { get; }

    /// <summary>Sessions that no client may resume any more.</summary>
    public NodePostLine<CoapRecordKey> RemovedResumptions { get; }

    /// <summary>Changes of tables in slots of this node.</summary>
    public NodePostLine<ReplicatedTableChangeMessage> TableChanges { get; }

    /// <summary>Drops what waits: the node is not live any more.</summary>
    public void End() => _posts.End();

    private NodePostLine<PostedDatagram> LineOf(Func<IReadOnlyList<PostedDatagram>, Task> send) =>
        _posts.AddLine(send, static post => HeadLength + post.Server.Length + post.Datagram.Length);
}
