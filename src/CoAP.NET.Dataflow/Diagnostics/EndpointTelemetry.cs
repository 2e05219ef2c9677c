using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace CoAP.NET;

/// <summary>What one endpoint measures of requests while somebody listens.</summary>
/// <param name="instruments">Where it goes.</param>
/// <param name="time">The clock.</param>
/// <param name="tags">The tags of the endpoint.</param>
internal sealed class EndpointTelemetry(CoapInstruments instruments, TimeProvider time, KeyValuePair<string, object?>[] tags)
{
    /// <summary>Of stages that belong to no endpoint.</summary>
    public static EndpointTelemetry None { get; } = new(CoapInstruments.Shared, TimeProvider.System, []);

    /// <summary>Where instruments are made.</summary>
    public Meter Meter => instruments.Meter;

    public TimeProvider Time => time;

    public KeyValuePair<string, object?>[] Tags => tags;

    /// <summary>The number of the option that carries the trace context; 0 for none.</summary>
    public int ContextOption { get; init; }

    /// <summary>Whether anybody wants to know of the requests that are served. Cheap: asked for each of them.</summary>
    public bool IsServing => instruments.ServerDuration.Enabled || CoapTelemetry.Source.HasListeners();

    /// <summary>Whether anybody wants to know of requests of ours. Cheap: asked for each of them.</summary>
    public bool IsRequesting => instruments.ClientDuration.Enabled || CoapTelemetry.Source.HasListeners();

    /// <summary>A request was answered.</summary>
    /// <param name="method">The code of its method.</param>
    /// <param name="code">The code of the answer.</param>
    /// <param name="route">The template of its route; null when none matched.</param>
    /// <param name="isReliable">Whether it came on a connection.</param>
    /// <param name="elapsed">How long it took.</param>
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

    /// <summary>A request of ours is over.</summary>
    /// <param name="method">The code of its method.</param>
    /// <param name="code">The code of the response; null when none came.</param>
    /// <param name="error">Why there is none.</param>
    /// <param name="isReliable">Whether it went on a connection.</param>
    /// <param name="elapsed">How long it took.</param>
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
