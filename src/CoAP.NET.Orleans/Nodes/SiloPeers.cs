using CoAP.NET.Cluster;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>
/// Connects the nodes through their silos. The store knows the silo of each node, and Orleans which silos are live: a node that only loses
/// its store for a while keeps its slots, and a dead one loses them before its lease ends. Thread-safe.
/// </summary>
internal sealed class SiloPeers : INodeLinks, ISiloStatusListener, IDisposable
{
    // Distinguishes the address of a silo from that of a link.
    private const string Scheme = "orleans://";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly CoapNodeId _self;
    private readonly CoapNodeClient _client;
    private readonly ISiloStatusOracle _silos;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly OccasionalLog _dropped;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, ClusterItemHandler> _handlers = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Func<CoapNodeId, ReadOnlyMemory<byte>, byte[]?>> _answers = new(StringComparer.Ordinal);

    // The nodes that were in a map of the store and whose silos live, and this one.
    private readonly Dictionary<CoapNodeId, (CoapClusterNode Node, SiloAddress Silo)> _known = [];
    private CoapClusterNode? _own;
    private IClusterLinkListener[] _listeners = [];

    // Replaced as a whole; read without the lock.
    private Dictionary<CoapNodeId, SiloPeer> _up = [];

    /// <summary>Creates the peers of a node.</summary>
    /// <param name="self">The node.</param>
    /// <param name="silo">Its silo.</param>
    /// <param name="client">Addresses the services of nodes.</param>
    /// <param name="silos">Knows which silos are live.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log of the cluster.</param>
    public SiloPeers(
        CoapNodeId self, SiloAddress silo, CoapNodeClient client, ISiloStatusOracle silos, TimeProvider time, ILogger logger)
    {
        _self = self;
        _client = client;
        _silos = silos;
        _time = time;
        _logger = logger;
        _dropped = new OccasionalLog(time);
        Silo = silo;
        Address = Scheme + silo.ToParsableString();
        Notices = new SiloNotices(this, time, logger);
        Listen(Notices);
        silos.SubscribeToSiloStatusEvents(this);
    }

    /// <inheritdoc/>
    public event Action? LivenessChanged;

    /// <summary>The silo of this node.</summary>
    public SiloAddress Silo { get; }

    /// <summary>Reports changes to other nodes.</summary>
    public SiloNotices Notices { get; }

    /// <inheritdoc/>
    public bool IsOn => true;

    /// <inheritdoc/>
    public bool DecidesOwners => true;

    /// <inheritdoc/>
    public string Address { get; }

    /// <inheritdoc/>
    public IReadOnlyList<CoapNodeId> Up => [.. Volatile.Read(ref _up).Keys];

    /// <summary>Returns the service of a node; null if the node is not live.</summary>
    /// <param name="node">The node.</param>
    public ICoapNodeService? ServiceOf(CoapNodeId node) => Find(node) is { } peer ? _client.At(peer.Silo) : null;

    /// <summary>Returns the silo of a node of a map; null if it is not the node of a silo.</summary>
    /// <param name="map">The map.</param>
    /// <param name="node">The node.</param>
    public static SiloAddress? SiloOf(CoapClusterMap map, CoapNodeId node) =>
        map.Nodes.FirstOrDefault(one => one.Id == node) is { } found ? SiloOf(found) : null;

    /// <inheritdoc/>
    public CoapClusterMap LiveOf(CoapClusterMap map)
    {
        Dictionary<SiloAddress, SiloStatus> statuses = _silos.GetApproximateSiloStatuses();
        List<CoapClusterNode> live;
        lock (_gate)
        {
            foreach (CoapClusterNode node in map.Nodes)
            {
                if (node.Id == _self)
                {
                    _own = node;
                }
                else if (SiloOf(node) is { } silo)
                {
                    _known[node.Id] = (node, silo);
                }
            }

            live = _own is null ? [] : [_own];
            foreach ((CoapNodeId id, (CoapClusterNode node, SiloAddress silo)) in _known.ToArray())
            {
                // Orleans may hear later than the store of a silo that has just started.
                bool hasLease = map.IsThere(id);
                SiloStatus status = statuses.GetValueOrDefault(silo, hasLease ? SiloStatus.Joining : SiloStatus.Dead);
                if (status != SiloStatus.Dead && (hasLease || status is SiloStatus.Active or SiloStatus.ShuttingDown or SiloStatus.Stopping))
                {
                    live.Add(node);
                }
                else if (!hasLease)
                {
                    _known.Remove(id);
                }
            }
        }

        return new CoapClusterMap(map.Version, live, [.. CoapSlot.All.Select(slot => map[slot])], map.StaleFence);
    }

    /// <inheritdoc/>
    public void Update(CoapClusterMap map)
    {
        Dictionary<CoapNodeId, SiloPeer> before = Volatile.Read(ref _up);
        Dictionary<CoapNodeId, SiloPeer> now = [];
        foreach (CoapClusterNode node in map.Nodes.Where(node => node.Id != _self))
        {
            if (SiloOf(node) is { } silo)
            {
                now[node.Id] = before.GetValueOrDefault(node.Id) ?? PeerOf(silo);
            }
        }

        Volatile.Write(ref _up, now);
        foreach ((CoapNodeId id, SiloPeer peer) in before)
        {
            if (!now.ContainsKey(id))
            {
                peer.Posts.End();
                Tell(listener => listener.OnDown(id));
            }
        }

        foreach (CoapNodeId id in now.Keys.Where(id => !before.ContainsKey(id)))
        {
            Tell(listener => listener.OnUp(id));
        }
    }

    /// <inheritdoc/>
    /// <remarks>A silo verifies that it reaches the others before it becomes active.</remarks>
    public IReadOnlyList<CoapNodeId> FindMissing(CoapClusterMap map) => [];

    /// <inheritdoc/>
    public bool IsUp(CoapNodeId node) => Find(node) is not null;

    /// <inheritdoc/>
    public CoapAddress? AddressOf(CoapNodeId node) => Find(node) is { } peer ? CoapAddress.FromIPEndPoint(peer.Silo.Endpoint) : null;

    /// <inheritdoc/>
    public void Listen(IClusterLinkListener listener) => _listeners = [.. _listeners, listener];

    /// <inheritdoc/>
    public void Attach(CoapServer server, string name) => Notices.Attach(server, name);

    /// <inheritdoc/>
    public void MapBatch(string path, ClusterItemHandler handler) => _handlers.Add(path, handler);

    /// <inheritdoc/>
    public void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, byte[]?> answer) => _answers.Add(path, answer);

    /// <inheritdoc/>
    public bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item) => Find(node)?.Posts.TryPost(path, item) == true;

    /// <inheritdoc/>
    public bool IsStalled(CoapNodeId node, string path) => Find(node)?.Posts.IsStalled(path) == true;

    /// <inheritdoc/>
    public async Task<byte[]?> AskAsync(CoapNodeId node, string path, byte[] question)
    {
        try
        {
            return ServiceOf(node) is { } service
                ? await service.AskAsync(_self.Value, path, question).WaitAsync(s_patience, _time).ConfigureAwait(false)
                : null;
        }
#pragma warning disable CA1031 // whatever the reason: there is no answer, and it is asked again later
        catch (Exception)
#pragma warning restore CA1031
        {
            return null;
        }
    }

    /// <summary>Handles posts of another node.</summary>
    /// <param name="from">The node.</param>
    /// <param name="path">The path.</param>
    /// <param name="items">The posts.</param>
    public void Take(Guid from, string path, byte[][] items)
    {
        if (!_handlers.TryGetValue(path, out ClusterItemHandler? handler))
        {
            return;
        }

        foreach (byte[] item in items)
        {
            try
            {
                handler(new CoapNodeId(from), item);
            }
#pragma warning disable CA1031 // only this item is lost
            catch (Exception exception)
#pragma warning restore CA1031
            {
                SiloLog.HandlerFailed(_logger, path, exception);
            }
        }
    }

    /// <summary>Answers a question of another node.</summary>
    /// <param name="from">The node.</param>
    /// <param name="path">The path.</param>
    /// <param name="question">The question.</param>
    public byte[]? Answer(Guid from, string path, byte[] question) =>
        _answers.TryGetValue(path, out Func<CoapNodeId, ReadOnlyMemory<byte>, byte[]?>? answer)
            ? answer(new CoapNodeId(from), question)
            : null;

    /// <inheritdoc/>
    public void SiloStatusChangeNotification(SiloAddress updatedSilo, SiloStatus status) => LivenessChanged?.Invoke();

    /// <inheritdoc/>
    public void Dispose()
    {
        _silos.UnSubscribeFromSiloStatusEvents(this);
        Notices.Dispose();
        foreach (SiloPeer peer in Volatile.Read(ref _up).Values)
        {
            peer.Posts.End();
        }
    }

    private static SiloAddress? SiloOf(CoapClusterNode node) =>
        node.Address.StartsWith(Scheme, StringComparison.Ordinal) ? SiloAddress.FromParsableString(node.Address[Scheme.Length..]) : null;

    private SiloPeer? Find(CoapNodeId node) => Volatile.Read(ref _up).GetValueOrDefault(node);

    private SiloPeer PeerOf(SiloAddress silo) => new(silo, new NodePosts(
        (path, items) => _client.At(silo).PostAsync(_self.Value, path, items),
        count =>
        {
            if (_dropped.IsDue())
            {
                SiloLog.PostsDropped(_logger, silo, count);
            }
        },
        _time));

    private void Tell(Action<IClusterLinkListener> tell)
    {
        foreach (IClusterLinkListener listener in _listeners)
        {
            tell(listener);
        }
    }

    private sealed record SiloPeer(SiloAddress Silo, NodePosts Posts);
}
