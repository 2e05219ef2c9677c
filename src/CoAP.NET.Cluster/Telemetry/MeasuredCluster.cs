namespace CoAP.NET.Cluster;

/// <summary>A node whose metrics are read, as long as somebody else has it. The instruments lock.</summary>
/// <param name="cluster">The node.</param>
internal sealed class MeasuredCluster(CoapCluster cluster)
{
    private readonly WeakReference<CoapCluster> _cluster = new(cluster);
    private readonly long[] _last = new long[Enum.GetValues<ClusterMetric>().Length];

    /// <summary>Whether nobody has it any more, without it having been disposed of.</summary>
    public bool IsGone => !_cluster.TryGetTarget(out _);

    /// <summary>Whether this is about a node.</summary>
    /// <param name="other">The node.</param>
    public bool Is(CoapCluster other) => _cluster.TryGetTarget(out CoapCluster? own) && own == other;

    /// <summary>What was read last.</summary>
    /// <param name="metric">What.</param>
    public long LastOf(ClusterMetric metric) => _last[(int)metric];

    /// <summary>Reads what the node counts; of one that is gone, what was read last.</summary>
    /// <param name="metric">What.</param>
    public long Read(ClusterMetric metric) => _cluster.TryGetTarget(out CoapCluster? own)
        ? _last[(int)metric] = ClusterInstruments.Read(own, metric)
        : _last[(int)metric];
}
