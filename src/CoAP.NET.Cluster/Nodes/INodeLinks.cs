using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// The connection of a node with the others: which nodes are live, posts and questions to them, and changes of their servers. Thread-safe.
/// </summary>
internal interface INodeLinks
{
    /// <summary>Raised when <see cref="LiveOf"/> may return another map.</summary>
    event Action? LivenessChanged;

    /// <summary>Whether there are links, so that nodes share the slots.</summary>
    bool IsOn { get; }

    /// <summary>
    /// Whether it decides which node takes a slot (<see cref="SlotGrants"/>). Otherwise nodes take slots of dead nodes by the map alone.
    /// </summary>
    bool DecidesOwners { get; }

    /// <summary>The address for other nodes, once the node has started.</summary>
    string Address { get; }

    /// <summary>The nodes with a link.</summary>
    IReadOnlyList<CoapNodeId> Up { get; }

    /// <summary>Returns a map of the store with those nodes that are live.</summary>
    /// <param name="map">The map. It has the nodes whose lease is valid.</param>
    CoapClusterMap LiveOf(CoapClusterMap map);

    /// <summary>Keeps links with exactly the nodes of a map.</summary>
    /// <param name="map">The map.</param>
    void Update(CoapClusterMap map);

    /// <summary>Returns the nodes of a map that should have a link but have none.</summary>
    /// <param name="map">The map.</param>
    IReadOnlyList<CoapNodeId> FindMissing(CoapClusterMap map);

    /// <summary>Whether there is a link with a node.</summary>
    /// <param name="node">The node.</param>
    bool IsUp(CoapNodeId node);

    /// <summary>Returns the address of a node; null without a link.</summary>
    /// <param name="node">The node.</param>
    CoapAddress? AddressOf(CoapNodeId node);

    /// <summary>Adds a listener for starting and ending links; before the start.</summary>
    /// <param name="listener">The listener.</param>
    void Listen(IClusterLinkListener listener);

    /// <summary>Reports the changes of a server to the servers of the same name at other nodes.</summary>
    /// <param name="server">The server.</param>
    /// <param name="name">Distinguishes the servers of a process; the same on all nodes.</param>
    void Attach(CoapServer server, string name);

    /// <summary>Maps a handler for posts of other nodes to a path; before the start.</summary>
    /// <param name="path">The path, the same on all nodes.</param>
    /// <param name="handler">The handler.</param>
    void MapBatch(string path, ClusterItemHandler handler);

    /// <summary>Maps a handler for questions of other nodes to a path; before the start.</summary>
    /// <param name="path">The path, the same on all nodes.</param>
    /// <param name="answer">Returns the answer to a node's question; null for none. It is quick and does not block.</param>
    void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, byte[]?> answer);

    /// <summary>Sends an item to a node, batched with others, without confirmation.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler (<see cref="MapBatch"/>). Use few different ones: each is a queue.</param>
    /// <param name="item">The item, at most <see cref="LinkBatch.MaxItem"/> bytes; copied.</param>
    /// <returns>False if there is no link.</returns>
    bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item);

    /// <summary>Whether the acknowledgement of posts by a node is overdue.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler.</param>
    bool IsStalled(CoapNodeId node, string path);

    /// <summary>Asks a node.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler (<see cref="MapQuestion"/>).</param>
    /// <param name="question">The question.</param>
    /// <returns>The answer; null if there is none within a few seconds.</returns>
    Task<byte[]?> AskAsync(CoapNodeId node, string path, byte[] question);
}
