using System.Diagnostics.Metrics;

namespace CoAP.NET.ResourceDirectory.Telemetry;

/// <summary>The observable instruments of a directory. They end with it.</summary>
internal sealed class DirectoryMeter : IDisposable
{
    private readonly Meter _meter;

    /// <summary>Creates the instruments.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="factory">The meter factory; null for the meter of the process.</param>
    public DirectoryMeter(CoapDirectoryServer directory, IMeterFactory? factory)
    {
        _meter = new Meter(new MeterOptions(CoapTelemetry.MeterName) { Scope = factory });
        foreach (DirectoryInstrument instrument in DirectoryInstrument.All)
        {
            _ = instrument.IsGauge
                ? (Instrument)_meter.CreateObservableUpDownCounter(
                    instrument.Name, () => Read(instrument, directory), instrument.Unit, instrument.Description)
                : _meter.CreateObservableCounter(
                    instrument.Name, () => Read(instrument, directory), instrument.Unit, instrument.Description);
        }
    }

    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> Read(DirectoryInstrument instrument, CoapDirectoryServer directory)
    {
        long[] values = instrument.Read(directory.GetCounters());
        return values.Select((value, row) => instrument.Tag is { } tag
            ? new Measurement<long>(value, new KeyValuePair<string, object?>(tag, instrument.Values[row]))
            : new Measurement<long>(value));
    }
}
