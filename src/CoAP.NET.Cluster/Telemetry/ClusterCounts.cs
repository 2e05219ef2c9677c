namespace CoAP.NET.Cluster;

/// <summary>Counters of the parts of a node that have none of their own. Thread-safe.</summary>
internal sealed class ClusterCounts
{
    private readonly long[] _counts = new long[(int)ClusterMetric.TableSlotsRead - (int)ClusterMetric.OutboxWaiting + 1];

    /// <summary>Returns the value of a counter.</summary>
    /// <param name="metric">The metric.</param>
    public long this[ClusterMetric metric] => Volatile.Read(ref _counts[IndexOf(metric)]);

    /// <summary>Whether a metric is counted here.</summary>
    /// <param name="metric">The metric.</param>
    public static bool Has(ClusterMetric metric) => metric is >= ClusterMetric.OutboxWaiting and <= ClusterMetric.TableSlotsRead;

    /// <summary>Adds to a counter.</summary>
    /// <param name="metric">The metric.</param>
    /// <param name="count">The increment; negative for gauges that fall.</param>
    public void Add(ClusterMetric metric, long count = 1) => Interlocked.Add(ref _counts[IndexOf(metric)], count);

    private static int IndexOf(ClusterMetric metric) => (int)metric - (int)ClusterMetric.OutboxWaiting;
}
