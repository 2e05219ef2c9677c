using System.Net;
using CoAP.NET.Composition;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Endpoints;

/// <summary>The diagnostics of an endpoint: gauges, snapshots and wire traces. Thread-safe.</summary>
internal sealed class EndpointDiagnostics
{
    private const int MaxRoutes = 1000;

    private readonly EndpointCore _core;
    private readonly CoapInstruments _instruments;
    private readonly EndpointMetricSource _source;

    /// <summary>Creates the diagnostics, and publishes the gauges of the endpoint.</summary>
    /// <param name="core">The endpoint.</param>
    /// <param name="name">Its name in telemetry; null for none.</param>
    /// <param name="instruments">The instruments of the gauges.</param>
    /// <param name="tags">The telemetry tags.</param>
    public EndpointDiagnostics(EndpointCore core, string? name, CoapInstruments instruments, KeyValuePair<string, object?>[] tags)
    {
        _core = core;
        Name = name;
        _instruments = instruments;
        _source = new EndpointMetricSource(core.Environment.Counters, tags, ReadGauge);
        instruments.Add(_source);
    }

    /// <summary>The name of the endpoint in telemetry; null when it was given none.</summary>
    public string? Name { get; }

    /// <summary>Shows the endpoint no more.</summary>
    public void Close() => _instruments.Remove(_source);

    /// <summary>
    /// Logs a client of the endpoint that was collected without being disposed. Called on the finalizer thread, which user code must not
    /// block.
    /// </summary>
    public void WarnOfForgottenClient()
    {
        if (_core.Transports.IsStarted && !_core.State.IsStopping)
        {
            CoapEnvironment environment = _core.Environment;
            environment.Scheduler.TryQueue(
                static log => EndpointLog.ClientForgotten((ILogger)log!), environment.Logger, environment.Counters,
                null);
        }
    }

    /// <summary>Returns a snapshot. See <see cref="CoapEndpoint.GetSnapshot"/>.</summary>
    /// <param name="address">Limits it to peers at this address; null for all.</param>
    /// <param name="maxPeers">The maximum number of peers.</param>
    public CoapDiagnosticSnapshot GetSnapshot(IPAddress? address, int maxPeers)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxPeers);
        CoapCounters counters = _core.Environment.Counters;
        DiagnosticSnapshotCollector reader = new(_core.Pipelines, _core.Connections, _core.Environment, address, maxPeers);
        return new CoapDiagnosticSnapshot
        {
            Time = _core.Environment.TimeProvider.GetUtcNow(),
            Name = Name,
            LocalEndpoints = _core.Transports.LocalEndpoints,
            Counters = Enum.GetValues<CoapCounter>().Where(counter => counters[counter] != 0)
                .ToDictionary(static counter => counter.ToString(), counter => counters[counter]),
            ActiveRequests = _core.Served.Count,
            Observers = _core.Observers.Count,
            Observations = _core.Observed.Count,
            Connections = _core.Connections.Count,
            Bounds = ReadBounds(),
            ObservedRoutes = ReadRoutes(),
            Shards = reader.ReadShards(),
            Peers = reader.ReadPeers(out bool isTruncated),
            IsTruncated = isTruncated,
        };
    }

    private List<CoapLimitSnapshot> ReadBounds()
    {
        CoapLimits limits = _core.Environment.Limits;
        return
        [
            new("Peers.MaxCount", ReadGauge(EndpointGauge.Peers), limits.Peers.MaxCount, false),
            new("Deduplication.Memory", _core.Pipelines.Sum(static pipeline => pipeline.Messages.Memory.Bytes),
                limits.Deduplication.Memory, true),
            new("Requests.MaxServed", _core.Served.Count, limits.Requests.MaxServed, false),
            new("Messages.MaxOutstanding", ReadGauge(EndpointGauge.Outstanding), limits.Messages.MaxOutstanding, false),
            new("Blockwise.RequestMemory", _core.Bodies.Requests.Used, limits.Blockwise.RequestMemory, true),
            new("Blockwise.ResponseMemory", _core.Bodies.Responses.Used, limits.Blockwise.ResponseMemory, true),
            new("Observe.MaxObservers", _core.Observers.Count, limits.Observe.MaxObservers, false),
            new("Observe.MaxObservations", _core.Observed.Count, limits.Observe.MaxObservations, false),
            new("Connections.MaxCount", _core.Connections.Count, limits.Connections.MaxCount, false),
            new("Connections.ReceiveMemory", _core.Context.AssemblyBytes, limits.Connections.ReceiveMemory, true),
            new("Connections.SendMemory", _core.Context.SendingBytes, limits.Connections.SendMemory, true),
        ];
    }

    private Dictionary<string, int> ReadRoutes() => _core.Routes.Snapshot().Routes
        .GroupBy(static route => route.Template.Text, static route => route.Observed.Observers, StringComparer.Ordinal)
        .Select(static route => KeyValuePair.Create(route.Key, route.Sum()))
        .Where(static route => route.Value > 0)
        .OrderByDescending(static route => route.Value)
        .Take(MaxRoutes)
        .ToDictionary(StringComparer.Ordinal);

    private long ReadGauge(EndpointGauge gauge) => gauge switch
    {
        EndpointGauge.ActiveRequests => _core.Served.Count,
        EndpointGauge.Observers => _core.Observers.Count,
        EndpointGauge.ObservationsRegistering => _core.Observed.CountOf(CoapObserveState.Registering),
        EndpointGauge.ObservationsObserving => _core.Observed.CountOf(CoapObserveState.Observing),
        EndpointGauge.ObservationsNotObserving => _core.Observed.CountOf(CoapObserveState.NotObserving),
        EndpointGauge.ObservationsStale => _core.Observed.CountOf(CoapObserveState.Stale),
        EndpointGauge.ObservationsReregistering => _core.Observed.CountOf(CoapObserveState.Reregistering),
        EndpointGauge.Outstanding => _core.Pipelines.Sum(static pipeline => (long)pipeline.Messages.Outstanding),
        EndpointGauge.Waiting => _core.Pipelines.Sum(static pipeline => (long)pipeline.Messages.Waiting),
        EndpointGauge.Transfers => _core.Pipelines.Sum(static pipeline => (long)pipeline.Blockwise.Requests.Count),
        EndpointGauge.TransferBytes => _core.Bodies.Requests.Used + _core.Bodies.Responses.Used,
        EndpointGauge.Peers => _core.Pipelines.Sum(static pipeline => (long)pipeline.Channels.Count),
        _ => _core.Connections.Count,
    };

    public void ReportTrace(Exception exception)
    {
        _core.Environment.Counters.Add(CoapCounter.StageErrors);
        Log.TraceFailed(_core.Environment.Logger, exception);
    }
}
