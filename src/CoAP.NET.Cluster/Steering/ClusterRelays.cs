using System.Buffers;

namespace CoAP.NET.Cluster;

/// <summary>
/// Brings datagrams that reached the wrong node to the one that has their session, and answers back, over the links between nodes: those
/// that do not fit into a packet, and all where no packets come through (<see cref="RelayWays"/>). Each server of the process has a
/// <see cref="ClusterSteering"/> in it. Thread-safe.
/// </summary>
internal sealed class ClusterRelays : IClusterLinkListener
{
    // What goes to the owner of a slot, and what comes back from there.
    private const string ToOwner = "/relay";
    private const string ToClient = "/return";

    private readonly ClusterLinks _links;
    private readonly Lock _gate = new();

    // Numbers of nodes are what a server keeps of a way, so each means the same node as long as the process lives.
    private readonly Dictionary<CoapNodeId, int> _numbers = [];
    private readonly List<CoapNodeId> _nodes = [default];
    private ClusterSteering[] _servers = [];

    /// <summary>Makes it; before the links start.</summary>
    /// <param name="links">The links.</param>
    public ClusterRelays(ClusterLinks links)
    {
        _links = links;
        links.MapBatch(ToOwner, TakeForOwner);
        links.MapBatch(ToClient, TakeForClient);
        links.Routes.MapPost(RelayWays.Path, Offer).RunInline();
        links.Listen(this);
    }

    /// <summary>Counts what happens.</summary>
    public SteeringCounts Counts { get; } = new();

    /// <summary>The steering of each server.</summary>
    public IReadOnlyList<ClusterSteering> Servers => Volatile.Read(ref _servers);

    /// <summary>How many datagrams are held just now.</summary>
    public int HeldCount => Volatile.Read(ref _servers).Sum(static server => server.HeldCount);

    /// <summary>Adds the steering of a server, in place of one that has the same name.</summary>
    /// <param name="server">The steering.</param>
    public void Add(ClusterSteering server)
    {
        lock (_gate)
        {
            _servers = [.. _servers.Where(other => !other.Server.SequenceEqual(server.Server)), server];
        }
    }

    /// <summary>Takes one out.</summary>
    /// <param name="server">The steering.</param>
    public void Remove(ClusterSteering server)
    {
        lock (_gate)
        {
            _servers = [.. _servers.Where(other => other != server)];
        }
    }

    /// <summary>
    /// Whether there is a link with a node now, and it takes what is relayed: one that is asleep keeps its links until its lease has ended,
    /// and what is relayed to it is lost.
    /// </summary>
    /// <param name="node">The node.</param>
    public bool IsUp(CoapNodeId node) => _links.IsUp(node) && !_links.IsStalled(node, ToOwner);

    /// <summary>Relays a datagram.</summary>
    /// <param name="node">Where to.</param>
    /// <param name="item">The datagram.</param>
    /// <returns>False when there is no link now, or the node does not take what is relayed.</returns>
    public bool TryRelay(CoapNodeId node, in RelayItem item)
    {
        bool isSent = !_links.IsStalled(node, ToOwner) && item.TryPost(_links, node, ToOwner);
        if (isSent)
        {
            Counts.OnRelayed();
        }

        return isSent;
    }

    /// <summary>Sends an answer to the node that relayed what it answers.</summary>
    /// <param name="node">The node.</param>
    /// <param name="item">The answer.</param>
    /// <returns>False when that way is gone.</returns>
    public bool TryReturn(CoapNodeId node, in RelayItem item) => item.TryPost(_links, node, ToClient);

    /// <summary>The node that a client has sent something to, where another one relays it further.</summary>
    /// <param name="via">The number of the node; 0 for this one.</param>
    /// <returns>The node; not set for this one.</returns>
    public CoapNodeId OriginOf(int via)
    {
        lock (_gate)
        {
            return via < _nodes.Count ? _nodes[via] : default;
        }
    }

    /// <summary>The number of a node, by which a server keeps that a client is heard there.</summary>
    /// <param name="node">The node.</param>
    /// <returns>The number; 0 for this one.</returns>
    public int NumberOf(CoapNodeId node)
    {
        if (node == _links.Self)
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

    /// <summary>Takes a record of another node.</summary>
    /// <param name="server">The steering of the server that it came to.</param>
    /// <param name="ways">The ways of that server.</param>
    /// <param name="entrance">Where it comes in.</param>
    /// <param name="datagram">The record.</param>
    public void TakeRecord(ClusterSteering server, RelayWays ways, RelayEntrance entrance, ReadOnlySpan<byte> datagram)
    {
        // It is decrypted in place, and what is in it as well.
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

    void IClusterLinkListener.OnUp(CoapNodeId node)
    {
        foreach (ClusterSteering server in Volatile.Read(ref _servers))
        {
            server.OnUp();
        }
    }

    void IClusterLinkListener.OnDown(CoapNodeId node)
    {
        // What comes meanwhile is held.
        foreach (ClusterSteering server in Volatile.Read(ref _servers))
        {
            server.OnDown(node);
        }
    }

    private CoapResult Offer(CoapRequest request) =>
        _links.NodeOf(request) is { IsSet: true } node && Find(request.Payload.Span)?.Offer(node, NumberOf(node)) is { } offer
            ? CoapResults.Changed(CoapContent.Binary(offer))
            : CoapResults.NotFound();

    private bool TryTake(ClusterSteering server, RelayWays ways, RelayEntrance entrance, RelayKind kind, Span<byte> content)
    {
        if (kind is RelayKind.Question or RelayKind.Answer)
        {
            if (kind == RelayKind.Answer && ways.OnAnswer(entrance.Node, content))
            {
                // What is held for it can go on.
                server.Look();
            }

            return true;
        }

        if (!RelayItem.TryRead(server.Server, content, out RelayItem item))
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

    private void TakeForOwner(CoapNodeId from, ReadOnlySpan<byte> bytes)
    {
        if (RelayItem.TryRead(bytes, out RelayItem item) && Find(item.Server) is { } server)
        {
            // What comes back to where it began counts as having come from the client.
            CoapNodeId origin = item.Origin.IsSet ? item.Origin : from;
            server.TakeRelayed(NumberOf(origin), item);
        }
        else
        {
            Counts.OnStray();
        }
    }

    private void TakeForClient(CoapNodeId from, ReadOnlySpan<byte> bytes)
    {
        if (RelayItem.TryRead(bytes, out RelayItem item) && Find(item.Server) is { } server && server.TakeAnswer(item))
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
