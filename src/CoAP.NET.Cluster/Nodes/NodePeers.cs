using CoAP.NET.Cluster.Maps;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>The other nodes: which are live, and how to call them. Thread-safe.</summary>
/// <remarks>
/// The store knows the address of each node, and the network which nodes are live: a node that only loses its store for a while keeps its
/// slots, and a dead one loses them before its lease ends.
/// </remarks>
/// <param name="self">This node.</param>
/// <param name="network">Connects the nodes; null if this one has all slots, or stands by while another one has them.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class NodePeers(CoapNodeId self, INodeNetwork? network, TimeProvider time, ILogger logger)
{
    private readonly RateLimitedLog _dropped = new(time);
    private readonly Lock _gate = new();

    // The nodes that were in a map of the store and are live, and this one.
    private readonly Dictionary<CoapNodeId, CoapClusterNode> _known = [];
    private CoapClusterNode? _own;
    private INodeLivenessListener[] _listeners = [];

    // Replaced as a whole; read without the lock.
    private Dictionary<CoapNodeId, (CoapClusterNode Node, NodePeer Peer)> _up = [];

    /// <summary>
    /// Whether nodes share the slots, and the network decides which node takes one (<see cref="SlotOwnership"/>). Otherwise one node has
    /// all of them, and the others stand by.
    /// </summary>
    public bool IsOn => network is not null;

    /// <summary>Connects the nodes; null for none.</summary>
    public INodeNetwork? Network => network;

    /// <summary>
    /// The shortest time after which other nodes may take the slots of a node that does not answer them; <see cref="TimeSpan.MaxValue"/> if
    /// they wait for the end of its lease.
    /// </summary>
    public TimeSpan DeathDelay => network?.DeathDelay ?? TimeSpan.MaxValue;

    /// <summary>The address of this node for other nodes; empty for none.</summary>
    public string Address => network?.Address ?? "";

    /// <summary>The live nodes, without this one.</summary>
    public IReadOnlyList<CoapNodeId> Up => [.. Volatile.Read(ref _up).Keys];

    /// <summary>Returns a map of the store with those nodes that are live.</summary>
    /// <param name="map">The map. It has the nodes whose lease is valid.</param>
    public CoapClusterSlotMap LiveOf(CoapClusterSlotMap map)
    {
        if (network is null)
        {
            return map;
        }

        List<CoapClusterNode> live;
        lock (_gate)
        {
            foreach (CoapClusterNode node in map.Nodes)
            {
                if (node.Id == self)
                {
                    _own = node;
                }
                else
                {
                    _known[node.Id] = node;
                }
            }

            live = _own is null ? [] : [_own];
            foreach (CoapClusterNode node in _known.Values.ToArray())
            {
                bool hasLease = map.IsThere(node.Id);
                if (network.IsLive(node) ?? hasLease)
                {
                    live.Add(node);
                }
                else if (!hasLease)
                {
                    _known.Remove(node.Id);
                }
            }
        }

        return new CoapClusterSlotMap(map.Version, live, [.. CoapSlot.All.Select(slot => map[slot])], map.StaleFence);
    }

    /// <summary>From now on exactly the nodes of a map are live.</summary>
    public void Update(CoapClusterSlotMap map)
    {
        Dictionary<CoapNodeId, (CoapClusterNode Node, NodePeer Peer)> before = Volatile.Read(ref _up);
        Dictionary<CoapNodeId, (CoapClusterNode Node, NodePeer Peer)> now = [];
        foreach (CoapClusterNode node in map.Nodes.Where(node => node.Id != self))
        {
            if (network?.ServiceOf(node) is { } service)
            {
                now[node.Id] = (node, before.GetValueOrDefault(node.Id).Peer ?? PeerOf(node, service));
            }
        }

        Volatile.Write(ref _up, now);
        foreach ((CoapNodeId id, (_, NodePeer peer)) in before.Where(pair => !now.ContainsKey(pair.Key)))
        {
            peer.End();
            Array.ForEach(_listeners, listener => listener.OnDown(id));
        }

        foreach (CoapNodeId id in now.Keys.Where(id => !before.ContainsKey(id)))
        {
            Array.ForEach(_listeners, listener => listener.OnUp(id));
        }
    }

    public bool IsUp(CoapNodeId node) => Find(node) is not null;

    /// <summary>Returns a node; null if it is not live.</summary>
    public NodePeer? Find(CoapNodeId node) => Volatile.Read(ref _up).GetValueOrDefault(node).Peer;

    /// <summary>Returns the address of the host of a node; null if the node is not live.</summary>
    public CoapAddress? AddressOf(CoapNodeId node) =>
        Volatile.Read(ref _up).TryGetValue(node, out (CoapClusterNode Node, NodePeer Peer) up) ? network?.HostOf(up.Node) : null;

    /// <summary>Adds a listener; before the start.</summary>
    public void Listen(INodeLivenessListener listener) => _listeners = [.. _listeners, listener];

    /// <summary>Asks a node.</summary>
    /// <typeparam name="T">The type of the answer.</typeparam>
    /// <param name="node">The node.</param>
    /// <param name="ask">Calls it.</param>
    /// <param name="timeout">The maximum time to wait for the answer.</param>
    /// <returns>The answer; null if there is none in time. The node may have received the question all the same.</returns>
    public async Task<T?> AskAsync<T>(CoapNodeId node, Func<INodeService, Task<T?>> ask, TimeSpan timeout)
    {
        try
        {
            return Find(node) is { } peer ? await ask(peer.Service).WaitAsync(timeout, time).ConfigureAwait(false) : default;
        }
#pragma warning disable CA1031 // whatever the reason: there is no answer, and it is asked again later
        catch (Exception)
#pragma warning restore CA1031
        {
            return default;
        }
    }

    /// <summary>The node ends: its records are written, and it releases its lease next.</summary>
    public void End()
    {
        foreach ((_, NodePeer peer) in Volatile.Read(ref _up).Values)
        {
            peer.End();
        }

        network?.End();
    }

    private NodePeer PeerOf(CoapClusterNode node, INodeService service) => new(self, service, count =>
    {
        if (_dropped.IsDue())
        {
            NodesLog.PostsDropped(logger, node.Id, count);
        }
    }, time);
}
