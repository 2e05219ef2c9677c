using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace CoAP.NET;

/// <summary>
/// The names by which metrics and traces of the library are collected, such as <c>AddMeter(CoapTelemetry.MeterName)</c> and
/// <c>AddSource(CoapTelemetry.ActivitySourceName)</c> of OpenTelemetry. Nothing is measured, and nothing allocated, for instruments and
/// sources that nobody listens to.
/// </summary>
public static class CoapTelemetry
{
    /// <summary>The name of the <see cref="Meter"/>.</summary>
    public const string MeterName = "CoAP.NET";

    /// <summary>The name of the <see cref="ActivitySource"/>.</summary>
    public const string ActivitySourceName = "CoAP.NET";

    /// <summary>
    /// The number of the option to be used for <see cref="CoapEndpointOptions.TraceContextOption"/>: for experiments (RFC 7252 section
    /// 12.2), elective, safe to forward, and not part of the cache key. 65,308.
    /// </summary>
    public const int SuggestedTraceContextOption = 65_308;

    internal static string? Version { get; } = typeof(CoapTelemetry).Assembly.GetName().Version?.ToString(3);

    internal static ActivitySource Source { get; } = new(ActivitySourceName, Version);
}
