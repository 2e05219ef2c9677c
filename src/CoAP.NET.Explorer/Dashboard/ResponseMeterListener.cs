using System.Diagnostics.Metrics;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// Listens to the histogram of served requests and feeds a meter with those of one endpoint. While it is off, the endpoint measures nothing
/// for it.
/// </summary>
internal sealed class ResponseMeterListener : IDisposable
{
    private const string Duration = "coap.server.request.duration";
    private const string NameTag = "coap.endpoint.name";
    private const string RouteTag = "coap.route";
    private const string CodeTag = "coap.response.code";

    private readonly ResponseMeter _meter;
    private readonly string? _endpoint;
    private readonly MeterListener _listener = new();
    private readonly Lock _gate = new();
    private readonly List<Instrument> _instruments = [];
    private bool _isOn;

    /// <summary>Creates a listener that is off.</summary>
    /// <param name="meter">Receives each response.</param>
    /// <param name="endpoint">The name of the endpoint; null for endpoints without one.</param>
    public ResponseMeterListener(ResponseMeter meter, string? endpoint)
    {
        _meter = meter;
        _endpoint = endpoint;
        _listener.InstrumentPublished = (instrument, _) => Find(instrument);
        _listener.SetMeasurementEventCallback<double>(OnMeasured);
        _listener.Start();
    }

    public bool IsOn
    {
        get
        {
            lock (_gate)
            {
                return _isOn;
            }
        }

        set
        {
            lock (_gate)
            {
                if (_isOn == value)
                {
                    return;
                }

                _isOn = value;
                foreach (Instrument instrument in _instruments)
                {
                    Apply(instrument);
                }
            }
        }
    }

    public void Dispose()
    {
        IsOn = false;
        _listener.Dispose();
    }

    // The endpoint may create its meter later, and each meter factory has its own.
    private void Find(Instrument instrument)
    {
        if (instrument.Meter.Name == CoapTelemetry.MeterName && instrument.Name == Duration)
        {
            lock (_gate)
            {
                _instruments.Add(instrument);
                if (_isOn)
                {
                    Apply(instrument);
                }
            }
        }
    }

    private void Apply(Instrument instrument)
    {
        if (_isOn)
        {
            _listener.EnableMeasurementEvents(instrument);
        }
        else
        {
            _listener.DisableMeasurementEvents(instrument);
        }
    }

    private void OnMeasured(
        Instrument instrument, double seconds, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        string? name = null;
        string? route = null;
        string? code = null;
        foreach (KeyValuePair<string, object?> tag in tags)
        {
            switch (tag.Key)
            {
                case NameTag:
                    name = tag.Value as string;
                    break;
                case RouteTag:
                    route = tag.Value as string;
                    break;
                case CodeTag:
                    code = tag.Value as string;
                    break;
                default:
                    break;
            }
        }

        if (name == _endpoint && code is [var @class, '.', var tens, var ones])
        {
            _meter.Record(route, (byte)(((@class - '0') << 5) | (((tens - '0') * 10) + (ones - '0'))), seconds);
        }
    }
}
