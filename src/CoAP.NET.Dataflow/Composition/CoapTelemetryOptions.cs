using System.Diagnostics.Metrics;

namespace CoAP.NET;

/// <summary>The metrics and traces of an endpoint.</summary>
/// <remarks>The group <see cref="CoapEndpointOptions.Telemetry"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapTelemetryOptions
{
    internal CoapTelemetryOptions()
    {
    }

    /// <summary>
    /// Creates the meter of <see cref="CoapTelemetry.MeterName"/>, for example the factory of a dependency injection container.
    /// </summary>
    /// <remarks>Default: null, one meter for the process.</remarks>
    public partial IMeterFactory? MeterFactory { get; set; }

    /// <summary>Further tags for the metrics and traces of the endpoint.</summary>
    /// <remarks>Use few values, because each combination is a separate series. Default: none.</remarks>
    public IList<KeyValuePair<string, object?>> Tags { get; } = new SettingList<KeyValuePair<string, object?>>();

    /// <summary>
    /// The number of an option that carries the trace context from client to server (25 bytes: trace id, span id, flags) and so connects
    /// their spans.
    /// </summary>
    /// <remarks>
    /// No standard defines one, so both ends must agree on a number for experiments. With null, the default, the endpoint neither sends nor
    /// reads it. Use <see cref="CoapTelemetry.SuggestedTraceContextOption"/> unless another option has this number.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 65,000 to 65,535 (RFC 7252 section 12.2), or not elective, or part of the
    /// cache key (RFC 7252 section 5.4.6).</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public int? TraceContextOption
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = value is null or (>= 65_000 and <= 65_535)
                && (value is null || OptionNumber.IsNoCacheKey(value.Value) && (value & 1) == 0)
                ? value
                : throw new ArgumentOutOfRangeException(
                    nameof(value), value,
                    "The trace context needs an elective option for experiments that is not part of the cache key. Use an even number from "
                        + "65,000 to 65,535 whose last five bits are 11100, such as 65,308.");
        }
    }
}
