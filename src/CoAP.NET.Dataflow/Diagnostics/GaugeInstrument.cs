namespace CoAP.NET.Diagnostics;

/// <summary>A metric with the current state of endpoints.</summary>
/// <param name="Name">The name of the metric.</param>
/// <param name="Unit">The unit in UCUM.</param>
/// <param name="Description">A human-readable description.</param>
/// <param name="Tag">The tag that distinguishes the rows; null if there is one row.</param>
/// <param name="Rows">The gauges to read with their values of the tag.</param>
internal sealed record GaugeInstrument(string Name, string Unit, string Description, string? Tag,
    (EndpointGauge Gauge, string? Value)[] Rows)
{
    private static readonly GaugeInstrument[] s_all =
    [
        Of("coap.server.active_requests", "{request}", "Requests whose handler has not answered yet.", EndpointGauge.ActiveRequests),
        Of("coap.server.observers", "{observer}", "Observers of our resources (RFC 7641).", EndpointGauge.Observers),
        new("coap.client.observations", "{observation}", "Observations of resources of peers, by state (RFC 7641).",
            "coap.observation.state",
            [
                (EndpointGauge.ObservationsRegistering, "registering"), (EndpointGauge.ObservationsObserving, "observing"),
                (EndpointGauge.ObservationsNotObserving, "not_observing"), (EndpointGauge.ObservationsStale, "stale"),
                (EndpointGauge.ObservationsReregistering, "reregistering"),
            ]),
        Of("coap.messages.outstanding", "{message}", "Messages of ours that an acknowledgement or reset can match.",
            EndpointGauge.Outstanding),
        Of("coap.messages.queued", "{message}", "Messages of ours that wait for their turn (NSTART, PROBING_RATE, Message IDs).",
            EndpointGauge.Waiting),
        Of("coap.server.active_transfers", "{transfer}", "Bodies of requests of which blocks are missing (RFC 7959).",
            EndpointGauge.Transfers),
        Of("coap.server.transfer_memory", "By", "What bodies in blocks take, of requests and of answers.", EndpointGauge.TransferBytes),
        Of("coap.peers", "{peer}", "Peers that are known.", EndpointGauge.Peers),
        Of("coap.connections", "{connection}", "Connections (RFC 8323).", EndpointGauge.Connections),
    ];

    /// <summary>All instruments, in the order of the documentation.</summary>
    public static IReadOnlyList<GaugeInstrument> All => s_all;

    private static GaugeInstrument Of(string name, string unit, string description, EndpointGauge gauge) =>
        new(name, unit, description, null, [(gauge, null)]);
}
