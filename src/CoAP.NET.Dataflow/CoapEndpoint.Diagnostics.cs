using System.Diagnostics;
using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Observing;
using CoAP.NET.Pipeline;
using CoAP.NET.Requests;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

// What can be seen of the endpoint from outside.
public sealed partial class CoapEndpoint
{
    private readonly string? _name;
    private readonly CoapInstruments _instruments;
    private readonly TelemetrySource _telemetrySource;

    /// <summary>The name of the endpoint in telemetry; null when it was given none.</summary>
    public string? Name => _name;

    /// <summary>
    /// Writes the messages of one peer or all, as they come and leave, to a stream in the pcapng format, until the trace is disposed. May be switched on and off while the endpoint runs, also
    /// several at a time. Payloads are blanked unless the options say otherwise. Receiving never waits for the stream.
    /// </summary>
    /// <param name="stream">Where to; written to by one thread at a time, and left open.</param>
    /// <param name="options">Which messages and how many; null: all peers, payloads blanked, at most 64 MiB.</param>
    /// <returns>The trace. Dispose it to end it.</returns>
    /// <exception cref="ArgumentException">The stream cannot be written.</exception>
    public CoapTrace TraceTo(Stream stream, CoapTraceOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        return stream.CanWrite
            ? new CoapTrace(stream, options ?? new CoapTraceOptions(), _environment.TimeProvider, _environment.Taps, ReportTrace)
            : throw new ArgumentException("The stream cannot be written.", nameof(stream));
    }

    /// <summary>A client of this endpoint is collected that nobody disposed. Called on the thread of finalizers, which no code of a user
    /// may hold up.</summary>
    internal void WarnOfForgottenClient()
    {
        if (Volatile.Read(ref _started).Length > 0 && !_state.IsStopping)
        {
            _environment.Scheduler.TryQueue(
                static log => Log.ClientForgotten((ILogger)log!), _environment.Logger, _environment.Counters, null);
        }
    }

    private void ReportTrace(Exception exception)
    {
        _environment.Counters.Add(CoapCounter.StageErrors);
        Log.TraceFailed(_environment.Logger, exception);
    }

    /// <summary>
    /// What there is at the moment: peers with what is pending, queued and observed, block transfers, round-trip times, and what was dropped last. For people who look for a reason, not for each request: it
    /// looks at all peers, and takes the locks of the shards for moments.
    /// </summary>
    /// <param name="address">The peers at this address only, of all ports; null for all.</param>
    /// <param name="maxPeers">How many peers at most, those that were heard last. Default 100; 0 or more.</param>
    /// <returns>The snapshot, which never changes.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxPeers"/> is negative.</exception>
    public CoapSnapshot GetSnapshot(IPAddress? address = null, int maxPeers = 100)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxPeers);
        SnapshotReader reader = new(_pipelines, _connections, _environment, address, maxPeers);
        return new CoapSnapshot
        {
            Time = _environment.TimeProvider.GetUtcNow(),
            Name = _name,
            LocalEndpoints = LocalEndpoints,
            Counters = Enum.GetValues<CoapCounter>().Where(counter => Counters[counter] != 0).ToDictionary(static counter => counter, counter => Counters[counter]),
            ActiveRequests = Served.Count,
            Observers = Observers.Count,
            Observations = Observed.Count,
            Connections = _connections.Count,
            Shards = reader.ReadShards(),
            Peers = reader.ReadPeers(out bool isTruncated),
            IsTruncated = isTruncated,
        };
    }

    private long ReadGauge(EndpointGauge gauge) => gauge switch
    {
        EndpointGauge.ActiveRequests => Served.Count,
        EndpointGauge.Observers => Observers.Count,
        EndpointGauge.Observations => Observed.Count,
        EndpointGauge.Outstanding => _pipelines.Sum(static pipeline => (long)pipeline.Messages.Outstanding),
        EndpointGauge.Waiting => _pipelines.Sum(static pipeline => (long)pipeline.Messages.Waiting),
        EndpointGauge.Transfers => _pipelines.Sum(static pipeline => (long)pipeline.Bodies.Count),
        EndpointGauge.TransferBytes => Bodies.Requests.Used + Bodies.Responses.Used,
        EndpointGauge.Peers => _pipelines.Sum(static pipeline => (long)pipeline.Channels.Count),
        _ => _connections.Count,
    };

    private async Task<CoapResponse> WatchAsync(
        CoapRequest request, CoapMessage message, CoapChannel channel, CoapUri? target, long started, ConnectionRoute? route, CancellationToken cancellationToken)
    {
        ClientWatch watch = new(_environment, channel.IsReliable, request.Code.Value);
        if (CoapTelemetry.Source.HasListeners())
        {
            watch.Begin(TelemetryTags.MethodOf(request.Code.Value), target, channel.Transport.Scheme, channel.Remote.ToIPAddress().ToString(), channel.Remote.Port);
        }

        AddContext(message, watch.Context);
        OutgoingRequest outgoing = new()
        {
            Request = request, Message = message, Channel = channel, Target = target, Timeout = request.Timeout, StartedAt = started, Route = route, Watch = watch, Cancellation = cancellationToken,
        };
        try
        {
            CoapResponse response = await _chain.SendAsync(outgoing, FirstStepOf(route)).ConfigureAwait(false);
            watch.End(response.Code);
            return response;
        }
        catch (Exception exception)
        {
            watch.Fail(exception);
            throw;
        }
    }

    private Task<CoapObservation> BeginObservationAsync(ObservationTarget target, CoapObserveOptions? options, CancellationToken cancellationToken) =>
        CoapTelemetry.Source.HasListeners()
            ? WatchObservationAsync(target, options, cancellationToken)
            : CoapObservation.BeginAsync(Observed, target, options, cancellationToken);

    // From the call to the first notification, or to what the server answered instead.
    private async Task<CoapObservation> WatchObservationAsync(ObservationTarget target, CoapObserveOptions? options, CancellationToken cancellationToken)
    {
        CoapChannel? peer = target.Peer;
        string scheme = peer?.Transport.Scheme ?? target.Uri!.Scheme;
        ClientWatch watch = new(_environment, scheme.Contains('+', StringComparison.Ordinal), target.Message.Code.Value) { IsObservation = true };
        watch.Begin("OBSERVE", target.Uri, scheme, peer?.Remote.ToIPAddress().ToString() ?? target.Uri!.Host, peer?.Remote.Port ?? target.Uri!.Port);
        try
        {
            CoapObservation observation = await CoapObservation.BeginAsync(Observed, target, options, cancellationToken).ConfigureAwait(false);
            watch.End(observation.Latest?.Code ?? CoapCode.Empty);
            return observation;
        }
        catch (Exception exception)
        {
            watch.Fail(exception);
            throw;
        }
    }

    private void AddContext(CoapMessage message, ActivityContext? context)
    {
        if (_environment.Telemetry.ContextOption is var number and not 0 && context is { } sent && message.OptionsToRead?.Contains(number) != true)
        {
            Span<byte> value = stackalloc byte[TraceContext.Length];
            TraceContext.Write(sent, value);
            message.Options.Add(number, value);
        }
    }
}
