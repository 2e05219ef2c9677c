namespace CoAP.NET.Diagnostics;

/// <summary>The counters of an endpoint. Metric, page and dashboard follow from what is said here.</summary>
/// <remarks>Each value is an index into <see cref="CoapCounters"/>.</remarks>
internal enum CoapCounter
{
    [Metric("coap.network.packets", "receive", "datagrams and messages received")]
    DatagramsReceived,

    [Metric("coap.network.packets", "transmit", "datagrams and messages sent")]
    DatagramsSent,

    /// <summary>Bytes received in datagrams.</summary>
    [Metric("coap.network.io", "receive", "bytes received")]
    BytesReceived,

    /// <summary>Bytes sent in datagrams.</summary>
    [Metric("coap.network.io", "transmit", "bytes sent")]
    BytesSent,

    /// <summary>Datagrams that the kernel dropped because the receive buffer was full.</summary>
    [Metric("coap.drops", "kernel", "receive buffer of the system full")]
    KernelDrops,

    /// <summary>Datagrams longer than <see cref="CoapMessageLimits.MaxDatagramSize"/>.</summary>
    [Metric("coap.drops", "truncated", "datagram too long")]
    TruncatedDatagrams,

    /// <summary>Datagrams that the operating system refused to send.</summary>
    [Metric("coap.drops", "send_error", "the system did not send it")]
    SendErrors,

    /// <summary>Items that a linked block declined, or released only after the endpoint had stopped, and that the library dropped; their
    /// buffers were released.</summary>
    [Metric("coap.drops", "declined", "declined by a linked block")]
    Declined,

    /// <summary>Exceptions in stage code or in linked blocks that were caught and counted.</summary>
    [Metric("coap.server.errors", "stage", "an exception of stage code or of a linked block")]
    StageErrors,

    /// <summary>Messages with a format error (RFC 7252 section 3).</summary>
    [Metric("coap.drops", "format_error", "not a CoAP message")]
    FormatErrors,

    /// <summary>Outgoing messages that cannot be encoded, for example because of an option value above 65,804 bytes.</summary>
    /// <remarks>Responses are replaced by 5.00, other messages are dropped; the log names them.</remarks>
    [Metric("coap.drops", "encode_error", "own message cannot be encoded")]
    EncodeErrors,

    /// <summary>Messages that RFC 7252 section 4.2 or 4.3 requires to ignore: wrong version, bad ACK or RST.</summary>
    [Metric("coap.drops", "ignored", "ignored according to RFC 7252")]
    Ignored,

    [SingleMetric("coap.messages.resets", "{message}", "Resets sent.")]
    ResetsSent,

    [SingleMetric("coap.messages.duplicates", "{message}", "Duplicates recognised (RFC 7252 section 4.5).")]
    Duplicates,

    /// <summary>Message IDs that were reused with other bytes and treated as a new exchange.</summary>
    [SingleMetric("coap.messages.id_reuses", "{message}", "Message IDs that came again with other bytes.")]
    MessageIdReused,

    /// <summary>
    /// Deduplication entries of safe and idempotent methods that were discarded before their lifetime, or not stored, for lack of room.
    /// </summary>
    [Metric("coap.deduplication.evictions", "safe", "requests of safe and idempotent methods")]
    DeduplicationEvictions,

    /// <summary>
    /// Deduplication entries of non-idempotent requests of unverified peers that were discarded before their lifetime, or not stored, for
    /// lack of room.
    /// </summary>
    [Metric("coap.deduplication.evictions", "unsafe", "requests of other methods, of unverified peers")]
    UnsafeDeduplicationEvictions,

    /// <summary>Requests answered 5.03 because a limit was reached.</summary>
    [Metric("coap.server.refusals", "busy", "a limit was reached")]
    Busy,

    /// <summary>Retransmissions of Confirmable messages (RFC 7252 section 4.2).</summary>
    [SingleMetric("coap.messages.retransmissions", "{message}", "Further copies of Confirmable messages (RFC 7252 section 4.2).")]
    Retransmissions,

    /// <summary>Confirmable messages that were given up (RFC 7252 section 4.2).</summary>
    [Metric("coap.messages.failures", "given_up", "never acknowledged")]
    TransmissionsGivenUp,

    /// <summary>Acknowledgements and resets that matched nothing.</summary>
    [Metric("coap.drops", "unmatched_acknowledgement", "acknowledgement without a message")]
    UnmatchedAcknowledgements,

    /// <summary>Responses that matched no request (RFC 7252 section 5.3.2).</summary>
    [Metric("coap.drops", "unmatched_response", "response without a request")]
    UnmatchedResponses,

    [SingleMetric("coap.server.requests", "{request}", "Requests received, without duplicates.")]
    RequestsReceived,

    [SingleMetric("coap.client.requests", "{request}", "Requests sent, without retransmissions.")]
    RequestsSent,

    /// <summary>Responses that arrived after the end of the request or of the grace period.</summary>
    [Metric("coap.drops", "late_response", "response came too late")]
    LateResponses,

    /// <summary>Exceptions thrown by handlers, answered 5.00.</summary>
    [Metric("coap.server.errors", "handler", "an exception of a handler, answered 5.00")]
    HandlerErrors,

    [SingleMetric("coap.peers.evictions", "{peer}", "Peers forgotten for lack of room.")]
    ChannelEvictions,

    /// <summary>Takeovers of the receive role because user code blocked.</summary>
    [SingleMetric("coap.server.hand_overs", "{hand_over}", "How often a stand-by thread took over receiving because user code blocked.")]
    HandOvers,

    /// <summary>Requests with an unrecognized critical option (RFC 7252 section 5.4.1).</summary>
    [Metric("coap.server.refusals", "bad_option", "unknown critical option")]
    BadOptions,

    /// <summary>
    /// Outgoing messages that were refused because too many are queued (NSTART, PROBING_RATE, Message IDs; RFC 7252 sections 4.4 and 4.7).
    /// </summary>
    [Metric("coap.drops", "not_sent", "too many messages wait to be sent")]
    NotSent,

    /// <summary>ICMP port unreachable messages that quote a datagram of this endpoint.</summary>
    [Metric("coap.messages.failures", "port_unreachable", "the host refused it (ICMP port unreachable)")]
    PortUnreachable,

    /// <summary>Requests answered from the cache without a message (RFC 7252 section 5.6).</summary>
    [Metric("coap.client.cache", "hit", "answered without a message")]
    CacheHits,

    /// <summary>Requests without a fresh response in the cache.</summary>
    [Metric("coap.client.cache", "miss", "nothing fresh was stored")]
    CacheMisses,

    /// <summary>Stored responses that the server confirmed as still valid (2.03).</summary>
    [Metric("coap.client.cache", "validated", "the server confirmed what was stored (2.03)")]
    CacheValidations,

    /// <summary>Request bodies that were assembled from their blocks (RFC 7959 section 2.5).</summary>
    [Metric("coap.transfers", "complete", "a body of a request was assembled")]
    BodiesAssembled,

    /// <summary>
    /// Request blocks answered 4.08: out of sequence, with another Content-Format, or after the earlier blocks were discarded (RFC 7959
    /// section 2.9.2).
    /// </summary>
    [Metric("coap.transfers", "incomplete", "a block out of order, or after the earlier ones were discarded (4.08)")]
    BodiesIncomplete,

    /// <summary>Requests answered 4.13 because their body exceeds the limit of the route (RFC 7959 section 2.9.3).</summary>
    [Metric("coap.transfers", "too_large", "beyond the limit of the route (4.13)")]
    BodiesTooLarge,

    /// <summary>Request blocks refused for lack of room for bodies, see <see cref="CoapBlockwiseLimits.RequestMemory"/>.</summary>
    [Metric("coap.transfers", "refused", "no room for the body of a request")]
    BodiesRefused,

    /// <summary>Request bodies discarded for a newer one of the same peer, for lack of room.</summary>
    [Metric("coap.transfers", "evicted", "discarded for a newer body of the same peer")]
    BodiesEvicted,

    /// <summary>Request bodies discarded because no further block arrived in time.</summary>
    [Metric("coap.transfers", "abandoned", "no further block arrived in time")]
    BodiesAbandoned,

    /// <summary>Responses evicted from <see cref="CoapBlockwiseLimits.ResponseMemory"/> early, for lack of room.</summary>
    [Metric("coap.transfers", "answer_evicted", "an answer was discarded early, for lack of room")]
    RepresentationEvictions,

    /// <summary>
    /// Responses to registrations of this endpoint, and notifications (RFC 7641 section 3.2), including those too old to be delivered.
    /// </summary>
    [Metric("coap.notifications", "receive", "received, with answers to registrations")]
    NotificationsReceived,

    /// <summary>Notifications that a newer one had overtaken (RFC 7641 section 3.4).</summary>
    [Metric("coap.drops", "out_of_order", "notification overtaken")]
    NotificationsOutOfOrder,

    /// <summary>Notifications that were rejected by a Reset because the observation had been cancelled (RFC 7641 section 3.6).</summary>
    [Metric("coap.drops", "refused_notification", "notification of a cancelled observation")]
    RefusedNotifications,

    /// <summary>Repeated registrations (RFC 7641 section 3.3.1).</summary>
    [Metric("coap.registrations", "client", "registrations that we made again")]
    Reregistrations,

    /// <summary>
    /// Group requests without a response, because it would be an error or empty (RFC 7252 section 8.2), or because the resource does not
    /// respond to groups.
    /// </summary>
    [Metric("coap.drops", "group_kept_back", "answer to a group kept back")]
    GroupAnswersKeptBack,

    /// <summary>
    /// Responses to group requests that were dropped because too many were delayed
    /// (<see cref="CoapRequestLimits.MaxDelayedGroupResponses"/>), or because the endpoint stopped.
    /// </summary>
    [Metric("coap.drops", "group_answer", "answer to a group dropped")]
    GroupAnswersDropped,

    /// <summary>Further responses of a group member that had already responded.</summary>
    [Metric("coap.drops", "group_repeated", "response of a group repeated")]
    RepeatedGroupResponses,

    /// <summary>
    /// Responses to a group request of this endpoint that were dropped because too many wait to be read
    /// (<see cref="CoapGroupRequestOptions.MaxResponses"/>).
    /// </summary>
    [Metric("coap.drops", "group_response", "response of a group dropped")]
    GroupResponsesDropped,

    /// <summary>Addresses verified by an Echo (RFC 9175 section 2.4) or by a path_response of DTLS (RFC 9853).</summary>
    [SingleMetric("coap.peers.verifications", "{peer}", "Addresses verified by an Echo (RFC 9175) or by DTLS (RFC 9853).")]
    AddressesVerified,

    /// <summary>Addresses of peers that changed within a security session (RFC 9146 section 6).</summary>
    [SingleMetric("coap.peers.moves", "{peer}", "Addresses of peers that changed within a security session (RFC 9146).")]
    PeersMoved,

    /// <summary>DTLS datagrams that were useless for every session and handshake: forged, replayed, or of an ended session.</summary>
    [SingleMetric("coap.dtls.records_rejected", "{datagram}",
        "Datagrams that match no session of DTLS: forged, replayed, or of an ended session.", meaning: "record without a DTLS session")]
    RecordsRejected,

    /// <summary>
    /// DTLS records that were not protected with the keys of their session or handshake: forged, or with a different pre-shared key.
    /// </summary>
    [Metric("coap.dtls.records_refused", "forged", "not protected with the keys of the session")]
    RecordsForged,

    /// <summary>DTLS records whose number was received before, or is older than the window (RFC 6347 section 4.1.2.6).</summary>
    [Metric("coap.dtls.records_refused", "replayed", "received before, or older than the window")]
    RecordsReplayed,

    /// <summary>DTLS cookies sent to unverified addresses (HelloVerifyRequest, RFC 6347 section 4.2.1).</summary>
    [SingleMetric("coap.dtls.cookies", "{cookie}", "Cookies sent to addresses that were not shown to be real (RFC 6347 section 4.2.1).")]
    CookiesSent,

    /// <summary>
    /// DTLS handshakes that were given up because others needed their place: of the source with the most, the one without progress for
    /// longest.
    /// </summary>
    [Metric("coap.dtls.evictions", "handshake", "a handshake without progress")]
    HandshakesEvicted,

    /// <summary>DTLS sessions that were ended because they were silent for long, or others needed their place.</summary>
    [Metric("coap.dtls.evictions", "session", "a session that was silent for long, or of the source with the most")]
    SessionsEvicted,

    /// <summary>Responses 4.01 with an Echo: freshness or a real address was not proven (RFC 9175 section 2.3).</summary>
    [Metric("coap.server.refusals", "echo", "asked for an Echo")]
    EchoChallenges,

    /// <summary>Datagrams to unverified addresses above the free size, which used the amplification limits.</summary>
    [SingleMetric("coap.amplification.draws", "{message}", "Messages to unverified addresses that drew on the bounds of amplification.")]
    AmplificationDraws,

    /// <summary>Datagrams to unverified addresses that exceeded these limits: sent smaller, or not at all.</summary>
    [Metric("coap.drops", "amplification", "address not verified (amplification)")]
    AmplificationRefused,

    /// <summary>Responses omitted because the client did not want them (RFC 7967).</summary>
    [Metric("coap.drops", "not_wanted", "response not wanted")]
    ResponsesNotWanted,

    /// <summary>Requests answered 4.29 by the rate limiter of a route (RFC 8516).</summary>
    [Metric("coap.server.refusals", "rate_limit", "rate limit of a route")]
    RequestsLimited,

    /// <summary>Requests that were not sent because the server had deferred them (RFC 8516).</summary>
    [SingleMetric("coap.client.held_back", "{request}", "Requests not sent because the server asked the client to wait (RFC 8516).")]
    RequestsHeldBack,

    /// <summary>
    /// Response blocks, or acknowledgements of our own blocks, that do not match the request (RFC 7959); the request failed.
    /// </summary>
    [Metric("coap.transfers", "bad_block", "a block that does not match the request; the request failed")]
    BadBlocks,

    /// <summary>
    /// Restarted transfers of this endpoint: the representation changed, or the server lost or refused the first part of the upload.
    /// </summary>
    [Metric("coap.transfers", "restarted",
        "a transfer of ours began again, as the representation changed or the server lost its first part")]
    TransferRestarts,

    /// <summary>Registrations of observers, including repeated ones (RFC 7641 section 4.1).</summary>
    [Metric("coap.registrations", "server", "observers that registered with us, also again")]
    Registrations,

    /// <summary>Registrations that were answered as plain requests because a limit was reached.</summary>
    [Metric("coap.server.refusals", "registration", "no room for an observer")]
    RegistrationsRefused,

    /// <summary>
    /// Observers that were removed because they rejected a notification or did not acknowledge it (RFC 7641 section 4.5).
    /// </summary>
    [SingleMetric("coap.server.observers_lost", "{observer}",
        "Observers forgotten because they rejected or did not acknowledge a notification.")]
    ObserversLost,

    /// <summary>Notifications sent, without copies and without responses to registrations.</summary>
    [Metric("coap.notifications", "transmit", "sent, without answers to registrations")]
    NotificationsSent,

    /// <summary>
    /// Confirmable notifications that had left, and that a newer state replaced before they were acknowledged (RFC 7641 section 4.5.2). On
    /// connections there are none.
    /// </summary>
    [SingleMetric("coap.notifications.superseded", "{notification}",
        "Notifications that had left, and that a newer state replaced before they were acknowledged.")]
    NotificationsSuperseded,

    /// <summary>Blocks of Q-Block1 and Q-Block2 bodies that were requested again, as client and as server (RFC 9177).</summary>
    [SingleMetric("coap.transfers.blocks_repeated", "{block}", "Blocks asked for again (RFC 9177).")]
    BlocksAskedAgain,

    /// <summary>Connections of reliable transports that peers opened (RFC 8323).</summary>
    [Metric("coap.connections.events", "accepted", "opened by a peer")]
    ConnectionsAccepted,

    [Metric("coap.connections.events", "opened", "opened by us")]
    ConnectionsOpened,

    /// <summary>Connections of peers that were closed at once because a limit was reached.</summary>
    [Metric("coap.connections.events", "refused", "closed at once, as a limit was reached")]
    ConnectionsRefused,

    /// <summary>Attempts to open a connection that failed.</summary>
    [Metric("coap.connections.events", "failed", "an attempt of ours failed")]
    ConnectionsFailed,

    /// <summary>Connections that have ended, for any reason.</summary>
    [Metric("coap.connections.events", "closed", "ended, for any reason")]
    ConnectionsClosed,

    /// <summary>Broken connections: reset, or silent when a Pong was due.</summary>
    [Metric("coap.connections.events", "lost", "reset, or no Pong came")]
    ConnectionsLost,

    /// <summary>Connections that this endpoint aborted because the peer violated a rule (RFC 8323 section 5.6).</summary>
    [Metric("coap.connections.events", "aborted", "aborted by us, as the peer violated a rule")]
    ConnectionsAborted,

    [Metric("coap.connections.events", "abort_received", "aborted by the peer")]
    AbortsReceived,

    /// <summary>Connections that ended because the peer's CSM, a frame, or room for outgoing data did not come in time.</summary>
    [Metric("coap.connections.events", "slow", "a CSM, a frame or room for data did not come in time")]
    SlowConnections,

    /// <summary>Frames longer than our Max-Message-Size, or without memory for them; the connection was aborted.</summary>
    [Metric("coap.drops", "frame_refused", "frame too large")]
    FramesRefused,

    /// <summary>Times that reading from a connection paused because its peer read nothing, or a linked block had no room.</summary>
    [Metric("coap.connections.events", "reading_paused", "reading paused, as the peer read nothing or a linked block had no room")]
    ReadingPauses,

    /// <summary>Failed TLS and DTLS handshakes, of this end as client and as server.</summary>
    /// <remarks>The reasons at the server have counters of their own, such as <see cref="HandshakesWithWrongKeys"/>.</remarks>
    [Metric("coap.connections.events", "handshake_failed", "a handshake of TLS or DTLS failed, in either role")]
    HandshakesFailed,

    /// <summary>Requests that were sent again because their connection had ended.</summary>
    [SingleMetric("coap.client.repeats", "{request}", "Requests sent once more because their connection had ended.")]
    RequestsRepeated,

    /// <summary>
    /// Times that no connection could be accepted temporarily, because the process has too many open files or the system no memory.
    /// </summary>
    [Metric("coap.connections.events", "accept_failed", "nothing could be accepted for a while, for lack of descriptors or memory")]
    AcceptFailures,

    /// <summary>Responses that exceeded the limit in the CSM of the peer, which supports no blocks; 5.00 was sent instead.</summary>
    [Metric("coap.drops", "response_too_large", "response too large for the peer")]
    ResponsesTooLarge,

    /// <summary>Requests answered 4.00 or 4.15 because a parameter of their handler is missing or cannot be converted.</summary>
    [Metric("coap.server.refusals", "argument", "argument missing or wrong")]
    ArgumentsRefused,

    /// <summary>Changed credential files that could not be loaded, so that the previous ones stay valid.</summary>
    [SingleMetric("coap.dtls.reloads_failed", "{file}", "Files of credentials that had changed and could not be taken.")]
    CredentialsNotReloaded,

    /// <summary>
    /// Responses in memory that were too large to keep for a block-wise transfer (<see cref="CoapBlockwiseLimits.ResponseMemory"/>): the
    /// peer got 5.03, 5.00, or 4.01 with an Echo.
    /// </summary>
    [Metric("coap.transfers", "answer_refused", "an answer was too large to keep for later blocks")]
    RepresentationsRefused,

    /// <summary>
    /// Connections, and TLS handshakes, that were closed because others needed their place, memory for a frame, or memory for a send queue.
    /// </summary>
    /// <remarks>Of the source with the most, it was the one without progress for longest.</remarks>
    [Metric("coap.connections.events", "evicted", "closed, as others needed its place or memory")]
    ConnectionsEvicted,

    /// <summary>
    /// Observers that were removed because others needed their place (<see cref="CoapObserveLimits.MaxObservers"/>): of the source with the
    /// most, those of the client that neither registered nor acknowledged a notification for longest.
    /// </summary>
    [SingleMetric("coap.server.observers_evicted", "{observer}", "Observers forgotten because others needed their place.")]
    ObserversEvicted,

    /// <summary>
    /// Requests refused before their handler because their source had used its share of <see cref="CoapRequestLimits.MaxServed"/> (5.03),
    /// or all unverified addresses together had used theirs (4.01 with an Echo).
    /// </summary>
    [Metric("coap.server.refusals", "share", "share of the source used up")]
    RequestsBeyondQuota,

    /// <summary>
    /// Batches that the backup of DTLS sessions (<c>CoapDtlsServerOptions.SessionBackup</c>) did not store; they are passed to it again.
    /// </summary>
    [SingleMetric("coap.dtls.backup_failures", "{batch}", "Batches of changes that the backup of DTLS sessions did not save.")]
    SessionBackupFailures,

    /// <summary>
    /// Unsafe requests in DTLS sessions that were loaded after a crash, held until their peer had proven that they are not replayed
    /// (<c>CoapDtlsServerOptions.SessionBackup</c>).
    /// </summary>
    /// <remarks>Those that were not served then count as <see cref="RecordsReplayed"/>.</remarks>
    [SingleMetric("coap.dtls.requests_in_doubt", "{request}",
        "Requests in sessions loaded after a crash that were held until their peer had answered.")]
    RequestsInDoubt,

    /// <summary>
    /// Notifications that were discarded while observations were being resumed (<see cref="CoapEndpoint.PauseNotifications"/>), because too
    /// many were held: one of the source with the most, whose next copy is accepted.
    /// </summary>
    [Metric("coap.drops", "not_held", "notification not held")]
    NotificationsNotHeld,

    /// <summary>
    /// Failed calls to a store of resumable DTLS sessions (<c>CoapDtlsServerOptions.ResumptionStore</c>): they failed, took too
    /// long, or were not made because too many were running.
    /// </summary>
    /// <remarks>Each costs a full handshake at most.</remarks>
    [SingleMetric("coap.dtls.resumption_failures", "{call}",
        "Calls to a store of DTLS sessions that may be resumed which failed or took too long.")]
    ResumptionStoreFailures,

    /// <summary>
    /// Records that arrived before a loaded DTLS session could answer, and messages to send in it, that were dropped for lack of room or
    /// because their session ended (<c>CoapDtlsServerOptions.SessionBackup</c>); Confirmable messages are retransmitted.
    /// </summary>
    [SingleMetric("coap.dtls.early_records_dropped", "{record}",
        "Records and messages before a loaded session could answer or send, without room.")]
    HeldRecordsDropped,

    /// <summary>
    /// Requests answered 5.03 because too many waited for their handler: the capacity of their <c>CoapExecution</c>, or so many that
    /// the last of them would wait for too long, because a handler is slow or the processors are busy.
    /// </summary>
    [Metric("coap.server.refusals", "queue", "queue of the handler full")]
    RequestsNotQueued,

    /// <summary>Handshakes that this end accepted and that failed because its key store does not know the identity (DTLS).</summary>
    [Metric("coap.server.handshake_failures", "unknown_identity", "the key store does not know the identity")]
    HandshakesOfUnknownIdentities,

    /// <summary>Handshakes that this end accepted and that failed because the client has another key than the key store (DTLS).</summary>
    [Metric("coap.server.handshake_failures", "wrong_key", "the client has another key")]
    HandshakesWithWrongKeys,

    /// <summary>Handshakes that this end accepted and that the client did not finish in time.</summary>
    [Metric("coap.server.handshake_failures", "timeout", "the client did not finish in time")]
    HandshakesTimedOut,

    /// <summary>Handshakes that this end accepted and that failed because both ends have no cipher suite or version in common.</summary>
    [Metric("coap.server.handshake_failures", "nothing_in_common", "no cipher suite or version in common")]
    HandshakesWithNothingInCommon,

    /// <summary>
    /// Handshakes that this end accepted and that failed because it does not accept the certificate or key of the client.
    /// </summary>
    [Metric("coap.server.handshake_failures", "certificate_refused", "the certificate or key of the client is not accepted")]
    CertificatesRefused,

    /// <summary>Handshakes that this end accepted and that failed because the client showed no certificate, which is required.</summary>
    [Metric("coap.server.handshake_failures", "no_certificate", "the client presented no certificate")]
    CertificatesMissing,

    /// <summary>
    /// Handshakes that this end accepted and that failed because code of the application threw, such as a key store or a validation.
    /// </summary>
    [Metric("coap.server.handshake_failures", "callback_failed", "code of the application threw")]
    HandshakeCallbackFailures,

    /// <summary>Handshakes that this end accepted and that failed for another reason, such as a malformed message.</summary>
    [Metric("coap.server.handshake_failures", "other", "another reason, such as a malformed message")]
    HandshakesFailedOtherwise,
}
