using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace CoAP.NET.Diagnostics;

/// <summary>Measures the requests of one endpoint if there is a listener.</summary>
/// <param name="instruments">The instruments.</param>
/// <param name="time">The clock.</param>
/// <param name="tags">The tags of the endpoint.</param>
internal sealed class EndpointTelemetry(CoapInstruments instruments, TimeProvider time, KeyValuePair<string, object?>[] tags)
{
    /// <summary>The instance for stages without an endpoint.</summary>
    public static EndpointTelemetry None { get; } = new(CoapInstruments.Shared, TimeProvider.System, []);

    public Meter Meter => instruments.Meter;

    public TimeProvider Time => time;

    public KeyValuePair<string, object?>[] Tags => tags;

    /// <summary>The number of the option that carries the trace context; 0 for none.</summary>
    public int ContextOption { get; init; }

    /// <summary>Whether there is a listener for served requests. Cheap: read for each of them.</summary>
    public bool IsServing => instruments.ServerDuration.Enabled || CoapTelemetry.Source.HasListeners();

    /// <summary>Whether there is a listener for requests of this endpoint. Cheap: read for each of them.</summary>
    public bool IsRequesting => instruments.ClientDuration.Enabled || CoapTelemetry.Source.HasListeners();

    /// <summary>Records a served request.</summary>
    /// <param name="method">The code of its method.</param>
    /// <param name="code">The code of the response.</param>
    /// <param name="route">The template of its route; null if none matched.</param>
    /// <param name="isReliable">Whether it arrived on a connection.</param>
    /// <param name="elapsed">Its duration.</param>
    public void Served(byte method, byte code, string? route, bool isReliable, TimeSpan elapsed)
    {
        if (!instruments.ServerDuration.Enabled)
        {
            return;
        }

        TagList all = new(tags)
        {
            { TelemetryTags.Method, TelemetryTags.MethodOf(method) },
            { TelemetryTags.Code, TelemetryTags.CodeOf(code) },
            { TelemetryTags.Transport, TelemetryTags.TransportOf(isReliable) },
        };
        if (route is not null)
        {
            all.Add(TelemetryTags.Route, route);
        }

        instruments.ServerDuration.Record(elapsed.TotalSeconds, all);
    }

    /// <summary>Records the end of a request of this endpoint.</summary>
    /// <param name="method">The code of its method.</param>
    /// <param name="code">The code of the response; null if there was none.</param>
    /// <param name="error">The reason why there is none.</param>
    /// <param name="isReliable">Whether it was sent on a connection.</param>
    /// <param name="elapsed">Its duration.</param>
    public void Requested(byte method, byte? code, string? error, bool isReliable, TimeSpan elapsed)
    {
        if (!instruments.ClientDuration.Enabled)
        {
            return;
        }

        TagList all = new(tags)
        {
            { TelemetryTags.Method, TelemetryTags.MethodOf(method) },
            { TelemetryTags.Transport, TelemetryTags.TransportOf(isReliable) },
        };
        if (code is { } answer)
        {
            all.Add(TelemetryTags.Code, TelemetryTags.CodeOf(answer));
        }

        if (error is not null)
        {
            all.Add(TelemetryTags.Error, error);
        }

        instruments.ClientDuration.Record(elapsed.TotalSeconds, all);
    }
}
