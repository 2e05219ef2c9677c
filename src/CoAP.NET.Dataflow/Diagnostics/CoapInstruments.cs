using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// The instruments of one meter, shared by all its endpoints. The counters of endpoints are read only when a listener collects them, so
/// they cost nothing otherwise.
/// </summary>
internal sealed class CoapInstruments
{
    // Seconds: from the same machine to a sleeping device. Only advice; a collector may choose others.
    private static readonly double[] s_buckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 100];

    private static readonly Lock s_gate = new();
    private static readonly ConditionalWeakTable<Meter, CoapInstruments> s_ofMeters = [];

    private readonly Lock _gate = new();
    private readonly List<WeakReference<EndpointMetricSource>> _sources = [];

    // The counts of closed endpoints: a counter never decreases.
    private readonly Dictionary<string, (KeyValuePair<string, object?>[] Tags, long[] Values)> _closed = [];

    private int _pruneAt = 16;

    private CoapInstruments(Meter meter)
    {
        Meter = meter;
        InstrumentAdvice<double> advice = new() { HistogramBucketBoundaries = s_buckets };
        ServerDuration = meter.CreateHistogram(ServerDurationName, "s",
            "How long requests took, from their arrival at the routes to their answer.", null, advice);
        ClientDuration = meter.CreateHistogram(ClientDurationName, "s",
            "How long requests of ours took, with retransmissions and all blocks.", null, advice);
        foreach (CounterInstrument instrument in CounterInstrument.All)
        {
            meter.CreateObservableCounter(instrument.Name, () => Sum(instrument), instrument.Unit, instrument.Description);
        }

        foreach (GaugeInstrument instrument in GaugeInstrument.All)
        {
            meter.CreateObservableUpDownCounter(instrument.Name, () => Sum(instrument), instrument.Unit, instrument.Description);
        }
    }

    public const string ServerDurationName = "coap.server.request.duration";

    public const string ClientDurationName = "coap.client.request.duration";

    /// <summary>The instruments of endpoints without a factory.</summary>
    public static CoapInstruments Shared { get; } = new(new Meter(CoapTelemetry.MeterName, CoapTelemetry.Version));

    public Meter Meter { get; }

    public Histogram<double> ServerDuration { get; }

    public Histogram<double> ClientDuration { get; }

    public static CoapInstruments Of(IMeterFactory? factory)
    {
        if (factory is null)
        {
            return Shared;
        }

        Meter meter = factory.Create(new MeterOptions(CoapTelemetry.MeterName) { Version = CoapTelemetry.Version });
        lock (s_gate)
        {
            return s_ofMeters.GetValue(meter, static meter => new CoapInstruments(meter));
        }
    }

    /// <summary>Adds an endpoint to read. An endpoint that is collected without being closed is removed.</summary>
    public void Add(EndpointMetricSource source)
    {
        lock (_gate)
        {
            if (_sources.Count >= _pruneAt)
            {
                _sources.RemoveAll(static reference => !reference.TryGetTarget(out _));
                _pruneAt = 16 + (2 * _sources.Count);
            }

            _sources.Add(new WeakReference<EndpointMetricSource>(source));
        }
    }

    /// <summary>Removes a closed endpoint and keeps its counts. Repeating it does nothing.</summary>
    public void Remove(EndpointMetricSource source)
    {
        lock (_gate)
        {
            if (_sources.RemoveAll(reference => reference.TryGetTarget(out EndpointMetricSource? other) && other == source) == 0)
            {
                return;
            }

            if (!_closed.TryGetValue(source.Key, out (KeyValuePair<string, object?>[] Tags, long[] Values) closed))
            {
                closed = (source.Tags, new long[CoapCounters.Kinds]);
                _closed.Add(source.Key, closed);
            }

            for (int i = 0; i < closed.Values.Length; i++)
            {
                closed.Values[i] += source.Counters[(CoapCounter)i];
            }
        }
    }

    private List<Measurement<long>> Sum(CounterInstrument instrument)
    {
        Dictionary<string, (KeyValuePair<string, object?>[] Tags, long[] Values)> sums = [];
        int rows = instrument.Rows.Length;
        lock (_gate)
        {
            foreach ((string key, (KeyValuePair<string, object?>[] tags, long[] values)) in _closed)
            {
                sums.Add(key, (tags, [.. instrument.Rows.Select(row => values[(int)row.Counter])]));
            }

            foreach (EndpointMetricSource source in Live())
            {
                long[] values = SumOf(sums, source, rows);
                for (int i = 0; i < rows; i++)
                {
                    values[i] += source.Counters[instrument.Rows[i].Counter];
                }
            }
        }

        return Measure(sums.Values, instrument.Tag, [.. instrument.Rows.Select(static row => row.Value)]);
    }

    private List<Measurement<long>> Sum(GaugeInstrument instrument)
    {
        int rows = instrument.Rows.Length;
        Dictionary<string, (KeyValuePair<string, object?>[] Tags, long[] Values)> sums = [];
        List<EndpointMetricSource> live;
        lock (_gate)
        {
            live = Live();
        }

        foreach (EndpointMetricSource source in live)
        {
            long[] values = SumOf(sums, source, rows);
            for (int i = 0; i < rows; i++)
            {
                values[i] += source.Read(instrument.Rows[i].Gauge);
            }
        }

        return Measure(sums.Values, instrument.Tag, [.. instrument.Rows.Select(static row => row.Value)]);
    }

    private static List<Measurement<long>> Measure(
        IEnumerable<(KeyValuePair<string, object?>[] Tags, long[] Values)> sums, string? tag, string?[] rows)
    {
        List<Measurement<long>> all = [];
        foreach ((KeyValuePair<string, object?>[] tags, long[] values) in sums)
        {
            for (int i = 0; i < rows.Length; i++)
            {
                all.Add(new Measurement<long>(values[i], tag is null ? tags : [.. tags, new(tag, rows[i])]));
            }
        }

        return all;
    }

    private static long[] SumOf(Dictionary<string, (KeyValuePair<string, object?>[] Tags, long[] Values)> sums, EndpointMetricSource source,
        int rows)
    {
        if (!sums.TryGetValue(source.Key, out (KeyValuePair<string, object?>[] Tags, long[] Values) sum))
        {
            sum = (source.Tags, new long[rows]);
            sums.Add(source.Key, sum);
        }

        return sum.Values;
    }

    private List<EndpointMetricSource> Live()
    {
        List<EndpointMetricSource> live = new(_sources.Count);
        foreach (WeakReference<EndpointMetricSource> reference in _sources)
        {
            if (reference.TryGetTarget(out EndpointMetricSource? source))
            {
                live.Add(source);
            }
        }

        return live;
    }
}
