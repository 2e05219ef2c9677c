using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Proxy;

/// <summary>The metrics of proxies in the meter of the library. Nearly free without a listener.</summary>
internal sealed class ProxyInstruments
{
    public const string RequestsName = "coap.proxy.requests";

    private static readonly ConditionalWeakTable<Meter, ProxyInstruments> s_ofMeters = [];
    private static readonly ProxyInstruments s_shared = new(new Meter(CoapTelemetry.MeterName));

    private readonly Counter<long> _requests;

    private ProxyInstruments(Meter meter) =>
        _requests = meter.CreateCounter<long>(RequestsName, "{request}", "Requests at a proxy, by outcome.");

    /// <summary>Returns the instruments of a factory; null for the meter of the process.</summary>
    public static ProxyInstruments Of(IMeterFactory? factory) => factory is null
        ? s_shared
        : s_ofMeters.GetValue(factory.Create(new MeterOptions(CoapTelemetry.MeterName)), static meter => new ProxyInstruments(meter));

    public void Add(ProxyCounterKind count)
    {
        if (_requests.Enabled)
        {
            _requests.Add(1, new KeyValuePair<string, object?>("coap.proxy.outcome", OutcomeOf(count)));
        }
    }

    private static string OutcomeOf(ProxyCounterKind count) => count switch
    {
        ProxyCounterKind.Requests => "received",
        ProxyCounterKind.Forwarded => "forwarded",
        ProxyCounterKind.TargetsDenied => "not_allowed",
        ProxyCounterKind.UnsafeOptions => "unsafe_option",
        ProxyCounterKind.Challenges => "challenged",
        ProxyCounterKind.Busy => "busy",
        ProxyCounterKind.HopLimits => "no_hops",
        ProxyCounterKind.Timeouts => "timed_out",
        ProxyCounterKind.Failures => "failed",
        ProxyCounterKind.Shared => "shared",
        ProxyCounterKind.Streamed => "streamed",
        ProxyCounterKind.StreamedUploads => "body_streamed",
        ProxyCounterKind.UploadsAbandoned => "body_abandoned",
        ProxyCounterKind.UploadsEvicted => "body_evicted",
        _ => "polled",
    };
}
