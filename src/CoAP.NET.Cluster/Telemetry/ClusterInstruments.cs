using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Writing;

namespace CoAP.NET.Cluster.Telemetry;

/// <summary>
/// The observable instruments of one meter. Nodes of one process count together, and their counts remain after their end: a counter never
/// falls. A node that was dropped without disposal is not kept alive; its last values remain. Thread-safe.
/// </summary>
internal sealed class ClusterInstruments
{
    private static readonly ConditionalWeakTable<Meter, ClusterInstruments> s_ofMeters = [];
    private static readonly Meter s_shared = new(CoapTelemetry.MeterName);
    private static readonly (ClusterMetric Metric, string? Value)[] s_counted =
        [.. ClusterInstrument.All.Where(static one => !one.IsGauge).SelectMany(static instrument => instrument.Rows)];

    private readonly Lock _gate = new();
    private readonly List<ClusterMetricSource> _clusters = [];
    private readonly long[] _past = new long[Enum.GetValues<ClusterMetric>().Length];

    private ClusterInstruments(Meter meter)
    {
        StoreDuration = meter.CreateHistogram<double>(ClusterInstrument.StoreDuration, "s", ClusterInstrument.StoreDurationDescription);
        foreach (ClusterInstrument instrument in ClusterInstrument.All)
        {
            _ = instrument.IsGauge
                ? (Instrument)meter.CreateObservableUpDownCounter(instrument.Name, () => Read(instrument), instrument.Unit,
                    instrument.Description)
                : meter.CreateObservableCounter(instrument.Name, () => Read(instrument), instrument.Unit, instrument.Description);
        }
    }

    public Histogram<double> StoreDuration { get; }

    /// <summary>Returns the instruments of a meter.</summary>
    /// <param name="factory">Creates the meter; null for the meter of the process.</param>
    public static ClusterInstruments Of(IMeterFactory? factory)
    {
        Meter meter = factory?.Create(new MeterOptions(CoapTelemetry.MeterName)) ?? s_shared;
        lock (s_ofMeters)
        {
            return s_ofMeters.GetValue(meter, static meter => new ClusterInstruments(meter));
        }
    }

    public void Add(CoapCluster cluster)
    {
        lock (_gate)
        {
            _clusters.Add(new ClusterMetricSource(cluster));
        }
    }

    public void Remove(CoapCluster cluster)
    {
        lock (_gate)
        {
            if (_clusters.Find(one => one.Is(cluster)) is { } measured)
            {
                foreach ((ClusterMetric metric, _) in s_counted)
                {
                    measured.Read(metric);
                }

                End(measured);
            }
        }
    }

    internal static long Read(CoapCluster cluster, ClusterMetric metric) => metric switch
    {
        ClusterMetric.SlotsHeld => cluster.Map.SlotsOf(cluster.Self.Id).Count,
        ClusterMetric.Nodes => cluster.Map.Nodes.Count,
        ClusterMetric.StoreAway => cluster.Health.IsDegraded ? 1 : 0,
        ClusterMetric.RecordsUnreadable => cluster.Store.UnreadableCount,
        ClusterMetric.Observations => cluster.Observations.Count,
        ClusterMetric.Devices => cluster.DeviceCount,
        ClusterMetric.OscoreContexts => cluster.OscoreNumbers.OpenCount,
        ClusterMetric.TableEntries => cluster.Tables.Count,
        ClusterMetric.TableBytes => cluster.Tables.Bytes,
        >= ClusterMetric.OutboxWaiting and <= ClusterMetric.TableSlotsRead => cluster.Counts[metric],
        >= ClusterMetric.RecordsWritten and <= ClusterMetric.BatchesFailed or ClusterMetric.RecordsWaiting
            or ClusterMetric.BytesWaiting => Of(cluster.Writer.GetCounters(), metric),
        >= ClusterMetric.ObserversRestored and <= ClusterMetric.ObserverRecordsDropped or ClusterMetric.ObserversAwaited =>
            Of(cluster.GetObserverCounters(), metric),
        _ => Of(cluster.GetNodeCounters(), metric),
    };

    private static long Of(CoapRecordWriterCounters counters, ClusterMetric metric) => metric switch
    {
        ClusterMetric.RecordsWaiting => counters.Waiting,
        ClusterMetric.BytesWaiting => counters.WaitingBytes,
        ClusterMetric.RecordsWritten => counters.Written,
        ClusterMetric.RecordsFenced => counters.Fenced,
        ClusterMetric.RecordsReplaced => counters.Replaced,
        ClusterMetric.RecordsDropped => counters.Dropped,
        ClusterMetric.RecordsRefused => counters.Refused,
        ClusterMetric.BatchesWritten => counters.Batches,
        _ => counters.Failures,
    };

    private static long Of(CoapClusterObserverCounters counters, ClusterMetric metric) => metric switch
    {
        ClusterMetric.ObserversAwaited => counters.Awaited,
        ClusterMetric.ObserversRestored => counters.Restored,
        ClusterMetric.ObserversRefused => counters.Refused,
        ClusterMetric.ObserversExpired => counters.Expired,
        _ => counters.Dropped,
    };

    private static long Of(CoapClusterNodeCounters counters, ClusterMetric metric) => metric switch
    {
        ClusterMetric.SlotsMoving => counters.Moving,
        ClusterMetric.SlotsTaken => counters.Taken,
        ClusterMetric.SlotsHandedOver => counters.HandedOver,
        ClusterMetric.SlotsLost => counters.Lost,
        ClusterMetric.Relayed => counters.Relayed,
        ClusterMetric.RelaysReceived => counters.RelaysReceived,
        ClusterMetric.RelaysReturned => counters.RelaysReturned,
        ClusterMetric.RelaysRefused => counters.RelaysRefused,
        ClusterMetric.RelaysStray => counters.RelaysStray,
        ClusterMetric.RelaysLost => counters.RelaysLost,
        ClusterMetric.DatagramsHolding => counters.DatagramsWaiting,
        ClusterMetric.DatagramsQueued => counters.DatagramsQueued,
        ClusterMetric.DatagramsDropped => counters.QueuedDatagramsDropped,
        _ => throw new ArgumentOutOfRangeException(nameof(metric), metric, "Nothing counts that."),
    };

    private List<Measurement<long>> Read(ClusterInstrument instrument)
    {
        List<Measurement<long>> all = [];
        lock (_gate)
        {
            _clusters.FindAll(static cluster => cluster.IsGone).ForEach(End);
            foreach ((ClusterMetric metric, string? value) in instrument.Rows)
            {
                long sum = _past[(int)metric] + _clusters.Sum(cluster => cluster.Read(metric));
                all.Add(instrument.Tag is { } tag
                    ? new Measurement<long>(sum, new KeyValuePair<string, object?>(tag, value))
                    : new Measurement<long>(sum));
            }
        }

        return all;
    }

    // Requires the lock: the counts remain.
    private void End(ClusterMetricSource cluster)
    {
        _clusters.Remove(cluster);
        foreach ((ClusterMetric metric, _) in s_counted)
        {
            _past[(int)metric] += cluster.LastOf(metric);
        }
    }
}

/// <summary>A weak reference to a measured node. The instruments lock.</summary>
internal sealed class ClusterMetricSource(CoapCluster cluster)
{
    private readonly WeakReference<CoapCluster> _cluster = new(cluster);
    private readonly long[] _last = new long[Enum.GetValues<ClusterMetric>().Length];

    /// <summary>Whether the node was collected without disposal.</summary>
    public bool IsGone => !_cluster.TryGetTarget(out _);

    public bool Is(CoapCluster other) => _cluster.TryGetTarget(out CoapCluster? own) && own == other;

    /// <summary>Returns the last value of a metric.</summary>
    public long LastOf(ClusterMetric metric) => _last[(int)metric];

    /// <summary>Reads a metric of the node; its last value if it was collected.</summary>
    public long Read(ClusterMetric metric) => _cluster.TryGetTarget(out CoapCluster? own)
        ? _last[(int)metric] = ClusterInstruments.Read(own, metric)
        : _last[(int)metric];
}
