using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Notifications;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>
/// Connects the nodes through their silos. The store knows the silo of each node, and Orleans which silos are live: a node that only loses
/// its store for a while keeps its slots, and a dead one loses them before its lease ends. Thread-safe.
/// </summary>
internal sealed class SiloPeers : INodePeers, ISiloStatusListener, IDisposable
{
    // Says what kind of address it is.
    private const string Scheme = "orleans://";

    // The path of changes of servers.
    private const string Changes = "/changes";

    private readonly CoapNodeId _self;
    private readonly Func<SiloAddress, ICoapNodeService> _services;
    private readonly ISiloStatusOracle _silos;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly RateLimitedLog _dropped;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, NodePostHandler> _handlers = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>>> _answers = new(StringComparer.Ordinal);

    // The nodes that were in a map of the store and whose silos live, and this one.
    private readonly Dictionary<CoapNodeId, (CoapClusterNode Node, SiloAddress Silo)> _known = [];
    private CoapClusterNode? _own;
    private INodeLivenessListener[] _listeners = [];

    // Replaced as a whole; read without the lock.
    private Dictionary<CoapNodeId, SiloPeer> _up = [];

    /// <summary>Creates the peers of a node.</summary>
    /// <param name="self">The node.</param>
    /// <param name="silo">Its silo.</param>
    /// <param name="services">Returns the service of the node of a silo.</param>
    /// <param name="silos">Knows which silos are live.</param>
    /// <param name="deathDelay">The shortest time after which Orleans may declare a silo dead that does not answer.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log of the cluster.</param>
    public SiloPeers(
        CoapNodeId self, SiloAddress silo, Func<SiloAddress, ICoapNodeService> services, ISiloStatusOracle silos,
        TimeSpan deathDelay, TimeProvider time, ILogger logger)
    {
        DeathDelay = deathDelay;
        _self = self;
        _services = services;
        _silos = silos;
        _time = time;
        _logger = logger;
        _dropped = new RateLimitedLog(time);
        Silo = silo;
        Address = Scheme + silo.ToParsableString();
        Notices = new ClusterNotifications(
            (node, names) => ServiceOf(node)?.PostAsync(_self.Value, Changes, [.. names.Select(Encoding.UTF8.GetBytes)])
                ?? Task.CompletedTask,
            time, logger);
        Listen(Notices);
        silos.SubscribeToSiloStatusEvents(this);
    }

    /// <inheritdoc/>
    public event Action? LivenessChanged;

    public SiloAddress Silo { get; }

    /// <summary>Reports changes to other nodes.</summary>
    public ClusterNotifications Notices { get; }

    /// <inheritdoc/>
    public bool IsOn => true;

    /// <inheritdoc/>
    public TimeSpan DeathDelay { get; }

    /// <inheritdoc/>
    public string Address { get; }

    /// <inheritdoc/>
    public IReadOnlyList<CoapNodeId> Up => [.. Volatile.Read(ref _up).Keys];

    /// <summary>Returns the service of a node; null if the node is not live.</summary>
    public ICoapNodeService? ServiceOf(CoapNodeId node) => Find(node) is { } peer ? _services(peer.Silo) : null;

    /// <summary>Returns the silo of a node of a map; null if it is not the node of a silo.</summary>
    public static SiloAddress? SiloOf(CoapClusterSlotMap map, CoapNodeId node) =>
        map.Nodes.FirstOrDefault(one => one.Id == node) is { } found ? SiloOf(found) : null;

    /// <inheritdoc/>
    public CoapClusterSlotMap LiveOf(CoapClusterSlotMap map)
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
                // Orleans may learn later than the store of a silo that has just started.
                bool hasLease = map.IsThere(id);
                SiloStatus status = statuses.GetValueOrDefault(silo, hasLease ? SiloStatus.Joining : SiloStatus.Dead);
                if (status != SiloStatus.Dead
                    && (hasLease || status is SiloStatus.Active or SiloStatus.ShuttingDown or SiloStatus.Stopping))
                {
                    live.Add(node);
                }
                else if (!hasLease)
                {
                    _known.Remove(id);
                }
            }
        }

        return new CoapClusterSlotMap(map.Version, live, [.. CoapSlot.All.Select(slot => map[slot])], map.StaleFence);
    }

    /// <inheritdoc/>
    public void Update(CoapClusterSlotMap map)
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
                Report(listener => listener.OnDown(id));
            }
        }

        foreach (CoapNodeId id in now.Keys.Where(id => !before.ContainsKey(id)))
        {
            Report(listener => listener.OnUp(id));
        }
    }

    /// <inheritdoc/>
    public bool IsUp(CoapNodeId node) => Find(node) is not null;

    /// <inheritdoc/>
    public CoapAddress? AddressOf(CoapNodeId node) => Find(node) is { } peer ? CoapAddress.FromIPEndPoint(peer.Silo.Endpoint) : null;

    /// <inheritdoc/>
    public void Listen(INodeLivenessListener listener) => _listeners = [.. _listeners, listener];

    /// <inheritdoc/>
    public void Attach(CoapServer server, string name) => Notices.Attach(server, name);

    /// <inheritdoc/>
    public void MapBatch(string path, NodePostHandler handler) => _handlers.Add(path, handler);

    /// <inheritdoc/>
    public void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>> answer) => _answers.Add(path, answer);

    /// <inheritdoc/>
    public bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item) => Find(node)?.Posts.TryPost(path, item) == true;

    /// <inheritdoc/>
    public bool IsStalled(CoapNodeId node, string path) => Find(node)?.Posts.IsStalled(path) == true;

    /// <inheritdoc/>
    public async Task<byte[]?> RequestAsync(CoapNodeId node, string path, byte[] question, TimeSpan timeout)
    {
        try
        {
            return ServiceOf(node) is { } service
                ? await service.RequestAsync(_self.Value, path, question).WaitAsync(timeout, _time).ConfigureAwait(false)
                : null;
        }
#pragma warning disable CA1031 // whatever the reason: there is no answer, and it is asked again later
        catch (Exception)
#pragma warning restore CA1031
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public void End()
    {
        // Orleans reports the end of the silo.
    }

    /// <summary>Handles posts of another node.</summary>
    public void Take(Guid from, string path, byte[][] items)
    {
        CoapNodeId node = new(from);
        if (path == Changes)
        {
            Notices.Apply([.. items.Select(Encoding.UTF8.GetString)]);
        }

        if (!_handlers.TryGetValue(path, out NodePostHandler? handler))
        {
            return;
        }

        foreach (byte[] item in items)
        {
            try
            {
                handler(node, item);
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
    public Task<byte[]?> AnswerAsync(Guid from, string path, byte[] question) =>
        _answers.TryGetValue(path, out Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>>? answers)
            ? answers(new CoapNodeId(from), question)
            : Task.FromResult<byte[]?>(null);

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

    private SiloPeer PeerOf(SiloAddress silo) => new(silo, new NodeSendQueue(
        (path, items) => _services(silo).PostAsync(_self.Value, path, items),
        count =>
        {
            if (_dropped.IsDue())
            {
                SiloLog.PostsDropped(_logger, silo, count);
            }
        },
        _time));

    private void Report(Action<INodeLivenessListener> tell)
    {
        foreach (INodeLivenessListener listener in _listeners)
        {
            tell(listener);
        }
    }

    private sealed record SiloPeer(SiloAddress Silo, NodeSendQueue Posts);
}
