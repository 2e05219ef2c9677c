using System.Diagnostics;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Pipeline;
using CoAP.NET.Requesting;

namespace CoAP.NET;

// What can be seen of the endpoint from outside.
public sealed partial class CoapEndpoint
{
    private readonly string? _name;
    private readonly CoapInstruments _instruments;
    private readonly TelemetrySource _telemetrySource;

    /// <summary>The name of the endpoint in telemetry; null when it was given none.</summary>
    public string? Name => _name;

    private long ReadGauge(EndpointGauge gauge) => gauge switch
    {
        EndpointGauge.ActiveRequests => Served.Count,
        EndpointGauge.Observers => Observers.Value,
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
        ClientWatch watch = new(_environment, channel, request.Code.Value);
        watch.Begin(TelemetryTags.MethodOf(request.Code.Value), target);
        AddContext(message, watch.Context);
        OutgoingRequest outgoing = new()
        {
            Request = request, Message = message, Channel = channel, Target = target, Timeout = request.Timeout, StartedAt = started, Route = route, Watch = watch,
        };
        try
        {
            CoapResponse response = await (route is null ? _steps : _connectedSteps).SendAsync(outgoing, cancellationToken).ConfigureAwait(false);
            watch.End(response.Code);
            return response;
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
