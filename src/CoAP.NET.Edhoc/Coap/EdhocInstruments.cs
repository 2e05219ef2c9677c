using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>The EDHOC metrics in the meter of the library. Nearly free without a listener.</summary>
internal sealed class EdhocInstruments
{
    /// <summary>The counter of sessions by result.</summary>
    public const string SessionsName = "coap.edhoc.sessions";

    /// <summary>The number of pending sessions.</summary>
    public const string ActiveName = "coap.edhoc.active_sessions";

    private static readonly ConditionalWeakTable<Meter, EdhocInstruments> s_ofMeters = [];
    private static readonly EdhocInstruments s_shared = new(new Meter(CoapTelemetry.MeterName));

    private readonly Counter<long> _sessions;
    private readonly UpDownCounter<int> _active;

    private EdhocInstruments(Meter meter)
    {
        _sessions = meter.CreateCounter<long>(SessionsName, "{session}", "Sessions of EDHOC by what became of them.");
        _active = meter.CreateUpDownCounter<int>(ActiveName, "{session}", "Sessions of EDHOC under way, and failed ones that still count.");
    }

    /// <summary>Returns the instruments of a factory; null for the meter of the process.</summary>
    public static EdhocInstruments Of(IMeterFactory? factory) => factory is null
        ? s_shared
        : s_ofMeters.GetValue(
            factory.Create(new MeterOptions(CoapTelemetry.MeterName)), static meter => new EdhocInstruments(meter));

    public void Add(EdhocServerCounter count)
    {
        if (_sessions.Enabled)
        {
            _sessions.Add(1, new KeyValuePair<string, object?>("coap.edhoc.outcome", OutcomeOf(count)));
        }
    }

    public void ChangeActive(int by) => _active.Add(by);

    private static string OutcomeOf(EdhocServerCounter count) => count switch
    {
        EdhocServerCounter.Begun => "begun",
        EdhocServerCounter.Established => "established",
        EdhocServerCounter.Combined => "combined",
        EdhocServerCounter.Failed => "failed",
        EdhocServerCounter.Abandoned => "abandoned",
        EdhocServerCounter.Challenges => "challenged",
        EdhocServerCounter.Busy => "busy",
        _ => "refused",
    };
}
