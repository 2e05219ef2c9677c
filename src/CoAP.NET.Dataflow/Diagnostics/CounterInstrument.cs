using System.Reflection;

namespace CoAP.NET.Diagnostics;

/// <summary>A metric that is read from counters of endpoints. <see cref="CoapCounter"/> says which.</summary>
internal sealed class CounterInstrument
{
    public const string Drops = "coap.drops";
    public const string Refusals = "coap.server.refusals";

    // Metrics of several counters. Those of one counter are declared with it.
    private static readonly (string Name, string Unit, string Description, string Tag)[] s_tagged =
    [
        ("coap.network.io", "By", "Bytes of the messages received and sent.", "network.io.direction"),
        ("coap.network.packets", "{packet}", "Datagrams, and messages on connections, received and sent.", "network.io.direction"),
        ("coap.drops", "{message}", "What was dropped or left out, by reason.", "coap.drop.reason"),
        ("coap.messages.failures", "{message}", "Messages of ours that did not arrive as far as is known, by reason.",
            "coap.failure.reason"),
        ("coap.deduplication.evictions", "{entry}",
            "Requests forgotten before their lifetime for lack of room, by whether repeating one harms.", "coap.deduplication.kind"),
        ("coap.server.refusals", "{request}", "Requests that were refused before their handler, by reason.", "coap.refusal.reason"),
        ("coap.server.errors", "{error}", "Failures of handlers and of linked or stage code.", "coap.error.source"),
        ("coap.client.cache", "{request}", "Requests by what the cache had for them (RFC 7252 section 5.6).", "coap.cache.result"),
        ("coap.transfers", "{transfer}", "Bodies in blocks by how they went (RFC 7959).", "coap.transfer.outcome"),
        ("coap.notifications", "{notification}", "Notifications by direction (RFC 7641).", "network.io.direction"),
        ("coap.registrations", "{registration}", "Registrations of observers with us, and those that we made again.", "coap.role"),
        ("coap.dtls.records_refused", "{record}", "Records of DTLS that were not authentic or had come before.", "coap.dtls.refusal"),
        ("coap.dtls.evictions", "{eviction}", "Handshakes and sessions of DTLS that made room for others.", "coap.dtls.evicted"),
        ("coap.server.handshake_failures", "{handshake}", "Handshakes of DTLS and TLS with clients that failed, by reason.",
            "coap.handshake.failure"),
        ("coap.connections.events", "{event}", "What happened to connections (RFC 8323).", "coap.connection.event"),
    ];

    private CounterInstrument(string name, string unit, string description, string? tag, CounterRow[] rows) =>
        (Name, Unit, Description, Tag, Rows) = (name, unit, description, tag, rows);

    /// <summary>All instruments, in the order of their first counters.</summary>
    public static IReadOnlyList<CounterInstrument> All { get; } = Read();

    /// <summary>The name of the metric.</summary>
    public string Name { get; }

    /// <summary>The unit in UCUM.</summary>
    public string Unit { get; }

    /// <summary>A human-readable description.</summary>
    public string Description { get; }

    /// <summary>The tag that distinguishes the rows; null if there is one row.</summary>
    public string? Tag { get; }

    /// <summary>The counters with their values of the tag.</summary>
    public CounterRow[] Rows { get; }

    /// <summary>The rows of a metric.</summary>
    public static IReadOnlyList<CounterRow> RowsOf(string name) => All.Single(one => one.Name == name).Rows;

    private static CounterInstrument[] Read()
    {
        List<(MetricAttribute Metric, CounterRow Row)> rows = [];
        foreach (FieldInfo field in typeof(CoapCounter).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            MetricAttribute metric = field.GetCustomAttribute<MetricAttribute>()
                ?? throw new InvalidOperationException($"The counter {field.Name} has no attribute that says which metric shows it.");
            rows.Add((metric, new CounterRow(Enum.Parse<CoapCounter>(field.Name), metric.Value, metric.Meaning)));
        }

        return [.. rows.GroupBy(static one => one.Metric.Name)
            .Select(static metric => Make(metric.First().Metric, [.. metric.Select(static one => one.Row)]))];
    }

    private static CounterInstrument Make(MetricAttribute metric, CounterRow[] rows)
    {
        if (metric is SingleMetricAttribute single)
        {
            return new CounterInstrument(single.Name, single.Unit, single.Description, null, rows);
        }

        (string name, string unit, string description, string tag) = s_tagged.Single(one => one.Name == metric.Name);
        return new CounterInstrument(name, unit, description, tag, rows);
    }
}
