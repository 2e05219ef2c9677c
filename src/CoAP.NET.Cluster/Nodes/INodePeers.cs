using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// The other nodes: which are live, posts (one-way messages) and questions to them, and changes of their servers. Thread-safe.
/// </summary>
internal interface INodePeers
{
    /// <summary>Raised when <see cref="LiveOf"/> may return another map.</summary>
    event Action? LivenessChanged;

    /// <summary>
    /// Whether nodes share the slots, and it decides which node takes one (<see cref="SlotOwnership"/>). Otherwise one node has all of
    /// them, and the others stand by.
    /// </summary>
    bool IsOn { get; }

    /// <summary>
    /// The shortest time after which other nodes may take the slots of a node that does not answer them; <see cref="TimeSpan.MaxValue"/> if
    /// they wait for the end of its lease.
    /// </summary>
    TimeSpan DeathDelay { get; }

    /// <summary>The address for other nodes, once the node has started.</summary>
    string Address { get; }

    /// <summary>The live nodes, without this one.</summary>
    IReadOnlyList<CoapNodeId> Up { get; }

    /// <summary>Returns a map of the store with those nodes that are live.</summary>
    /// <param name="map">The map. It has the nodes whose lease is valid.</param>
    CoapClusterSlotMap LiveOf(CoapClusterSlotMap map);

    /// <summary>From now on exactly the nodes of a map are live.</summary>
    void Update(CoapClusterSlotMap map);

    bool IsUp(CoapNodeId node);

    /// <summary>Returns the address of a node; null if it is not live.</summary>
    CoapAddress? AddressOf(CoapNodeId node);

    /// <summary>Adds a listener; before the start.</summary>
    void Listen(INodeLivenessListener listener);

    /// <summary>Reports the changes of a server to the servers of the same name at other nodes.</summary>
    /// <param name="server">The server.</param>
    /// <param name="name">Distinguishes the servers of a process; the same on all nodes.</param>
    void Attach(CoapServer server, string name);

    /// <summary>Maps a handler for posts of other nodes to a path; before the start.</summary>
    /// <param name="path">The path, the same on all nodes.</param>
    /// <param name="handler">The handler.</param>
    void MapBatch(string path, NodePostHandler handler);

    /// <summary>Maps a handler for questions of other nodes to a path; before the start.</summary>
    /// <param name="path">The path, the same on all nodes.</param>
    /// <param name="answer">Returns the answer to a node's question; null for none. It does not block.</param>
    void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>> answer);

    /// <summary>Sends an item to a node, batched with others, without confirmation.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler (<see cref="MapBatch"/>). Use few different ones: each is a queue.</param>
    /// <param name="item">The item, at most <see cref="NodeSendQueue.MaxItem"/> bytes; copied.</param>
    /// <returns>False if the node is not live.</returns>
    bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item);

    /// <summary>Whether the acknowledgement of posts by a node is overdue.</summary>
    bool IsStalled(CoapNodeId node, string path);

    /// <summary>Asks a node.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler (<see cref="MapQuestion"/>).</param>
    /// <param name="question">The question.</param>
    /// <param name="timeout">The maximum time to wait for the answer.</param>
    /// <returns>The answer; null if there is none in time. The node may have received the question all the same.</returns>
    Task<byte[]?> RequestAsync(CoapNodeId node, string path, byte[] question, TimeSpan timeout);

    /// <summary>The node ends: its records are written, and it releases its lease next.</summary>
    void End();
}
