using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Mesh;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Oscore;

/// <summary>
/// Relays messages of clients whose OSCORE context another node has, as posts between nodes. Each server with OSCORE has a
/// <see cref="OscoreSteering"/> in it. Thread-safe.
/// </summary>
internal sealed class OscoreRelays
{
    private readonly CoapCluster _cluster;
    private readonly ClusterDatagramRelay _relays;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private OscoreSteering[] _servers = [];
    private SuspensionDetector? _watch;
    private long _servesUntil = long.MaxValue;

    /// <summary>Creates the relays; before the node starts.</summary>
    /// <param name="cluster">The node.</param>
    /// <param name="relays">Has the counters, and the numbers of nodes.</param>
    /// <param name="time">The clock.</param>
    public OscoreRelays(CoapCluster cluster, ClusterDatagramRelay relays, TimeProvider time) =>
        (_cluster, _relays, _time) = (cluster, relays, time);

    /// <summary>Whether this node may use its contexts: it has not stood still.</summary>
    public bool IsServing => _time.GetTimestamp() < Volatile.Read(ref _servesUntil);

    /// <summary>The current number of clients whose messages go to other nodes.</summary>
    public int FlowCount => Volatile.Read(ref _servers).Sum(static server => server.FlowCount);

    /// <summary>Configures the options of a server with OSCORE. It does nothing without other nodes.</summary>
    public void Use(CoapEndpointOptions options, string server)
    {
        if (!_cluster.Peers.IsOn || !options.Pipeline.IsReplaced(CoapStages.Protection))
        {
            return;
        }

        OscoreSteering steering = new(_cluster, this, _relays, Encoding.UTF8.GetBytes(server), _time);
        options.Pipeline
            .Insert(CoapStageLinks.TransportToChannel, () => new OscoreSteeringBlock(steering.TryRelay))
            .Insert(CoapStageLinks.ChannelToSerializer, () => new OscoreSteeringBlock(OscoreSteering.Remember))
            .Insert(CoapStageLinks.ChannelToTransport, () => new OscoreSteeringBlock(steering.TryReturn));
        lock (_gate)
        {
            Array.Find(_servers, other => other.IsOf(server))?.Dispose();
            _servers = [.. _servers.Where(other => !other.IsOf(server)), steering];
        }
    }

    /// <summary>Connects a server, before it starts.</summary>
    public void Attach(CoapServer server, string name)
    {
        if (Array.Find(Volatile.Read(ref _servers), other => other.IsOf(name)) is not { } steering)
        {
            return;
        }

        steering.Attach(server.Endpoint);
        lock (_gate)
        {
            if (_watch is not null)
            {
                return;
            }

            // What is lost shows at its next use.
            _watch = _cluster.WatchSuspension(static () => Task.CompletedTask);
        }

        _watch.Start(span => Volatile.Write(ref _servesUntil, _time.GetTimestamp() + (long)(span.TotalSeconds * _time.TimestampFrequency)));
    }

    /// <summary>Ends with the cluster.</summary>
    public void End()
    {
        lock (_gate)
        {
            _watch?.Stop();
        }

        Array.ForEach(Volatile.Read(ref _servers), static server => server.Dispose());
    }

    /// <summary>Returns what relays a request to the owner of the slot of its context.</summary>
    /// <returns>Null if it cannot be relayed: only this node has the session or connection of its client.</returns>
    public Action<CoapMessage>? FindRelay(CoapSlot slot, CoapChannel channel) =>
        !channel.IsConnection && !channel.IsGroup
            && Array.Find(Volatile.Read(ref _servers), server => server.Has(channel)) is { } server
            ? request => server.Relay(slot, channel, request)
            : null;

    /// <summary>Sends a message of a client to the owner of a slot.</summary>
    public bool TrySend(CoapNodeId owner, in RelayedDatagram item)
    {
        bool isSent = item.TryPost(_cluster.Peers.Find(owner)?.Oscore);
        if (isSent)
        {
            _relays.Counts.OnRelayed();
        }

        return isSent;
    }

    /// <summary>Sends a message to the node at which those of its client arrive.</summary>
    public bool TryReturn(CoapNodeId node, in RelayedDatagram item) => item.TryPost(_cluster.Peers.Find(node)?.OscoreReturns);

    /// <summary>Handles a message of another node.</summary>
    public void TakeForOwner(CoapNodeId from, in RelayedDatagram item)
    {
        if (item.Slot is { } slot && Find(item.Server) is { } server
            && _cluster.Map[slot].Node == _cluster.Self.Id
            && server.Receive(_relays.NumberOf(item.Origin.IsSet ? item.Origin : from), slot, item))
        {
            _relays.Counts.OnReceived();
        }
        else
        {
            _relays.Counts.OnStray();
        }
    }

    /// <summary>Handles a message of another node for a client of this one.</summary>
    public void TakeForClient(in RelayedDatagram item)
    {
        if (item.Slot is { } slot && Find(item.Server) is { } server
            && server.SendToClient(slot, item))
        {
            _relays.Counts.OnReturned();
        }
        else
        {
            _relays.Counts.OnStray();
        }
    }

    private OscoreSteering? Find(ReadOnlySpan<byte> name)
    {
        foreach (OscoreSteering server in Volatile.Read(ref _servers))
        {
            if (name.SequenceEqual(server.Server))
            {
                return server;
            }
        }

        return null;
    }
}

/// <summary>Shows the datagrams at a link to the steering, which may take them.</summary>
/// <param name="take">Returns whether it has dealt with a datagram; otherwise the datagram passes.</param>
internal sealed class OscoreSteeringBlock(Func<CoapDatagram, bool> take)
    : InlineBlock<CoapDatagram, CoapDatagram>(new CoapCounters(), NullLogger.Instance)
{
    internal override void Process(CoapDatagram item)
    {
        if (take(item))
        {
            item.Dispose();
        }
        else
        {
            Offer(item);
        }
    }
}
