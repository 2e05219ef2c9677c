namespace CoAP.NET.Cluster;

/// <summary>A weak reference to a measured node. The instruments lock.</summary>
/// <param name="cluster">The node.</param>
internal sealed class MeasuredCluster(CoapCluster cluster)
{
    private readonly WeakReference<CoapCluster> _cluster = new(cluster);
    private readonly long[] _last = new long[Enum.GetValues<ClusterMetric>().Length];

    /// <summary>Whether the node was collected without disposal.</summary>
    public bool IsGone => !_cluster.TryGetTarget(out _);

    /// <summary>Whether this refers to a node.</summary>
    /// <param name="other">The node.</param>
    public bool Is(CoapCluster other) => _cluster.TryGetTarget(out CoapCluster? own) && own == other;

    /// <summary>Returns the last value of a metric.</summary>
    /// <param name="metric">The metric.</param>
    public long LastOf(ClusterMetric metric) => _last[(int)metric];

    /// <summary>Reads a metric of the node; its last value if it was collected.</summary>
    /// <param name="metric">The metric.</param>
    public long Read(ClusterMetric metric) => _cluster.TryGetTarget(out CoapCluster? own)
        ? _last[(int)metric] = ClusterInstruments.Read(own, metric)
        : _last[(int)metric];
}
