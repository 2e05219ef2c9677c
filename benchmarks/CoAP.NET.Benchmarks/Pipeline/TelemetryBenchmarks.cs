using System.Diagnostics;
using System.Diagnostics.Metrics;
using CoAP.NET.Tracing;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// What telemetry costs a GET that is answered at once, in a server without sockets (see <see cref="MemoryServer"/>).
/// <see cref="TelemetryUse.None"/> is to be what it was before there was any.
/// </summary>
[MemoryDiagnoser]
public class TelemetryBenchmarks
{
    private const int Requests = 1024;

    private MemoryServer _server = null!;
    private byte[] _request = [];
    private MeterListener? _meters;
    private ActivityListener? _activities;
    private MemoryStream? _trace;
    private CoapTrace? _tracing;

    /// <summary>Who listens.</summary>
    [ParamsAllValues]
    public TelemetryUse Use { get; set; }

    /// <summary>Starts the server and whoever listens.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _server = new MemoryServer(WireFormat.Datagram, server => server.MapGet("/t", () => "21.5"));
        CoapMessage request = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, Token = new CoapToken([0x4a, 0x11]) };
        request.Options.Add(new UriPathOption("t"));
        _request = WireFormat.Datagram.Serializer().Serialize(request);
        if (Use is TelemetryUse.Metrics or TelemetryUse.MetricsAndTraces)
        {
            _meters = new MeterListener
            {
                InstrumentPublished = (instrument, listener) =>
                {
                    if (instrument.Meter.Name == CoapTelemetry.MeterName)
                    {
                        listener.EnableMeasurementEvents(instrument);
                    }
                },
            };
            _meters.SetMeasurementEventCallback<double>((_, _, _, _) => { });
            _meters.Start();
        }

        if (Use is TelemetryUse.Traces or TelemetryUse.MetricsAndTraces)
        {
            _activities = new ActivityListener
            {
                ShouldListenTo = source => source.Name == CoapTelemetry.ActivitySourceName,
                Sample = (ref _) => ActivitySamplingResult.AllData,
            };
            ActivitySource.AddActivityListener(_activities);
        }

        if (Use == TelemetryUse.WireTrace)
        {
            _trace = new MemoryStream();
            _tracing = _server.Server.Endpoint.TraceTo(_trace, new CoapTraceOptions { MaxBytes = 4096 });
        }

        _server.Send(_request, MemoryServer.Remembered + MemoryServer.Peers);
        if (_server.Ask(_request).Code != CoapCode.Content)
        {
            throw new InvalidOperationException("The request was not answered.");
        }
    }

    /// <summary>One request and its answer.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public void Request() => _server.Send(_request, Requests);

    /// <summary>Ends what listens.</summary>
    [GlobalCleanup]
    public void Cleanup()
    {
        _tracing?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _trace?.Dispose();
        _meters?.Dispose();
        _activities?.Dispose();
    }
}

/// <summary>Who listens to what a server tells of itself.</summary>
public enum TelemetryUse
{
    /// <summary>Nobody.</summary>
    None,

    /// <summary>A listener of metrics.</summary>
    Metrics,

    /// <summary>A listener of spans that wants all of them.</summary>
    Traces,

    /// <summary>Both.</summary>
    MetricsAndTraces,

    /// <summary>A wire trace of all peers that is full, so that what it costs is the copy.</summary>
    WireTrace,
}
