using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace CoAP.NET.PubSub.Telemetry;

/// <summary>The metrics of brokers in the meter of the library. They cost almost nothing without a listener.</summary>
internal sealed class PubSubInstruments
{
    /// <summary>Created and ended topics.</summary>
    public const string TopicsName = "coap.pubsub.topics";

    public const string PublicationsName = "coap.pubsub.publications";

    /// <summary>Refused requests.</summary>
    public const string RefusalsName = "coap.pubsub.refusals";

    private static readonly ConditionalWeakTable<Meter, PubSubInstruments> s_ofMeters = [];
    private static readonly PubSubInstruments s_shared = new(new Meter(CoapTelemetry.MeterName));

    private readonly Counter<long> _topics;
    private readonly Counter<long> _publications;
    private readonly Counter<long> _refusals;

    private PubSubInstruments(Meter meter)
    {
        _topics = meter.CreateCounter<long>(TopicsName, "{topic}", "Topics by outcome.");
        _publications = meter.CreateCounter<long>(PublicationsName, "{publication}", "Publications that a broker accepted.");
        _refusals = meter.CreateCounter<long>(RefusalsName, "{request}", "Requests that a broker refused, by reason.");
    }

    /// <summary>The instruments of a factory; those of the process for null.</summary>
    public static PubSubInstruments Of(IMeterFactory? factory) => factory is null
        ? s_shared
        : s_ofMeters.GetValue(
            factory.Create(new MeterOptions(CoapTelemetry.MeterName)), static meter => new PubSubInstruments(meter));

    public void Add(PubSubCounterKind count)
    {
        switch (count)
        {
            case PubSubCounterKind.Publications:
                _publications.Add(1);
                break;
            case PubSubCounterKind.Created or PubSubCounterKind.Changed or PubSubCounterKind.Ended or PubSubCounterKind.Expired
                or PubSubCounterKind.Evicted:
                _topics.Add(1, new KeyValuePair<string, object?>("coap.pubsub.change", NameOf(count)));
                break;
            default:
                _refusals.Add(1, new KeyValuePair<string, object?>("coap.pubsub.reason", NameOf(count)));
                break;
        }
    }

    private static string NameOf(PubSubCounterKind count) => count switch
    {
        PubSubCounterKind.Created => "created",
        PubSubCounterKind.Changed => "changed",
        PubSubCounterKind.Ended => "ended",
        PubSubCounterKind.Expired => "expired",
        PubSubCounterKind.Evicted => "gave_way",
        PubSubCounterKind.Forbidden => "forbidden",
        PubSubCounterKind.Invalid => "invalid",
        PubSubCounterKind.TooFast => "too_fast",
        PubSubCounterKind.NoCapacity => "no_room",
        _ => "unavailable",
    };
}
