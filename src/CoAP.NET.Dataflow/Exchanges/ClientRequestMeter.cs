using System.Diagnostics;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Measures one request of ours with all its messages, if there is a telemetry listener. Listeners are foreign code: their exceptions are
/// discarded.
/// </summary>
internal sealed class ClientRequestMeter
{
    // A body may have very many blocks.
    private const int MaxEvents = 64;

    private readonly CoapEnvironment _environment;
    private readonly bool _isReliable;
    private readonly byte _method;
    private readonly long _started;
    private CoapTransmission? _last;
    private int _retransmissions;
    private int _exchanges;
    private int _events;
    private Activity? _activity;

    public ClientRequestMeter(CoapEnvironment environment, bool isReliable, byte method)
    {
        _environment = environment;
        _isReliable = isReliable;
        _method = method;
        _started = Telemetry.Time.GetTimestamp();
    }

    /// <summary>Whether it is the registration of an observation, which is a span but not a request in the metrics.</summary>
    public bool IsObservation { get; init; }

    /// <summary>The context that identifies the span to the peer; null if there is no span.</summary>
    public ActivityContext? Context => _activity?.Context;

    private EndpointTelemetry Telemetry => _environment.Telemetry;

    /// <summary>Begins the span. It becomes the current one of the caller.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="target">The target of the request; null if only the peer is known.</param>
    /// <param name="scheme">The scheme of the transport.</param>
    /// <param name="host">The peer, if <paramref name="target"/> does not name it.</param>
    /// <param name="port">The port of the peer.</param>
    public void Begin(string name, CoapUri? target, string scheme, string host, int port)
    {
        try
        {
            _activity = CoapTelemetry.Source.StartActivity(name, ActivityKind.Client, default(ActivityContext),
                startTime: Telemetry.Time.GetUtcNow());
            if (_activity is not { IsAllDataRequested: true } activity)
            {
                return;
            }

            activity.SetTag(TelemetryTags.Method, TelemetryTags.MethodOf(_method));
            activity.SetTag(TelemetryTags.Scheme, scheme);
            activity.SetTag(TelemetryTags.Transport, TelemetryTags.TransportOf(_isReliable));
            activity.SetTag(TelemetryTags.ServerAddress, target?.Host ?? host);
            activity.SetTag(TelemetryTags.ServerPort, port);
            if (IsObservation)
            {
                activity.SetTag(TelemetryTags.Observation, "register");
            }

            if (target is not null)
            {
                // Without the query, which may hold secrets.
                activity.SetTag(TelemetryTags.Path, "/" + string.Join('/', target.PathSegments));
            }

            foreach (KeyValuePair<string, object?> tag in Telemetry.Tags)
            {
                activity.SetTag(tag.Key, tag.Value);
            }
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Report(exception);
        }
    }

    /// <summary>Records that a message of the request was given to the peer's channel.</summary>
    public void OnSent(CoapTransmission transmission, CoapMessage message)
    {
        Settle();
        _last = transmission;
        _exchanges++;
        if (_activity is { IsAllDataRequested: true } activity && _events < MaxEvents && message.OptionsToRead is { } options
            && (options.Block1 ?? options.Block2) is { } block)
        {
            _events++;
            activity.AddEvent(new ActivityEvent(
                options.Block1 is null ? "coap.block2" : "coap.block1",
                Telemetry.Time.GetUtcNow(),
                new ActivityTagsCollection { { "coap.block.number", (long)block.Number }, { "coap.block.size", (long)block.Size } }));
        }
    }

    public void End(CoapCode code) => End(code, null);

    /// <summary>Ends the span without a response.</summary>
    public void Fail(Exception exception) => End(null, exception);

    private void End(CoapCode? code, Exception? exception)
    {
        try
        {
            Settle();
            string? error = exception is null
                ? (code is { IsError: true } failed ? TelemetryTags.CodeOf(failed.Value) : null)
                : NameOf(exception);
            if (!IsObservation)
            {
                Telemetry.Requested(_method, code?.Value, error, _isReliable, Telemetry.Time.GetElapsedTime(_started));
            }

            if (_activity is not { } activity)
            {
                return;
            }

            if (code is { } answer)
            {
                activity.SetTag(TelemetryTags.Code, TelemetryTags.CodeOf(answer.Value));
            }

            if (error is not null)
            {
                activity.SetTag(TelemetryTags.Error, error);
                activity.SetStatus(ActivityStatusCode.Error, exception?.Message);
            }

            if (!IsObservation)
            {
                activity.SetTag(TelemetryTags.Retransmissions, _retransmissions);
                activity.SetTag(TelemetryTags.Exchanges, _exchanges);
            }

            activity.SetEndTime(Telemetry.Time.GetUtcNow().UtcDateTime);
            activity.Stop();
        }
#pragma warning disable CA1031 // see above
        catch (Exception thrown)
#pragma warning restore CA1031
        {
            Report(thrown);
        }
    }

    // There are few reasons, but many messages.
    private static string NameOf(Exception exception) => exception switch
    {
        OperationCanceledException => "canceled",
        CoapTimeoutException => "timeout",
        CoapException { Error: not CoapError.Unspecified } known => known.Error.ToString(),
        _ => exception.GetType().Name,
    };

    private void Settle()
    {
        _retransmissions += Math.Max(0, (_last?.Attempts ?? 0) - 1);
        _last = null;
    }

    private void Report(Exception exception)
    {
        _environment.Counters.Add(CoapCounter.StageErrors);
        Log.ListenerFailed(_environment.Logger, exception);
    }
}
