using System.Collections.Concurrent;
using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Oscore;

/// <summary>
/// Relays the datagrams of clients of one server whose OSCORE contexts other nodes have. The first request of a client says which context
/// it uses; from then on all datagrams from its address go to the owner of the slot of that context, which also gets the acknowledgements
/// of its answers. Thread-safe.
/// </summary>
internal sealed class OscoreSteering : IDisposable
{
    /// <summary>
    /// The maximum number of clients. With more of them, the source with the most loses the one that was silent for longest.
    /// </summary>
    public const int MaxFlows = 65_536;

    // The lifetime of an exchange (RFC 7252 section 4.8.2).
    private static readonly TimeSpan s_lifetime = CoapTransmissionParameters.Default.ExchangeLifetime;
    private static readonly CoapDatagramSerializer s_serializer = new();

    private readonly CoapCluster _cluster;
    private readonly OscoreRelays _contexts;
    private readonly ClusterDatagramRelay _relays;
    private readonly byte[] _server;
    private readonly TimeProvider _time;
    private readonly RelayRateLimiter _budget;
    private readonly RelayedDatagramTransport _relayed = new();
    private readonly ITimer _timer;
    private readonly ConcurrentDictionary<CoapAddress, RelayedOscoreClient> _flows = [];

    // Under the lock. The number is read without it.
    private readonly Lock _gate = new();
    private readonly SourceUsage<RelayedOscoreClient> _bySource = new();
    private int _count;
    private CoapEndpoint? _endpoint;

    // Where a datagram arrived: the address of this end.
    private RelayedOscoreClient? _own;

    /// <summary>Creates the steering of a server.</summary>
    /// <param name="cluster">The node.</param>
    /// <param name="contexts">Sends to other nodes.</param>
    /// <param name="relays">Has the counters, and the numbers of nodes.</param>
    /// <param name="server">The name of the server, in UTF-8.</param>
    /// <param name="time">The clock.</param>
    public OscoreSteering(CoapCluster cluster, OscoreRelays contexts, ClusterDatagramRelay relays, byte[] server, TimeProvider time)
    {
        (_cluster, _contexts, _relays, _server, _time) = (cluster, contexts, relays, server, time);
        _budget = new RelayRateLimiter(time);
        _timer = time.CreateTimer(
            static steering => ((OscoreSteering)steering!).RemoveIdle(), this, s_lifetime / 4, s_lifetime / 4);
    }

    /// <summary>The name of the server, in UTF-8.</summary>
    public ReadOnlySpan<byte> Server => _server;

    /// <summary>The current number of clients whose messages go to other nodes.</summary>
    public int FlowCount => Volatile.Read(ref _count);

    /// <summary>Whether the messages of a client go to another node.</summary>
    public bool Knows(CoapAddress remote) => _flows.ContainsKey(remote);

    public bool IsOf(string server) => Server.SequenceEqual(Encoding.UTF8.GetBytes(server));

    /// <summary>Whether a channel belongs to the server.</summary>
    public bool Has(CoapChannel channel) => Volatile.Read(ref _endpoint)?.Environment == channel.Shard.Environment;

    /// <summary>Connects the server, before it starts.</summary>
    public void Attach(CoapEndpoint endpoint)
    {
        endpoint.AddTransport(_relayed);
        Volatile.Write(ref _endpoint, endpoint);
    }

    public void Dispose() => _timer.Dispose();

    /// <summary>Relays a datagram of a client that another node serves.</summary>
    /// <param name="datagram">The datagram; not taken over.</param>
    /// <returns>False if it is for this node.</returns>
    public bool TryRelay(CoapDatagram datagram)
    {
        if (datagram.Via != 0 || datagram.Channel is not null || datagram.Transport is not { } transport)
        {
            return false;
        }

        if (_own is null && !datagram.Local.IsMulticast)
        {
            Volatile.Write(ref _own, new RelayedOscoreClient(default, transport)
            {
                Local = datagram.Local,
                TransportTag = datagram.TransportTag,
            });
        }

        if (FlowCount == 0 || !_flows.TryGetValue(datagram.Remote, out RelayedOscoreClient? flow) || flow.Transport != transport)
        {
            return false;
        }

        CoapClusterSlotMap map = _cluster.Map;
        CoapNodeId owner = map[flow.Slot].Node;
        if (owner == _cluster.Self.Id)
        {
            Remove(flow);
            return false;
        }

        flow.LastUsed = _time.GetTimestamp();
        SendToOwner(map, owner, flow.Slot, datagram.Remote, default, datagram.Span);
        return true;
    }

    /// <summary>Remembers which node relayed the last datagram of a peer.</summary>
    /// <param name="datagram">The datagram, with its channel.</param>
    /// <returns>False: it passes.</returns>
    public static bool Remember(CoapDatagram datagram)
    {
        if (datagram.Channel is { IsConnection: false } channel && RelayingNode.Of(channel) != datagram.Via)
        {
            RelayingNode.Set(channel, datagram.Via);
        }

        return false;
    }

    /// <summary>Relays a request to the owner of the slot of its context; further datagrams of its client follow.</summary>
    public void Relay(CoapSlot slot, CoapChannel channel, CoapMessage request)
    {
        CoapNodeId origin = default;
        if (RelayingNode.Of(channel) is var via && via != 0)
        {
            // Its client uses several contexts.
            origin = OriginOf(via);
        }
        else
        {
            Add(new RelayedOscoreClient(channel.Remote, channel.Transport)
            {
                Local = channel.Local,
                TransportTag = channel.TransportTag,
                Slot = slot,
                LastUsed = _time.GetTimestamp(),
            });
        }

        CoapClusterSlotMap map = _cluster.Map;
        if (map[slot].Node is var owner && owner != _cluster.Self.Id)
        {
            SendToOwner(map, owner, slot, channel.Remote, origin, s_serializer.Serialize(request));
        }
    }

    /// <summary>Receives a datagram that another node relayed.</summary>
    /// <param name="node">The number of the node at which it arrived; 0 for this one.</param>
    /// <param name="slot">The slot of the client's context.</param>
    /// <param name="item">The datagram.</param>
    /// <returns>Whether it was accepted.</returns>
    public bool Receive(int node, CoapSlot slot, in RelayedDatagram item)
    {
        if (Own is not { } own)
        {
            return false;
        }

        CoapDatagram datagram = Make(own, item.Remote, item.Datagram);
        datagram.Via = node == 0 ? 0 : (node << 8) | slot.Number;
        return _relayed.Receive(datagram);
    }

    /// <summary>Sends a message to the node at which the datagrams of its client arrive.</summary>
    /// <param name="datagram">The message; not taken over.</param>
    /// <returns>False if they arrive at this node.</returns>
    public bool TryReturn(CoapDatagram datagram)
    {
        if (datagram.Channel is not { IsConnection: false } channel || RelayingNode.Of(channel) is not (not 0 and var via))
        {
            return false;
        }

        CoapNodeId origin = OriginOf(via);
        RelayedDatagram item = ItemOf(_cluster.Map, new CoapSlot((byte)via), datagram.Remote, default, datagram.Span);
        if (!origin.IsSet || !_contexts.TryReturn(origin, item))
        {
            _relays.Counts.OnStray();
        }

        return true;
    }

    /// <summary>Sends a message of another node to a client whose datagrams arrive here.</summary>
    public bool SendToClient(CoapSlot slot, in RelayedDatagram item)
    {
        if (!_flows.TryGetValue(item.Remote, out RelayedOscoreClient? flow))
        {
            // After a long silence, or a restart of this node.
            if (Own is not { } own)
            {
                return false;
            }

            flow = new RelayedOscoreClient(item.Remote, own.Transport) { Local = own.Local, TransportTag = own.TransportTag, Slot = slot };
            Add(flow);
        }

        flow.LastUsed = _time.GetTimestamp();
        flow.Transport.Send(Make(flow, item.Remote, item.Datagram));
        return true;
    }

    // Before the first datagram: the only address that it listens on.
    private RelayedOscoreClient? Own => Volatile.Read(ref _own)
        ?? (Volatile.Read(ref _endpoint)?.Core.Transports.StartedAs<CoapUdpTransport>("coap") is { } sockets
            ? new RelayedOscoreClient(default, sockets)
            : null);

    private static CoapDatagram Make(RelayedOscoreClient flow, in CoapAddress remote, ReadOnlySpan<byte> bytes)
    {
        CoapDatagram datagram = new(bytes.Length)
        {
            Length = bytes.Length,
            Remote = remote,
            Local = flow.Local,
            TransportTag = flow.TransportTag,
            Transport = flow.Transport,
        };
        bytes.CopyTo(datagram.Buffer);
        return datagram;
    }

    private CoapNodeId OriginOf(int via) => _relays.OriginOf(via >> 8);

    private void SendToOwner(
        CoapClusterSlotMap map, CoapNodeId owner, CoapSlot slot, in CoapAddress remote, CoapNodeId origin, ReadOnlySpan<byte> bytes)
    {
        if (!_budget.TryUse(remote))
        {
            _relays.Counts.OnRefused();
        }
        else if (!map.IsThere(owner) || !_contexts.TrySend(owner, ItemOf(map, slot, remote, origin, bytes)))
        {
            // Its slot has no owner for a moment. The client retransmits it.
            _relays.Counts.OnStray();
        }
    }

    private RelayedDatagram ItemOf(
        CoapClusterSlotMap map, CoapSlot slot, in CoapAddress remote, CoapNodeId origin, ReadOnlySpan<byte> bytes) => new()
        {
            Server = _server,
            Version = map.Version,
            Slot = slot,
            Remote = remote,
            Origin = origin,
            Datagram = bytes,
        };

    /// <summary>Adds a client, in place of what was known of it.</summary>
    public void Add(RelayedOscoreClient flow)
    {
        lock (_gate)
        {
            if (_flows.TryGetValue(flow.Remote, out RelayedOscoreClient? before))
            {
                RemoveLocked(before);
            }
            else if (_bySource.Total >= MaxFlows)
            {
                RemoveLocked(_bySource.Greediest!.First!.Owner);
            }

            _flows[flow.Remote] = flow;
            _bySource.Set(flow.UsageEntry, 1);
            Volatile.Write(ref _count, (int)_bySource.Total);
        }
    }

    private void Remove(RelayedOscoreClient flow)
    {
        lock (_gate)
        {
            RemoveLocked(flow);
        }
    }

    private void RemoveLocked(RelayedOscoreClient flow)
    {
        if (_flows.TryRemove(new(flow.Remote, flow)))
        {
            _bySource.Set(flow.UsageEntry, 0);
            Volatile.Write(ref _count, (int)_bySource.Total);
        }
    }

    private void RemoveIdle()
    {
        foreach (RelayedOscoreClient flow in _flows.Values)
        {
            if (_time.GetElapsedTime(flow.LastUsed) >= s_lifetime)
            {
                Remove(flow);
            }
        }
    }
}

/// <summary>A client whose messages go to the node with its OSCORE context, and where they arrive.</summary>
internal sealed class RelayedOscoreClient(CoapAddress remote, CoapTransport transport)
{
    private SourceUsage<RelayedOscoreClient>.UsageEntry? _holding;

    public CoapAddress Remote { get; } = remote;

    public CoapTransport Transport { get; } = transport;

    /// <summary>The address and socket at which its datagrams arrive; the wildcard if only an answer for it has come.</summary>
    public CoapAddress Local { get; init; }

    /// <inheritdoc cref="Local"/>
    public int TransportTag { get; init; }

    /// <summary>The slot of the context that it used last.</summary>
    public CoapSlot Slot { get; init; }

    /// <summary>The time of its last message, in either direction.</summary>
    public long LastUsed { get; set; }

    public SourceUsage<RelayedOscoreClient>.UsageEntry UsageEntry =>
        _holding ??= new SourceUsage<RelayedOscoreClient>.UsageEntry(this, CoapSourceGroupingRule.Default.Of(Remote));
}
