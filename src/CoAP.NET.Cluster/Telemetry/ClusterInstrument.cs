namespace CoAP.NET.Cluster.Telemetry;

/// <summary>A metric of a cluster.</summary>
/// <param name="Name">Its name.</param>
/// <param name="IsGauge">Whether it is a gauge; otherwise a counter.</param>
/// <param name="Unit">The unit in UCUM.</param>
/// <param name="Description">The human-readable description.</param>
/// <param name="Tag">The tag that distinguishes the rows; null for one row.</param>
/// <param name="Rows">The metrics of the rows, with their tag values.</param>
internal sealed record ClusterInstrument(
    string Name, bool IsGauge, string Unit, string Description, string? Tag, params (ClusterMetric Metric, string? Value)[] Rows)
{
    public const string StoreDuration = "coap.cluster.store.duration";

    /// <summary>The human-readable description of <see cref="StoreDuration"/>.</summary>
    public const string StoreDurationDescription = "Duration of calls to the store, by operation.";

    /// <summary>All others, in the order of the documentation.</summary>
    public static IReadOnlyList<ClusterInstrument> All { get; } =
    [
        Gauge("coap.cluster.slots", "{slot}", "Slots that this node owns, of 256.", (ClusterMetric.SlotsHeld, null)),
        Gauge("coap.cluster.slots_moving", "{slot}", "Slots that this node is handing over.", (ClusterMetric.SlotsMoving, null)),
        Gauge("coap.cluster.nodes", "{node}", "Live nodes according to this one.", (ClusterMetric.Nodes, null)),
        Gauge("coap.cluster.store_away", "{store}", "1 while the store accepts no leases or records, otherwise 0.",
            (ClusterMetric.StoreAway, null)),
        Gauge("coap.cluster.records_waiting", "{record}", "Changes of records that wait for the store.",
            (ClusterMetric.RecordsWaiting, null)),
        Gauge("coap.cluster.bytes_waiting", "By", "The bytes of these changes.", (ClusterMetric.BytesWaiting, null)),
        Gauge("coap.cluster.datagrams_waiting", "{datagram}", "Datagrams held for moving slots.",
            (ClusterMetric.DatagramsHolding, null)),
        Gauge("coap.cluster.observers_awaited", "{observer}", "Kept observers whose client has not returned yet.",
            (ClusterMetric.ObserversAwaited, null)),
        Gauge("coap.cluster.observations", "{observation}", "Observations of this node at devices, including those whose session has not "
            + "arrived yet.",
            (ClusterMetric.Observations, null)),
        Gauge("coap.cluster.devices", "{device}", "Devices with a session or connection at this node.",
            (ClusterMetric.Devices, null)),
        Gauge("coap.cluster.oscore_contexts", "{context}", "OSCORE contexts whose sequence numbers this node reserves.",
            (ClusterMetric.OscoreContexts, null)),
        Gauge("coap.cluster.outbox_waiting", "{request}", "Requests that wait in outboxes of this node.",
            (ClusterMetric.OutboxWaiting, null)),
        Gauge("coap.cluster.table.entries", "{entry}", "Entries of tables on this node, which has those of all nodes.",
            (ClusterMetric.TableEntries, null)),
        Gauge("coap.cluster.table.bytes", "By", "The bytes of their keys and values.", (ClusterMetric.TableBytes, null)),
        Gauge("coap.cluster.table.waiting", "{question}", "Questions to tables that wait for the owner of a slot or for the store.",
            (ClusterMetric.TableWaiting, null)),
        new("coap.cluster.slot_moves", false, "{slot}",
            "Slots without a live owner that this node took, slots that it handed over, and slots that others took because it seemed "
                + "dead.", "coap.cluster.move",
            (ClusterMetric.SlotsTaken, "taken"), (ClusterMetric.SlotsHandedOver, "handed_over"), (ClusterMetric.SlotsLost, "lost")),
        new("coap.cluster.records", false, "{record}", "Changes of records by outcome.", "coap.cluster.outcome",
            (ClusterMetric.RecordsWritten, "written"), (ClusterMetric.RecordsFenced, "fenced"),
            (ClusterMetric.RecordsReplaced, "replaced"), (ClusterMetric.RecordsDropped, "dropped"),
            (ClusterMetric.RecordsRefused, "refused"), (ClusterMetric.RecordsUnreadable, "unreadable")),
        new("coap.cluster.batches", false, "{batch}", "Batches of records by whether the store accepted them.", "coap.cluster.outcome",
            (ClusterMetric.BatchesWritten, "written"), (ClusterMetric.BatchesFailed, "failed")),
        new("coap.cluster.relays", false, "{datagram}",
            "Datagrams between nodes: relayed, received, returned answers, refused because their source had used up its share, dropped "
                + "because their slot had moved again, and lost on their way here.", "coap.cluster.relay",
            (ClusterMetric.Relayed, "relayed"), (ClusterMetric.RelaysReceived, "received"), (ClusterMetric.RelaysReturned, "returned"),
            (ClusterMetric.RelaysRefused, "refused"), (ClusterMetric.RelaysStray, "stray"), (ClusterMetric.RelaysLost, "lost")),
        new("coap.cluster.datagrams_held", false, "{datagram}", "Datagrams that waited for slots on their way, and those of them that were "
            + "dropped.", "coap.cluster.outcome", (ClusterMetric.DatagramsQueued, "held"), (ClusterMetric.DatagramsDropped, "dropped")),
        new("coap.cluster.observers", false, "{observer}", "Kept observers by outcome, and changes of observers dropped for lack of "
            + "room.", "coap.cluster.outcome",
            (ClusterMetric.ObserversRestored, "restored"), (ClusterMetric.ObserversRefused, "refused"),
            (ClusterMetric.ObserversExpired, "expired"), (ClusterMetric.ObserverRecordsDropped, "dropped")),
        new("coap.cluster.device_requests", false, "{request}", "Requests to devices made at this node, by outcome; a request from an "
            + "outbox counts with each attempt.", "coap.cluster.outcome",
            (ClusterMetric.DevicesAnswered, "answered"), (ClusterMetric.DevicesAsleep, "asleep"), (ClusterMetric.DevicesUnknown, "unknown"),
            (ClusterMetric.DevicesUnreachable, "unreachable")),
        new("coap.cluster.outbox", false, "{request}", "Requests in outboxes of this node: queued, answered, and unanswered; refused ones "
            + "found no room.", "coap.cluster.outcome",
            (ClusterMetric.OutboxQueued, "queued"), (ClusterMetric.OutboxSent, "answered"), (ClusterMetric.OutboxExpired, "expired"),
            (ClusterMetric.OutboxCancelled, "cancelled"), (ClusterMetric.OutboxFailed, "failed"),
            (ClusterMetric.OutboxRefused, "refused")),
        new("coap.cluster.observation_events", false, "{event}", "Observations at devices that started or continued at this node; that the "
            + "device refused with an error, declined with an answer without Observe, or did not answer; that could not be continued; "
            + "and that were forgotten because their session did not return.", "coap.cluster.outcome",
            (ClusterMetric.ObservationsBegun, "begun"), (ClusterMetric.ObservationsRefused, "refused"),
            (ClusterMetric.ObservationsDeclined, "declined"), (ClusterMetric.ObservationsUnanswered, "unanswered"),
            (ClusterMetric.ObservationsFailed, "failed"), (ClusterMetric.ObservationsExpired, "expired")),
        new("coap.cluster.device_registrations", false, "{registration}", "Registrations at devices by this node: accepted, refused "
            + "by an error or by an answer without Observe, and not answered.", "coap.cluster.outcome",
            (ClusterMetric.RegistrationsAccepted, "accepted"), (ClusterMetric.RegistrationsRefused, "refused"),
            (ClusterMetric.RegistrationsNotObservable, "not_observable"), (ClusterMetric.RegistrationsUnanswered, "unanswered")),
        new("coap.cluster.table.questions", false, "{question}", "Questions to tables: answered by this node as the owner of a slot, "
            + "answered by another node for this one, refused for lack of room, and not answered in time.",
            "coap.cluster.outcome", (ClusterMetric.TableAnswered, "answered"), (ClusterMetric.TableForwarded, "forwarded"),
            (ClusterMetric.TableRefused, "refused"), (ClusterMetric.TableUnavailable, "unavailable")),
        new("coap.cluster.table.changes", false, "{change}", "Changes of entries of tables: put, removed and expired in slots of this "
            + "node, and read because other nodes changed them.", "coap.cluster.change", (ClusterMetric.TablePut, "put"),
            (ClusterMetric.TableRemoved, "removed"), (ClusterMetric.TableExpired, "expired"), (ClusterMetric.TableReceived, "read")),
        new("coap.cluster.table.slots", false, "{slot}", "Slots of tables that this node took over and read from the store, and those "
            + "that it read again because they have another owner, or because it missed changes.", "coap.cluster.reading",
                (ClusterMetric.TableSlotsTaken, "taken"),
            (ClusterMetric.TableSlotsRead, "read_again")),
    ];

    private static ClusterInstrument Gauge(string name, string unit, string description, (ClusterMetric Metric, string? Value) row) =>
        new(name, true, unit, description, null, row);
}
