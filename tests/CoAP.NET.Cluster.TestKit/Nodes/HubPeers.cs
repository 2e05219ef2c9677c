using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Notifications;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>The connections of one node with the others of a hub. Thread-safe.</summary>
internal sealed class HubPeers : INodePeers
{
    private readonly NodeHub _hub;
    private readonly CancellationTokenSource _end = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<string, NodePostHandler> _handlers = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>>> _answers = new(StringComparer.Ordinal);

    // The nodes that were in a map of the store and are live, and this one.
    private readonly Dictionary<CoapNodeId, CoapClusterNode> _known = [];
    private CoapClusterNode? _own;
    private INodeLivenessListener[] _listeners = [];
    private HubBalancer? _balancer;

    // Replaced as a whole; read without the lock.
    private Dictionary<CoapNodeId, NodeSendQueue> _up = [];
    private long _posted;
    private int _dropped;

    /// <summary>Creates the connections of a node, and adds it to the hub.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="self">The node.</param>
    /// <param name="time">Its clock.</param>
    /// <param name="host">The address of its host; null for the loopback address.</param>
    /// <param name="logger">The log; null for none.</param>
    public HubPeers(NodeHub hub, CoapNodeId self, TimeProvider time, CoapAddress? host, ILogger? logger)
    {
        (_hub, Self, Time) = (hub, self, time);
        Host = host ?? CoapAddress.FromIPv4(0x7F00_0001, 1);
        Notices = new ClusterNotifications(
            (node, names) => hub.CallAsync(this, node, peers => peers.Hear(names)), time, logger ?? NullLogger.Instance);
        Listen(Notices);
        hub.Add(this);
    }

    /// <inheritdoc/>
    public event Action? LivenessChanged;

    /// <summary>The node.</summary>
    public CoapNodeId Self { get; }

    /// <summary>The clock of the node.</summary>
    public TimeProvider Time { get; }

    /// <summary>The address of its host.</summary>
    public CoapAddress Host { get; }

    /// <summary>The number of posts to other nodes.</summary>
    public long Posted => Interlocked.Read(ref _posted);

    /// <summary>The number of posts that were dropped because a node did not accept them.</summary>
    public int Dropped => Volatile.Read(ref _dropped);

    /// <inheritdoc/>
    public bool IsOn => true;

    /// <inheritdoc/>
    public TimeSpan DeathDelay => _hub.DeathDelay;

    /// <inheritdoc/>
    public string Address => $"hub://{Self.Value:N}";

    /// <inheritdoc/>
    public IReadOnlyList<CoapNodeId> Up => [.. Volatile.Read(ref _up).Keys];

    /// <summary>Tells the other nodes of changes.</summary>
    internal ClusterNotifications Notices { get; }

    /// <summary>The slots of the node.</summary>
    internal HubBalancer Balancer => _balancer!;

    /// <inheritdoc/>
    public CoapClusterSlotMap LiveOf(CoapClusterSlotMap map)
    {
        List<CoapClusterNode> live;
        lock (_gate)
        {
            foreach (CoapClusterNode node in map.Nodes)
            {
                if (node.Id == Self)
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
                if (_hub.IsLive(node.Id) ?? map.IsThere(node.Id))
                {
                    live.Add(node);
                }
                else if (!map.IsThere(node.Id))
                {
                    _known.Remove(node.Id);
                }
            }
        }

        return new CoapClusterSlotMap(map.Version, live, [.. CoapSlot.All.Select(slot => map[slot])], map.StaleFence);
    }

    /// <inheritdoc/>
    public void Update(CoapClusterSlotMap map)
    {
        Dictionary<CoapNodeId, NodeSendQueue> before = Volatile.Read(ref _up);
        Dictionary<CoapNodeId, NodeSendQueue> now = map.Nodes.Select(static node => node.Id)
            .Where(id => id != Self && _hub.IsLive(id) == true)
            .ToDictionary(static id => id, id => before.GetValueOrDefault(id) ?? PostsTo(id));
        Volatile.Write(ref _up, now);
        foreach ((CoapNodeId id, NodeSendQueue posts) in before.Where(pair => !now.ContainsKey(pair.Key)))
        {
            posts.End();
            Array.ForEach(_listeners, listener => listener.OnDown(id));
        }

        foreach (CoapNodeId id in now.Keys.Where(id => !before.ContainsKey(id)))
        {
            Array.ForEach(_listeners, listener => listener.OnUp(id));
        }
    }

    /// <inheritdoc/>
    public bool IsUp(CoapNodeId node) => Volatile.Read(ref _up).ContainsKey(node);

    /// <inheritdoc/>
    public CoapAddress? AddressOf(CoapNodeId node) => IsUp(node) ? _hub.HostOf(node) : null;

    /// <inheritdoc/>
    public void Listen(INodeLivenessListener listener) => _listeners = [.. _listeners, listener];

    /// <inheritdoc/>
    public void Attach(CoapServer server, string name) => Notices.Attach(server, name);

    /// <inheritdoc/>
    public void MapBatch(string path, NodePostHandler handler) => _handlers.Add(path, handler);

    /// <inheritdoc/>
    public void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>> answer) => _answers.Add(path, answer);

    /// <inheritdoc/>
    public bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item)
    {
        Interlocked.Increment(ref _posted);
        return Volatile.Read(ref _up).GetValueOrDefault(node)?.TryPost(path, item) == true;
    }

    /// <inheritdoc/>
    public bool IsStalled(CoapNodeId node, string path) => Volatile.Read(ref _up).GetValueOrDefault(node)?.IsStalled(path) == true;

    /// <inheritdoc/>
    public async Task<byte[]?> RequestAsync(CoapNodeId node, string path, byte[] question, TimeSpan timeout)
    {
        try
        {
            return await _hub.CallAsync(
                this, node, peers => peers._answers.GetValueOrDefault(path)?.Invoke(Self, question) ?? Task.FromResult<byte[]?>(null))
                .WaitAsync(timeout, Time).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or TimeoutException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public void End()
    {
        _end.Cancel();
        Notices.Dispose();
        foreach (NodeSendQueue posts in Volatile.Read(ref _up).Values)
        {
            posts.End();
        }

        _hub.Remove(this);
    }

    /// <summary>Starts to decide about slots.</summary>
    /// <param name="cluster">The node.</param>
    /// <param name="logger">The log; null for none.</param>
    internal void Balance(CoapCluster cluster, ILogger? logger)
    {
        _balancer = new HubBalancer(_hub, this, cluster, _end.Token);
        SlotRebalancer balance = new(cluster, _balancer, Time, logger ?? NullLogger.Instance);
        _balancer.Changed += balance.Wake;
        _ = balance.RunAsync(_end.Token);
    }

    /// <summary>Reports that nodes have died or are not dead any more.</summary>
    internal void OnLivenessChanged() => LivenessChanged?.Invoke();

    private NodeSendQueue PostsTo(CoapNodeId node) => new(
        (path, items) => _hub.CallAsync(this, node, peers => peers.Take(Self, path, items)),
        count => Interlocked.Add(ref _dropped, count),
        Time);

    private Task<bool> Take(CoapNodeId from, string path, byte[][] items)
    {
        foreach (byte[] item in items)
        {
            _handlers.GetValueOrDefault(path)?.Invoke(from, item);
        }

        return Task.FromResult(true);
    }

    private Task<bool> Hear(string[] names)
    {
        Notices.Apply(names);
        return Task.FromResult(true);
    }
}
