using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace CoAP.NET;

/// <summary>
/// The names of the metrics and traces of the library, for example for <c>AddMeter(CoapTelemetry.MeterName)</c> and
/// <c>AddSource(CoapTelemetry.ActivitySourceName)</c> of OpenTelemetry.
/// </summary>
/// <remarks>The library measures and allocates nothing for instruments and sources without a listener.</remarks>
public static class CoapTelemetry
{
    /// <summary>The name of the <see cref="Meter"/>.</summary>
    public const string MeterName = "CoAP.NET";

    /// <summary>The name of the <see cref="ActivitySource"/>.</summary>
    public const string ActivitySourceName = "CoAP.NET";

    /// <summary>
    /// The suggested option number for <see cref="CoapTelemetryOptions.TraceContextOption"/>: for experiments (RFC 7252 section 12.2),
    /// elective, safe to forward, and not part of the cache key.
    /// </summary>
    /// <remarks>65,308.</remarks>
    public const int SuggestedTraceContextOption = 65_308;

    internal static string? Version { get; } = typeof(CoapTelemetry).Assembly.GetName().Version?.ToString(3);

    internal static ActivitySource Source { get; } = new(ActivitySourceName, Version);
}
