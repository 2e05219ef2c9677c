namespace CoAP.NET.Cluster;

/// <summary>A metric of a cluster.</summary>
/// <param name="Name">Its name.</param>
/// <param name="IsGauge">Whether it rises and falls; otherwise it counts.</param>
/// <param name="Unit">The unit, as UCUM has it.</param>
/// <param name="Description">What it is, for people.</param>
/// <param name="Tag">The tag that tells the rows apart; null when there is one row.</param>
/// <param name="Rows">What is read with which value of the tag.</param>
internal sealed record ClusterInstrument(
    string Name, bool IsGauge, string Unit, string Description, string? Tag, params (ClusterMetric Metric, string? Value)[] Rows)
{
    /// <summary>The duration of calls to the store, which is a histogram.</summary>
    public const string StoreDuration = "coap.cluster.store.duration";

    /// <summary>What <see cref="StoreDuration"/> is, for people.</summary>
    public const string StoreDurationDescription = "How long calls to the store took, by what was asked for.";

    /// <summary>All others, in the order of the documentation.</summary>
    public static IReadOnlyList<ClusterInstrument> All { get; } =
    [
        Gauge("coap.cluster.slots", "{slot}", "Slots that this node has, of 256.", (ClusterMetric.SlotsHeld, null)),
        Gauge("coap.cluster.slots_moving", "{slot}", "Slots that this node is handing over.", (ClusterMetric.SlotsMoving, null)),
        Gauge("coap.cluster.nodes", "{node}", "Nodes that are there, as this one sees it.", (ClusterMetric.Nodes, null)),
        Gauge("coap.cluster.links", "{link}", "Nodes that this one has a link with.", (ClusterMetric.Links, null)),
        Gauge("coap.cluster.store_away", "{store}", "1 while the store takes no leases or records, else 0.",
            (ClusterMetric.StoreAway, null)),
        Gauge("coap.cluster.records_waiting", "{record}", "Changes of records that wait for the store.",
            (ClusterMetric.RecordsWaiting, null)),
        Gauge("coap.cluster.bytes_waiting", "By", "The bytes that they hold.", (ClusterMetric.BytesWaiting, null)),
        Gauge("coap.cluster.datagrams_waiting", "{datagram}", "Datagrams that wait for slots on their way.",
            (ClusterMetric.DatagramsHolding, null)),
        Gauge("coap.cluster.observers_awaited", "{observer}", "Observers that are kept and whose client is not there yet.",
            (ClusterMetric.ObserversAwaited, null)),
        Gauge("coap.cluster.observations", "{observation}", "Observations of ours at devices, with those whose session is not there yet.",
            (ClusterMetric.Observations, null)),
        Gauge("coap.cluster.devices", "{device}", "Devices that have a session or connection with this node.",
            (ClusterMetric.Devices, null)),
        Gauge("coap.cluster.oscore_contexts", "{context}", "OSCORE contexts whose sequence numbers this node reserves.",
            (ClusterMetric.OscoreContexts, null)),
        Gauge("coap.cluster.devices_observed", "{device}", "Devices at which this node observes a resource, as somebody observes it at all "
            + "devices; one counts for each resource.", (ClusterMetric.DevicesObserved, null)),
        Gauge("coap.cluster.outbox_waiting", "{request}", "Requests that wait in outboxes of this node.",
            (ClusterMetric.OutboxWaiting, null)),
        Gauge("coap.cluster.table.entries", "{entry}", "Entries of tables that this node has, which are those of all nodes.",
            (ClusterMetric.TableEntries, null)),
        Gauge("coap.cluster.table.bytes", "By", "The bytes of their keys and values.", (ClusterMetric.TableBytes, null)),
        Gauge("coap.cluster.table.waiting", "{question}", "Questions to tables that wait for the owner of a slot or for the store.",
            (ClusterMetric.TableWaiting, null)),
        new("coap.cluster.slot_moves", false, "{slot}",
            "Slots that nobody had and this node took, that it handed over, and that others took as it seemed dead.", "coap.cluster.move",
            (ClusterMetric.SlotsTaken, "taken"), (ClusterMetric.SlotsHandedOver, "handed_over"), (ClusterMetric.SlotsLost, "lost")),
        new("coap.cluster.records", false, "{record}", "Changes of records by what became of them.", "coap.cluster.outcome",
            (ClusterMetric.RecordsWritten, "written"), (ClusterMetric.RecordsFenced, "fenced"),
            (ClusterMetric.RecordsReplaced, "replaced"), (ClusterMetric.RecordsDropped, "dropped"),
            (ClusterMetric.RecordsRefused, "refused"), (ClusterMetric.RecordsUnreadable, "unreadable")),
        new("coap.cluster.batches", false, "{batch}", "Batches of records by whether the store took them.", "coap.cluster.outcome",
            (ClusterMetric.BatchesWritten, "written"), (ClusterMetric.BatchesFailed, "failed")),
        new("coap.cluster.relays", false, "{datagram}",
            "Datagrams between nodes: relayed, received, answers that were returned, refused as their source "
            + "had its share, dropped as their slot had moved on, and lost on their way here.", "coap.cluster.relay",
            (ClusterMetric.Relayed, "relayed"), (ClusterMetric.RelaysReceived, "received"), (ClusterMetric.RelaysReturned, "returned"),
            (ClusterMetric.RelaysRefused, "refused"), (ClusterMetric.RelaysStray, "stray"), (ClusterMetric.RelaysLost, "lost")),
        new("coap.cluster.datagrams_held", false, "{datagram}", "Datagrams that waited for slots on their way, and those of them that were "
            + "dropped.", "coap.cluster.outcome", (ClusterMetric.DatagramsHeld, "held"), (ClusterMetric.DatagramsDropped, "dropped")),
        new("coap.cluster.link_events", false, "{event}", "What happened to links between nodes.", "coap.cluster.link",
            (ClusterMetric.LinksOpened, "opened"), (ClusterMetric.LinksFailed, "failed"), (ClusterMetric.LinksLost, "lost"),
            (ClusterMetric.LinkStrangers, "stranger")),
        new("coap.cluster.link_items", false, "{item}", "Messages between nodes.", "coap.cluster.item",
            (ClusterMetric.ItemsSent, "sent"), (ClusterMetric.ItemsReceived, "received"), (ClusterMetric.ItemsDropped, "dropped")),
        new("coap.cluster.observers", false, "{observer}", "Observers that were kept by what became of them, and changes of observers "
            + "for which there was no room.", "coap.cluster.outcome",
            (ClusterMetric.ObserversRestored, "restored"), (ClusterMetric.ObserversRefused, "refused"),
            (ClusterMetric.ObserversExpired, "expired"), (ClusterMetric.ObserverRecordsDropped, "dropped")),
        new("coap.cluster.notices", false, "{name}", "Names of resources that changed: said to have changed at this node, sent to other "
            + "nodes, received from them, and taken for changed as this node had not been told for a while.", "coap.cluster.notice",
            (ClusterMetric.NoticeChanges, "changed"), (ClusterMetric.NoticesSent, "sent"), (ClusterMetric.NoticesReceived, "received"),
            (ClusterMetric.NoticesMissed, "missed")),
        new("coap.cluster.notice_messages", false, "{message}", "Messages that took these names to other nodes.", null,
            (ClusterMetric.NoticeMessages, null)),
        new("coap.cluster.device_requests", false, "{request}", "Requests to devices that this node was asked for, by what came of them; "
            + "what is sent from an outbox counts each time that it is tried.", "coap.cluster.outcome",
            (ClusterMetric.DevicesAnswered, "answered"), (ClusterMetric.DevicesAsleep, "asleep"), (ClusterMetric.DevicesUnknown, "unknown"),
            (ClusterMetric.DevicesUnreachable, "unreachable")),
        new("coap.cluster.outbox", false, "{request}", "Requests in outboxes of this node: queued, answered, and those that were not; "
            + "refused are those for which there was no room.", "coap.cluster.outcome",
            (ClusterMetric.OutboxQueued, "queued"), (ClusterMetric.OutboxSent, "answered"), (ClusterMetric.OutboxExpired, "expired"),
            (ClusterMetric.OutboxCancelled, "cancelled"), (ClusterMetric.OutboxFailed, "failed"),
            (ClusterMetric.OutboxRefused, "refused")),
        new("coap.cluster.observation_events", false, "{event}", "Observations of ours at devices that began or went on at this node; that "
            + "the device refused by an error, declined by an answer without Observe, or did not answer; that could not be gone on with; "
            + "and that were forgotten as their session did not come back.", "coap.cluster.outcome",
            (ClusterMetric.ObservationsBegun, "begun"), (ClusterMetric.ObservationsRefused, "refused"),
            (ClusterMetric.ObservationsDeclined, "declined"), (ClusterMetric.ObservationsUnanswered, "unanswered"),
            (ClusterMetric.ObservationsFailed, "failed"), (ClusterMetric.ObservationsExpired, "expired")),
        new("coap.cluster.device_registrations", false, "{registration}", "Registrations at devices by this node, for those who observe "
            + "one or all of them: accepted, gone on with from a node or process before without one, refused by an error, by an answer "
            + "without Observe or for a notification that is too large, and not answered.", "coap.cluster.outcome",
            (ClusterMetric.RegistrationsAccepted, "accepted"), (ClusterMetric.RegistrationsAdopted, "adopted"),
            (ClusterMetric.RegistrationsRefused, "refused"), (ClusterMetric.RegistrationsNotObservable, "not_observable"),
            (ClusterMetric.RegistrationsTooLarge, "too_large"), (ClusterMetric.RegistrationsUnanswered, "unanswered")),
        new("coap.cluster.device_states_skipped", false, "{state}", "States of devices that those who observe all devices were not told, "
            + "as newer ones came before they had read them.", null, (ClusterMetric.DeviceStatesSkipped, null)),
        new("coap.cluster.table.questions", false, "{question}", "Questions to tables: answered by this node as the owner of a slot, "
            + "answered by another one that this node asked, refused as there was no room, and not answered in time.",
            "coap.cluster.outcome", (ClusterMetric.TableAnswered, "answered"), (ClusterMetric.TableForwarded, "forwarded"),
            (ClusterMetric.TableRefused, "refused"), (ClusterMetric.TableUnavailable, "unavailable")),
        new("coap.cluster.table.changes", false, "{change}", "Changes of entries of tables: put, removed and expired in slots of this "
            + "node, and received from the owners of others.", "coap.cluster.change", (ClusterMetric.TablePut, "put"),
            (ClusterMetric.TableRemoved, "removed"), (ClusterMetric.TableExpired, "expired"), (ClusterMetric.TableReceived, "received")),
        new("coap.cluster.table.slots", false, "{slot}", "Slots of tables that were read from the store as this node got them, and those "
            + "whose entries were compared with those of their owner.", "coap.cluster.reading", (ClusterMetric.TableSlotsTaken, "taken"),
            (ClusterMetric.TableSlotsCompared, "compared")),
    ];

    private static ClusterInstrument Gauge(string name, string unit, string description, (ClusterMetric Metric, string? Value) row) =>
        new(name, true, unit, description, null, row);
}
