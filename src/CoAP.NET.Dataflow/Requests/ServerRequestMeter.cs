using System.Diagnostics;
using CoAP.NET.Blockwise;
using CoAP.NET.Resources;

namespace CoAP.NET.Requests;

/// <summary>
/// Measures one request of a client, if there is a telemetry listener. Listeners may throw; callers catch and report their exceptions.
/// </summary>
internal sealed class ServerRequestMeter
{
    private readonly EndpointTelemetry _telemetry;
    private readonly CoapExchange _exchange;
    private readonly long _started;
    private readonly DateTimeOffset _startTime;
    private Activity? _activity;

    public ServerRequestMeter(EndpointTelemetry telemetry, CoapExchange exchange)
    {
        _telemetry = telemetry;
        _exchange = exchange;
        _started = telemetry.Time.GetTimestamp();
        _startTime = telemetry.Time.GetUtcNow();
        IsNotification = exchange.Observing is not null;
    }

    /// <summary>Whether the handler runs for the notifications of observers and not for a request.</summary>
    public bool IsNotification { get; }

    /// <summary>The route; null if none matched.</summary>
    public string? Route { get; set; }

    /// <summary>Starts the span around a handler. It becomes the current one of the caller.</summary>
    public void Begin()
    {
        if (_activity is not null || !CoapTelemetry.Source.HasListeners())
        {
            return;
        }

        // The current activity of a receiving thread is unrelated to the request.
        Activity.Current = null;
        CoapRequestContext request = _exchange.Request;
        ActivityContext parent = default;
        if (_telemetry.ContextOption is var number and not 0 && !IsNotification
            && request.Message.OptionsToRead is { } options && options.TryGetValue(number, out ReadOnlySpan<byte> value))
        {
            _ = TraceContext.TryRead(value, out parent);
        }

        string method = IsNotification ? "NOTIFY" : TelemetryTags.MethodOf(request.Code.Value);
        ActivityKind kind = IsNotification ? ActivityKind.Producer : ActivityKind.Server;
        _activity = CoapTelemetry.Source.StartActivity(Route is { } route ? $"{method} {route}" : method, kind, parent,
            startTime: _startTime);
        if (_activity is { IsAllDataRequested: true } activity)
        {
            activity.SetTag(TelemetryTags.Method, TelemetryTags.MethodOf(request.Code.Value));
            activity.SetTag(TelemetryTags.Scheme, _exchange.Channel.Transport.Scheme);
            activity.SetTag(TelemetryTags.Transport, TelemetryTags.TransportOf(_exchange.Channel.IsReliable));
            activity.SetTag(TelemetryTags.Path, request.Path);
            if (Route is not null)
            {
                activity.SetTag(TelemetryTags.Route, Route);
            }

            if (!IsNotification)
            {
                activity.SetTag(TelemetryTags.PeerAddress, _exchange.Channel.Remote.ToIPAddress().ToString());
                activity.SetTag(TelemetryTags.PeerPort, (int)_exchange.Channel.Remote.Port);
            }

            if ((_exchange.Special & Options.RequestOptionFlags.Observe) != 0)
            {
                activity.SetTag(TelemetryTags.Observation, "register");
            }

            foreach (KeyValuePair<string, object?> tag in _telemetry.Tags)
            {
                activity.SetTag(tag.Key, tag.Value);
            }
        }
    }

    /// <summary>Records that the handler failed. An exception of a listener is passed on to the caller.</summary>
    public void Failed(Exception exception) => _activity?.AddException(exception, timestamp: _telemetry.Time.GetUtcNow());

    /// <summary>Records the response, or the first of many blocks: the later blocks belong to it and are not measured separately.</summary>
    public void End(CoapResult result)
    {
        CoapCode code = result.Code;
        if (!IsNotification)
        {
            _telemetry.Served(_exchange.Request.Code.Value, code.Value, Route, _exchange.Channel.IsReliable,
                _telemetry.Time.GetElapsedTime(_started));
        }

        Activity? before = Activity.Current;
        try
        {
            Begin();
            if (_activity is { } activity)
            {
                activity.SetTag(TelemetryTags.Code, TelemetryTags.CodeOf(code.Value));
                if (activity.IsAllDataRequested && !IsNotification)
                {
                    SetSize(activity, result);
                }

                if (code.Class == 5)
                {
                    // A 4.xx is an error of the client, not of the server.
                    activity.SetTag(TelemetryTags.Error, TelemetryTags.CodeOf(code.Value));
                    activity.SetStatus(ActivityStatusCode.Error);
                }

                activity.SetEndTime(_telemetry.Time.GetUtcNow().UtcDateTime);
                activity.Stop();
            }
        }
        finally
        {
            Activity.Current = before == _activity ? null : before;
        }
    }

    private void SetSize(Activity activity, CoapResult result)
    {
        long total = result is PartialBodyResult part ? part.Total : result.Payload.Length;
        if (total == 0)
        {
            return;
        }

        activity.SetTag(TelemetryTags.BodySize, total);
        if (result.Code.IsSuccess
            && _exchange.Channel.BlocksOf(total, _exchange.Request.Message.OptionsToRead?.Block2) is var blocks and > 1)
        {
            activity.SetTag(TelemetryTags.Blocks, blocks);
        }
    }
}
