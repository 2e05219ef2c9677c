using System.Buffers;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// Relays datagrams from the wrong node to the one with their session, and answers back, between nodes: those that do not
/// fit into a packet, and all if packets do not get through (<see cref="UdpRelayPathTable"/>). Each server of the process has a
/// <see cref="ClusterSteering"/> in it. Thread-safe.
/// </summary>
internal sealed class ClusterDatagramRelay : INodeLivenessListener
{
    private readonly CoapNodeId _self;
    private readonly NodePeers _peers;
    private readonly Lock _gate = new();

    // A server stores the numbers of nodes, so each number means the same node for the lifetime of the process.
    private readonly Dictionary<CoapNodeId, int> _numbers = [];
    private readonly List<CoapNodeId> _nodes = [default];
    private ClusterSteering[] _servers = [];

    /// <summary>Creates the relays; before the node starts.</summary>
    public ClusterDatagramRelay(CoapNodeId self, NodePeers peers)
    {
        _self = self;
        _peers = peers;
        peers.Listen(this);
    }

    public RelayCounters Counts { get; } = new();

    /// <summary>The steering of each server.</summary>
    public IReadOnlyList<ClusterSteering> Servers => Volatile.Read(ref _servers);

    public int QueuedCount => Volatile.Read(ref _servers).Sum(static server => server.QueuedCount);

    /// <summary>Adds the steering of a server, and replaces one of the same name.</summary>
    public void Add(ClusterSteering server)
    {
        lock (_gate)
        {
            _servers = [.. _servers.Where(other => !other.Server.SequenceEqual(server.Server)), server];
        }
    }

    public void Remove(ClusterSteering server)
    {
        lock (_gate)
        {
            _servers = [.. _servers.Where(other => other != server)];
        }
    }

    /// <summary>
    /// Whether a node is live and accepts relayed datagrams: a suspended node counts as live for a while, and loses relayed
    /// datagrams.
    /// </summary>
    public bool IsUp(CoapNodeId node) => _peers.Find(node) is { Datagrams.IsStalled: false };

    /// <summary>Relays a datagram.</summary>
    /// <returns>False if the node is not live, or the node does not accept relayed datagrams.</returns>
    public bool TryRelay(CoapNodeId node, in RelayedDatagram item)
    {
        bool isSent = _peers.Find(node) is { Datagrams.IsStalled: false } peer && item.TryPost(peer.Datagrams);
        if (isSent)
        {
            Counts.OnRelayed();
        }

        return isSent;
    }

    /// <summary>Sends an answer to the node that relayed the request.</summary>
    /// <returns>False if this way no longer exists.</returns>
    public bool TryReturn(CoapNodeId node, in RelayedDatagram item) => item.TryPost(_peers.Find(node)?.DatagramReturns);

    /// <summary>Returns the node at which a client's datagram arrived, if another one relays it.</summary>
    /// <param name="via">The number of the node; 0 for this one.</param>
    /// <returns>The node; unset for this one.</returns>
    public CoapNodeId OriginOf(int via)
    {
        lock (_gate)
        {
            return via < _nodes.Count ? _nodes[via] : default;
        }
    }

    /// <summary>Returns the number of a node, by which a server records where a client's datagrams arrive.</summary>
    /// <returns>The number; 0 for this one.</returns>
    public int NumberOf(CoapNodeId node)
    {
        if (node == _self)
        {
            return 0;
        }

        lock (_gate)
        {
            if (!_numbers.TryGetValue(node, out int number))
            {
                number = _nodes.Count;
                _numbers.Add(node, number);
                _nodes.Add(node);
            }

            return number;
        }
    }

    /// <summary>Handles a record of another node.</summary>
    public void TakeRecord(ClusterSteering server, UdpRelayPathTable ways, RelayReceiver entrance, ReadOnlySpan<byte> datagram)
    {
        // The record and its content are decrypted in place.
        byte[] rented = ArrayPool<byte>.Shared.Rent(datagram.Length);
        Span<byte> record = rented.AsSpan(0, datagram.Length);
        datagram.CopyTo(record);
        bool isOpen = entrance.TryOpen(record, out RelayKind kind, out bool asks, out int lost);
        Counts.OnLost(lost);
        if (asks)
        {
            ways.Answer(entrance.Node, RelayRecord.NumberOf(record));
        }

        if (!isOpen || !TryTake(server, ways, entrance, kind, RelayRecord.ContentOf(record)))
        {
            Counts.OnStray();
        }

        ArrayPool<byte>.Shared.Return(rented);
    }

    void INodeLivenessListener.OnUp(CoapNodeId node)
    {
        foreach (ClusterSteering server in Volatile.Read(ref _servers))
        {
            server.OnUp();
        }
    }

    void INodeLivenessListener.OnDown(CoapNodeId node)
    {
        // Datagrams that arrive meanwhile are held.
        foreach (ClusterSteering server in Volatile.Read(ref _servers))
        {
            server.OnDown(node);
        }
    }

    private bool TryTake(ClusterSteering server, UdpRelayPathTable ways, RelayReceiver entrance, RelayKind kind, Span<byte> content)
    {
        if (kind is RelayKind.Question or RelayKind.Answer)
        {
            if (kind == RelayKind.Answer && ways.OnAnswer(entrance.Node, content))
            {
                // Held datagrams for it can continue.
                server.Look();
            }

            return true;
        }

        if (!RelayedDatagram.TryRead(server.Server, content, out RelayedDatagram item))
        {
            return false;
        }

        if (kind == RelayKind.ToOwner)
        {
            int via = item.Origin.IsSet ? NumberOf(item.Origin) : entrance.Number;
            server.TakeRelayed(via, item, content[^item.Datagram.Length..]);
            return true;
        }

        if (kind != RelayKind.ToClient || !server.TakeAnswer(item))
        {
            return false;
        }

        Counts.OnReturned();
        return true;
    }

    /// <summary>Returns the UDP address and key for relays of a node to a server; null if it gets them only as posts.</summary>
    public RelayPathOffer? Offer(CoapNodeId node, ReadOnlySpan<byte> server) => Find(server)?.Offer(node, NumberOf(node));

    /// <summary>Handles a posted datagram of another node.</summary>
    public void TakeForOwner(CoapNodeId from, in RelayedDatagram item)
    {
        if (Find(item.Server) is { } server)
        {
            // A datagram that returns to its origin counts as coming from the client.
            CoapNodeId origin = item.Origin.IsSet ? item.Origin : from;
            server.TakeRelayed(NumberOf(origin), item);
        }
        else
        {
            Counts.OnStray();
        }
    }

    /// <summary>Handles a posted answer of another node.</summary>
    public void TakeForClient(in RelayedDatagram item)
    {
        if (Find(item.Server)?.TakeAnswer(item) == true)
        {
            Counts.OnReturned();
        }
        else
        {
            Counts.OnStray();
        }
    }

    private ClusterSteering? Find(ReadOnlySpan<byte> name)
    {
        foreach (ClusterSteering server in Volatile.Read(ref _servers))
        {
            if (name.SequenceEqual(server.Server))
            {
                return server;
            }
        }

        return null;
    }
}
