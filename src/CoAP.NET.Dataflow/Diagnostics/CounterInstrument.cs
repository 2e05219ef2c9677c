namespace CoAP.NET;

/// <summary>A metric that is read from counters of endpoints.</summary>
/// <param name="Name">The name of the metric.</param>
/// <param name="Unit">The unit, as UCUM has it.</param>
/// <param name="Description">What it is, for people.</param>
/// <param name="Tag">The tag that tells the rows apart; null when there is one row.</param>
/// <param name="Rows">Which counter counts with which value of the tag.</param>
internal sealed record CounterInstrument(string Name, string Unit, string Description, string? Tag,
    (CoapCounter Counter, string? Value)[] Rows)
{
    private static readonly CounterInstrument[] s_all =
    [
        Of("coap.network.io", "By", "Bytes of the messages received and sent.", "network.io.direction",
            (CoapCounter.BytesReceived, "receive"), (CoapCounter.BytesSent, "transmit")),
        Of("coap.network.packets", "{packet}", "Datagrams, and messages on connections, received and sent.", "network.io.direction",
            (CoapCounter.DatagramsReceived, "receive"), (CoapCounter.DatagramsSent, "transmit")),
        Of("coap.drops", "{message}", "What was dropped or left out, by reason.", "coap.drop.reason",
            (CoapCounter.KernelDrops, "kernel"), (CoapCounter.TruncatedDatagrams, "truncated"), (CoapCounter.SendErrors, "send_error"),
            (CoapCounter.Declined, "declined"),
            (CoapCounter.FormatErrors, "format_error"), (CoapCounter.EncodeErrors, "encode_error"), (CoapCounter.Ignored, "ignored"),
            (CoapCounter.UnmatchedAcknowledgements, "unmatched_acknowledgement"), (CoapCounter.UnmatchedResponses, "unmatched_response"),
            (CoapCounter.LateResponses, "late_response"),
            (CoapCounter.NotSent, "not_sent"), (CoapCounter.AmplificationRefused, "amplification"),
            (CoapCounter.ResponsesNotWanted, "not_wanted"),
            (CoapCounter.ResponsesTooLarge, "response_too_large"), (CoapCounter.FramesRefused, "frame_refused"),
            (CoapCounter.RefusedNotifications, "refused_notification"),
            (CoapCounter.NotificationsNotHeld, "not_held"),
            (CoapCounter.NotificationsOutOfOrder, "out_of_order"), (CoapCounter.GroupAnswersKeptBack, "group_kept_back"),
            (CoapCounter.GroupAnswersDropped, "group_answer"),
            (CoapCounter.GroupResponsesDropped, "group_response"), (CoapCounter.RepeatedGroupResponses, "group_repeated")),
        Of("coap.messages.retransmissions", "{message}", "Further copies of Confirmable messages (RFC 7252 section 4.2).",
            CoapCounter.Retransmissions),
        Of("coap.messages.duplicates", "{message}", "Duplicates recognised (RFC 7252 section 4.5).", CoapCounter.Duplicates),
        Of("coap.messages.failures", "{message}", "Messages of ours that did not arrive as far as is known, by reason.",
            "coap.failure.reason",
            (CoapCounter.TransmissionsGivenUp, "given_up"), (CoapCounter.PortUnreachable, "port_unreachable")),
        Of("coap.messages.resets", "{message}", "Resets sent.", CoapCounter.ResetsSent),
        Of("coap.messages.id_reuses", "{message}", "Message IDs that came again with other bytes.", CoapCounter.MessageIdReused),
        Of("coap.deduplication.evictions", "{entry}",
            "Requests forgotten before their lifetime for lack of room, by whether repeating one harms.", "coap.deduplication.kind",
            (CoapCounter.DeduplicationEvictions, "safe"), (CoapCounter.UnsafeDeduplicationEvictions, "unsafe")),
        Of("coap.server.requests", "{request}", "Requests received, without duplicates.", CoapCounter.RequestsReceived),
        Of("coap.server.refusals", "{request}", "Requests that were refused before their handler, by reason.", "coap.refusal.reason",
            (CoapCounter.Busy, "busy"), (CoapCounter.RequestsLimited, "rate_limit"), (CoapCounter.BadOptions, "bad_option"),
            (CoapCounter.EchoChallenges, "echo"),
            (CoapCounter.RegistrationsRefused, "registration"), (CoapCounter.ArgumentsRefused, "argument"),
            (CoapCounter.RequestsBeyondShare, "share")),
        Of("coap.server.errors", "{error}", "Failures of handlers and of linked or stage code.", "coap.error.source",
            (CoapCounter.HandlerErrors, "handler"), (CoapCounter.StageErrors, "stage")),
        Of("coap.server.hand_overs", "{hand_over}", "How often a stand-by thread took over receiving because user code blocked.",
            CoapCounter.HandOvers),
        Of("coap.client.requests", "{request}", "Requests sent, without retransmissions.", CoapCounter.RequestsSent),
        Of("coap.client.repeats", "{request}", "Requests sent once more because their connection had ended.", CoapCounter.RequestsRepeated),
        Of("coap.client.held_back", "{request}", "Requests not sent because the server asked for patience (RFC 8516).",
            CoapCounter.RequestsHeldBack),
        Of("coap.client.cache", "{request}", "Requests by what the cache had for them (RFC 7252 section 5.6).", "coap.cache.result",
            (CoapCounter.CacheHits, "hit"), (CoapCounter.CacheMisses, "miss"), (CoapCounter.CacheValidations, "validated")),
        Of("coap.transfers", "{transfer}", "Bodies in blocks by how they went (RFC 7959).", "coap.transfer.outcome",
            (CoapCounter.BodiesAssembled, "complete"), (CoapCounter.BodiesIncomplete, "incomplete"),
            (CoapCounter.BodiesTooLarge, "too_large"), (CoapCounter.BodiesRefused, "refused"),
            (CoapCounter.BodiesEvicted, "evicted"), (CoapCounter.BodiesAbandoned, "abandoned"), (CoapCounter.BadBlocks, "bad_block"),
            (CoapCounter.TransferRestarts, "restarted"),
            (CoapCounter.RepresentationEvictions, "answer_evicted"), (CoapCounter.RepresentationsRefused, "answer_refused")),
        Of("coap.transfers.blocks_repeated", "{block}", "Blocks asked for again (RFC 9177).", CoapCounter.BlocksAskedAgain),
        Of("coap.notifications", "{notification}", "Notifications by direction (RFC 7641).", "network.io.direction",
            (CoapCounter.NotificationsReceived, "receive"), (CoapCounter.NotificationsSent, "transmit")),
        Of("coap.notifications.superseded", "{notification}", "Notifications whose place a newer state took before they were acknowledged.",
            CoapCounter.NotificationsSuperseded),
        Of("coap.registrations", "{registration}", "Registrations of observers with us, and those that we made again.", "coap.role",
            (CoapCounter.Registrations, "server"), (CoapCounter.Reregistrations, "client")),
        Of("coap.server.observers_lost", "{observer}", "Observers forgotten because they rejected or did not acknowledge a notification.",
            CoapCounter.ObserversLost),
        Of("coap.server.observers_evicted", "{observer}", "Observers forgotten because others needed their place.",
            CoapCounter.ObserversEvicted),
        Of("coap.peers.evictions", "{peer}", "Peers forgotten for lack of room.", CoapCounter.ChannelEvictions),
        Of("coap.peers.verifications", "{peer}", "Addresses verified by an Echo (RFC 9175).", CoapCounter.AddressesVerified),
        Of("coap.peers.moves", "{peer}", "Addresses of peers that changed within a security session (RFC 9146).", CoapCounter.PeersMoved),
        Of("coap.dtls.records_rejected", "{datagram}",
            "Datagrams of use to no session of DTLS: forged, replayed, of a session that is gone.", CoapCounter.RecordsRejected),
        Of("coap.dtls.records_refused", "{record}", "Records of DTLS that were not authentic or had come before.", "coap.dtls.refusal",
            (CoapCounter.RecordsForged, "forged"), (CoapCounter.RecordsReplayed, "replayed")),
        Of("coap.dtls.cookies", "{cookie}", "Cookies sent to addresses that were not shown to be real (RFC 6347 section 4.2.1).",
            CoapCounter.CookiesSent),
        Of("coap.dtls.evictions", "{eviction}", "Handshakes and sessions of DTLS that made room for others.", "coap.dtls.evicted",
            (CoapCounter.HandshakesEvicted, "handshake"), (CoapCounter.SessionsEvicted, "session")),
        Of("coap.dtls.keeping_failures", "{batch}", "Batches of changes that the keeper of DTLS sessions did not keep.",
            CoapCounter.SessionKeepingFailures),
        Of("coap.dtls.resumption_failures", "{call}",
            "Calls to a store of DTLS sessions that may be resumed which failed or took too long.", CoapCounter.ResumptionStoreFailures),
        Of("coap.dtls.requests_in_doubt", "{request}",
            "Requests in sessions loaded after a crash that were held until their peer had answered.", CoapCounter.RequestsInDoubt),
        Of("coap.dtls.early_records_dropped", "{record}",
            "Records and messages before a loaded session could answer or send, without room.", CoapCounter.EarlyRecordsDropped),
        Of("coap.dtls.reloads_failed", "{file}", "Files of credentials that had changed and could not be taken.",
            CoapCounter.CredentialsNotReloaded),
        Of("coap.amplification.draws", "{message}", "Messages to unverified addresses that drew on the bounds of amplification.",
            CoapCounter.AmplificationDraws),
        Of("coap.connections.events", "{event}", "What happened to connections (RFC 8323).", "coap.connection.event",
            (CoapCounter.ConnectionsAccepted, "accepted"), (CoapCounter.ConnectionsOpened, "opened"),
            (CoapCounter.ConnectionsRefused, "refused"), (CoapCounter.ConnectionsFailed, "failed"),
            (CoapCounter.ConnectionsClosed, "closed"), (CoapCounter.ConnectionsLost, "lost"), (CoapCounter.ConnectionsAborted, "aborted"),
            (CoapCounter.AbortsReceived, "abort_received"),
            (CoapCounter.SlowConnections, "slow"), (CoapCounter.HandshakesFailed, "handshake_failed"),
            (CoapCounter.ReadingPauses, "reading_paused"), (CoapCounter.AcceptFailures, "accept_failed"),
            (CoapCounter.ConnectionsEvicted, "evicted")),
    ];

    /// <summary>All of them, in the order of the documentation.</summary>
    public static IReadOnlyList<CounterInstrument> All => s_all;

    private static CounterInstrument Of(string name, string unit, string description, CoapCounter counter) =>
        new(name, unit, description, null, [(counter, null)]);

    private static CounterInstrument Of(string name, string unit, string description, string tag, params (CoapCounter, string?)[] rows) =>
        new(name, unit, description, tag, rows);
}
