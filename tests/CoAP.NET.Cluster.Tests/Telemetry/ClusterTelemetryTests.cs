using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Cluster.Tests.Telemetry;

/// <summary>The metrics of a cluster. Set COAP_WRITE_DOCS=1 to write their table in docs/telemetry-metrics.md anew.</summary>
public sealed class ClusterTelemetryTests
{
    private const string Begin = "<!-- metrics of clusters: written by a test -->\n";
    private const string End = "<!-- end of metrics of clusters -->\n";

    [Fact]
    public async Task A_node_has_metrics_of_its_slots_records_and_store()
    {
        using ClusterMeter meter = new();
        VirtualClock clock = new();
        CoapMemoryCluster memory = new(clock);
        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        options.MeterFactory = meter;
        CoapCluster cluster = new(memory.Open(), options, clock);
        Assert.Equal(0, meter.Read()["coap.cluster.slots"]);
        await cluster.StartAsync();
        CoapSlot slot = new(3);
        CoapRecordKey key = new(CoapRecordKind.Device, slot, "a"u8);
        await cluster.Writer.WriteAsync(CoapRecordWrite.Put(key, cluster.FenceOf(slot), new byte[5], Timeout.InfiniteTimeSpan));
        Assert.NotNull(await cluster.Store.FindAsync(key, default));

        Dictionary<string, long> values = meter.Read();
        Assert.Equal(256, values["coap.cluster.slots"]);
        Assert.Equal(1, values["coap.cluster.nodes"]);
        Assert.Equal(0, values["coap.cluster.store_away"]);
        Assert.Equal(256, values["coap.cluster.slot_moves taken"]);
        Assert.Equal(1, values["coap.cluster.records written"]);
        Assert.Equal(1, values["coap.cluster.batches written"]);
        Assert.Contains("join", meter.Durations);
        Assert.Contains("change", meter.Durations);
        Assert.Contains("write", meter.Durations);
        Assert.Contains("find", meter.Durations);

        memory.IsAway = true;
        await Assert.ThrowsAsync<CoapClusterStoreException>(async () => await cluster.Store.FindAsync(key, default));
        Assert.Contains("find Unavailable", meter.Durations);
        memory.IsAway = false;

        // What was counted stays, and what is there now does not.
        await cluster.DisposeAsync();
        values = meter.Read();
        Assert.Equal(0, values["coap.cluster.slots"]);
        Assert.Equal(1, values["coap.cluster.records written"]);
    }

    [Fact]
    public void Counters_of_a_dropped_node_are_kept_without_keeping_the_node_alive()
    {
        using ClusterMeter meter = new();
        WeakReference dropped = Drop(meter);
        for (int i = 0; i < 10 && dropped.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(dropped.IsAlive);
        Dictionary<string, long> values = meter.Read();
        Assert.Equal(0, values["coap.cluster.devices"]);
        Assert.Equal(3, values["coap.cluster.outbox queued"]);
        Assert.Equal(3, meter.Read()["coap.cluster.outbox queued"]);
    }

    [Fact]
    public void Every_metric_is_read_once_by_an_instrument_with_its_unit()
    {
        using ClusterMeter meter = new();
        CoapClusterOptions options = ClusterTests.Options();
        options.MeterFactory = meter;
        _ = new CoapCluster(new CoapMemoryCluster().Open(), options);
        Assert.Equal(Enum.GetValues<ClusterMetric>().Order(),
            ClusterInstrument.All.SelectMany(one => one.Rows.Select(row => row.Metric)).Order());
        Assert.Equal(ClusterInstrument.All.Count + 1, meter.Instruments.Count);
        Assert.Equal(Enum.GetValues<ClusterMetric>().Length, meter.Read().Count);
    }

    [Fact]
    public void The_table_of_metrics_matches_the_code()
    {
        StringBuilder table = new("| Name | Instrument | Unit | What | Own tags |\n|---|---|---|---|---|\n");
        table.Append($"| `{ClusterInstrument.StoreDuration}` | Histogram | s | {ClusterInstrument.StoreDurationDescription} | ");
        table.Append($"`{MeasuredClusterStore.Operation}`: {string.Join(", ", MeasuredClusterStore.Operations)}; `error.type` |\n");
        foreach (ClusterInstrument instrument in ClusterInstrument.All)
        {
            string tags = instrument.Tag is null
                ? string.Empty
                : $"`{instrument.Tag}`: {string.Join(", ", instrument.Rows.Select(row => row.Value))} ";
            string kind = instrument.IsGauge ? "ObservableUpDownCounter" : "ObservableCounter";
            table.Append($"| `{instrument.Name}` | {kind} | {instrument.Unit} | {instrument.Description} | {tags}|\n");
        }

        PageTable.Check("telemetry-metrics.md", Begin, End, table.ToString());
    }

    // Nothing of it may stay on the stack of whoever looks.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Drop(ClusterMeter meter)
    {
        CoapClusterOptions options = ClusterTests.Options();
        options.MeterFactory = meter;
        CoapCluster cluster = new(new CoapMemoryCluster().Open(), options);
        cluster.Counts.Add(ClusterMetric.OutboxQueued, 3);
        Assert.Equal(3, meter.Read()["coap.cluster.outbox queued"]);
        return new WeakReference(cluster);
    }

    private sealed class ClusterMeter : IMeterFactory
    {
        private readonly Meter _meter = new(CoapTelemetry.MeterName);
        private readonly MeterListener _listener = new();
        private readonly Dictionary<string, long> _values = new(StringComparer.Ordinal);
        private readonly Lock _gate = new();
        private readonly HashSet<string> _durations = new(StringComparer.Ordinal);

        public ClusterMeter()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == _meter)
                {
                    Instruments.Add(instrument);
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
                _values.Add(tags.Length == 0 ? instrument.Name : $"{instrument.Name} {tags[0].Value}", value));
            _listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
            {
                string text = string.Join(' ', tags.ToArray().Select(tag => tag.Value));
                lock (_gate)
                {
                    _durations.Add(text);
                }
            });
            _listener.Start();
        }

        public List<Instrument> Instruments { get; } = [];

        public IReadOnlyCollection<string> Durations
        {
            get
            {
                lock (_gate)
                {
                    return [.. _durations];
                }
            }
        }

        public Meter Create(MeterOptions options) => _meter;

        public Dictionary<string, long> Read()
        {
            _values.Clear();
            _listener.RecordObservableInstruments();
            return new Dictionary<string, long>(_values, StringComparer.Ordinal);
        }

        public void Dispose()
        {
            _listener.Dispose();
            _meter.Dispose();
        }
    }
}
