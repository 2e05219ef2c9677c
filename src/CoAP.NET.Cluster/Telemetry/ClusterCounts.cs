namespace CoAP.NET.Cluster;

/// <summary>What the parts of a node count that keep no numbers of their own. Thread-safe.</summary>
internal sealed class ClusterCounts
{
    private readonly long[] _counts = new long[(int)ClusterMetric.TableSlotsCompared - (int)ClusterMetric.OutboxWaiting + 1];

    /// <summary>How often something happened, or how much of it there is.</summary>
    /// <param name="metric">What.</param>
    public long this[ClusterMetric metric] => Volatile.Read(ref _counts[IndexOf(metric)]);

    /// <summary>Whether something is counted here.</summary>
    /// <param name="metric">What.</param>
    public static bool Has(ClusterMetric metric) => metric is >= ClusterMetric.OutboxWaiting and <= ClusterMetric.TableSlotsCompared;

    /// <summary>Counts.</summary>
    /// <param name="metric">What.</param>
    /// <param name="count">How much more; less than 0 for what is there no more.</param>
    public void Add(ClusterMetric metric, long count = 1) => Interlocked.Add(ref _counts[IndexOf(metric)], count);

    private static int IndexOf(ClusterMetric metric) => (int)metric - (int)ClusterMetric.OutboxWaiting;
}
