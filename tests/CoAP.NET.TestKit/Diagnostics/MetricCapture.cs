using System.Diagnostics.Metrics;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>A meter factory of a test, whose meters nobody else listens to, and a listener to it.</summary>
internal sealed class MetricCapture : IMeterFactory
{
    private readonly Meter _meter = new(CoapTelemetry.MeterName);
    private readonly MeterListener _listener = new();
    private readonly Lock _gate = new();
    private readonly List<(string Name, double Value, Dictionary<string, object?> Tags)> _all = [];

    public MetricCapture()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == _meter)
            {
                Instruments.Add(instrument);
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
    }

    public List<Instrument> Instruments { get; } = [];

    public Meter Create(MeterOptions options) =>
        options.Name == CoapTelemetry.MeterName ? _meter : throw new ArgumentException(options.Name);

    public void Listen() => _listener.Start();

    /// <summary>What was measured under a name, with the observable ones read now.</summary>
    public List<(double Value, Dictionary<string, object?> Tags)> Read(string name)
    {
        lock (_gate)
        {
            _all.RemoveAll(static entry => entry.Name is not (CoapInstruments.ServerDurationName or CoapInstruments.ClientDurationName));
        }

        _listener.RecordObservableInstruments();
        lock (_gate)
        {
            return [.. _all.Where(entry => entry.Name == name).Select(static entry => (entry.Value, entry.Tags))];
        }
    }

    public void Dispose()
    {
        _listener.Dispose();
        _meter.Dispose();
    }

    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        Dictionary<string, object?> copy = [];
        foreach (KeyValuePair<string, object?> tag in tags)
        {
            copy.Add(tag.Key, tag.Value);
        }

        lock (_gate)
        {
            _all.Add((instrument.Name, value, copy));
        }
    }
}
