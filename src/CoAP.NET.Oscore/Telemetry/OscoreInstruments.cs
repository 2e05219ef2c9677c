using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Oscore.Telemetry;

/// <summary>
/// The instruments of one meter, read on collection only. Endpoints with equal tags share their counters, and the counts remain when they
/// close: a counter never falls.
/// </summary>
internal sealed class OscoreInstruments
{
    private static readonly ConditionalWeakTable<Meter, OscoreInstruments> s_ofMeters = [];

    private readonly Lock _gate = new();
    private readonly Dictionary<string, (KeyValuePair<string, object?>[] Tags, EventCounter<OscoreMetric> Counts)> _series = [];

    private OscoreInstruments(Meter meter)
    {
        foreach (OscoreInstrument instrument in OscoreInstrument.All)
        {
            meter.CreateObservableCounter(instrument.Name, () => Read(instrument), instrument.Unit, instrument.Description);
        }
    }

    public static OscoreInstruments Of(Meter meter)
    {
        lock (s_ofMeters)
        {
            return s_ofMeters.GetValue(meter, static meter => new OscoreInstruments(meter));
        }
    }

    /// <summary>Returns the counters of endpoints with these tags.</summary>
    public EventCounter<OscoreMetric> CountsOf(IReadOnlyList<KeyValuePair<string, object?>> tags)
    {
        string key = string.Join('\n', tags.Select(static tag => $"{tag.Key}={tag.Value}"));
        lock (_gate)
        {
            if (!_series.TryGetValue(key, out (KeyValuePair<string, object?>[] Tags, EventCounter<OscoreMetric> Counts) series))
            {
                series = ([.. tags], new EventCounter<OscoreMetric>());
                _series.Add(key, series);
            }

            return series.Counts;
        }
    }

    private List<Measurement<long>> Read(OscoreInstrument instrument)
    {
        List<Measurement<long>> all = [];
        lock (_gate)
        {
            foreach ((KeyValuePair<string, object?>[] tags, EventCounter<OscoreMetric> counts) in _series.Values)
            {
                foreach ((OscoreMetric kind, string? value) in instrument.Rows)
                {
                    all.Add(new Measurement<long>(counts[kind], instrument.Tag is { } name ? [.. tags, new(name, value)] : tags));
                }
            }
        }

        return all;
    }
}
