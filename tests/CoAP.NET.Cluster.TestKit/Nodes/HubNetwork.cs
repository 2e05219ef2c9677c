using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>The connections of one node with the others of a hub. Thread-safe.</summary>
internal sealed class HubNetwork : INodeNetwork
{
    private readonly NodeHub _hub;
    private readonly CancellationTokenSource _end = new();
    private HubBalancer? _balancer;
    private CoapCluster? _cluster;
    private long _relayed;

    /// <summary>Creates the connections of a node, and adds it to the hub.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="self">The node.</param>
    /// <param name="time">Its clock.</param>
    /// <param name="host">The address of its host; null for the loopback address.</param>
    public HubNetwork(NodeHub hub, CoapNodeId self, TimeProvider time, CoapAddress? host)
    {
        (_hub, Self, Time) = (hub, self, time);
        Host = host ?? CoapAddress.FromIPv4(0x7F00_0001, 1);
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

    /// <summary>The number of datagrams that the node has posted to others.</summary>
    public long Relayed => Interlocked.Read(ref _relayed);

    /// <inheritdoc/>
    public TimeSpan DeathDelay => _hub.DeathDelay;

    /// <inheritdoc/>
    public string Address => $"hub://{Self.Value:N}";

    /// <summary>What the node does for others.</summary>
    /// <exception cref="IOException">The node does not run yet.</exception>
    internal INodeService Service => _cluster?.Service ?? throw new IOException($"Node {Self} does not run yet.");

    /// <summary>The slots of the node.</summary>
    internal HubBalancer Balancer => _balancer!;

    /// <inheritdoc/>
    public bool? IsLive(CoapClusterNode node) => _hub.IsLive(node.Id);

    /// <inheritdoc/>
    public CoapAddress? HostOf(CoapClusterNode node) => _hub.HostOf(node.Id);

    /// <inheritdoc/>
    public INodeService? ServiceOf(CoapClusterNode node) => _hub.IsLive(node.Id) == true ? new HubNodeService(_hub, this, node.Id) : null;

    /// <inheritdoc/>
    public void End()
    {
        _end.Cancel();
        _hub.Remove(this);
    }

    /// <summary>Lets other nodes call the node.</summary>
    internal void Start(CoapCluster cluster) => _cluster = cluster;

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

    /// <summary>Counts datagrams that another node got from this one.</summary>
    internal void OnRelayed(int count) => Interlocked.Add(ref _relayed, count);

    /// <summary>Reports that nodes have died or are not dead any more.</summary>
    internal void OnLivenessChanged() => LivenessChanged?.Invoke();
}
