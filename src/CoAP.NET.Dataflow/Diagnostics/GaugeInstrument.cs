namespace CoAP.NET;

/// <summary>A metric with the current state of endpoints.</summary>
/// <param name="Name">The name of the metric.</param>
/// <param name="Unit">The unit in UCUM.</param>
/// <param name="Description">A human-readable description.</param>
/// <param name="Gauge">The gauge to read.</param>
internal sealed record GaugeInstrument(string Name, string Unit, string Description, EndpointGauge Gauge)
{
    private static readonly GaugeInstrument[] s_all =
    [
        new("coap.server.active_requests", "{request}", "Requests whose handler has not answered yet.", EndpointGauge.ActiveRequests),
        new("coap.server.observers", "{observer}", "Observers of our resources (RFC 7641).", EndpointGauge.Observers),
        new("coap.client.observations", "{observation}", "Resources of peers that are observed.", EndpointGauge.Observations),
        new("coap.messages.outstanding", "{message}", "Messages of ours that an acknowledgement or reset can match.",
            EndpointGauge.Outstanding),
        new("coap.messages.queued", "{message}", "Messages of ours that wait for their turn (NSTART, PROBING_RATE, Message IDs).",
            EndpointGauge.Waiting),
        new("coap.server.active_transfers", "{transfer}", "Bodies of requests of which blocks are missing (RFC 7959).",
            EndpointGauge.Transfers),
        new("coap.server.transfer_memory", "By", "What bodies in blocks take, of requests and of answers.", EndpointGauge.TransferBytes),
        new("coap.peers", "{peer}", "Peers that are known.", EndpointGauge.Peers),
        new("coap.connections", "{connection}", "Connections (RFC 8323).", EndpointGauge.Connections),
    ];

    /// <summary>All instruments, in the order of the documentation.</summary>
    public static IReadOnlyList<GaugeInstrument> All => s_all;
}
