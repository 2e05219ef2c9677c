using System.Diagnostics.Metrics;

namespace CoAP.NET.Oscore.Tests.Telemetry;

/// <summary>A meter of a test, and what its instruments read.</summary>
internal sealed class Metrics : IMeterFactory
{
    private readonly Meter _meter = new(CoapTelemetry.MeterName);
    private readonly MeterListener _listener = new();
    private readonly Dictionary<string, long> _values = [];

    public Metrics()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == _meter && instrument.Name.StartsWith("coap.oscore.", Ordinal))
            {
                Instruments.Add(instrument);
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string key = $"{instrument.Name}{{{string.Join(',', tags.ToArray().Select(tag => $"{tag.Key}={tag.Value}"))}}}";
            _values.Add(key, value);
        });
        _listener.Start();
    }

    public List<Instrument> Instruments { get; } = [];

    public Meter Create(MeterOptions options) => _meter;

    /// <summary>What is not zero, by name and tags.</summary>
    public Dictionary<string, long> Read()
    {
        _values.Clear();
        _listener.RecordObservableInstruments();
        return _values.Where(value => value.Value != 0).ToDictionary();
    }

    public void Dispose()
    {
        _listener.Dispose();
        _meter.Dispose();
    }
}
