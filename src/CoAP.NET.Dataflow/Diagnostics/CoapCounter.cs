namespace CoAP.NET.Diagnostics;

/// <summary>The counters of an endpoint.</summary>
/// <remarks>Each value is an index into <see cref="CoapCounters"/>.</remarks>
internal enum CoapCounter
{
    DatagramsReceived,

    DatagramsSent,

    /// <summary>Bytes received in datagrams.</summary>
    BytesReceived,

    /// <summary>Bytes sent in datagrams.</summary>
    BytesSent,

    /// <summary>Datagrams that the kernel dropped because the receive buffer was full.</summary>
    KernelDrops,

    /// <summary>Datagrams longer than <see cref="CoapMessageLimits.MaxDatagramSize"/>.</summary>
    TruncatedDatagrams,

    /// <summary>Datagrams that the operating system refused to send.</summary>
    SendErrors,

    /// <summary>Items that a linked block declined, or released only after the endpoint had stopped, and that the library dropped; their
    /// buffers were released.</summary>
    Declined,

    /// <summary>Exceptions in stage code or in linked blocks that were caught and counted.</summary>
    StageErrors,

    /// <summary>Messages with a format error (RFC 7252 section 3).</summary>
    FormatErrors,

    /// <summary>Outgoing messages that cannot be encoded, for example because of an option value above 65,804 bytes.</summary>
    /// <remarks>Responses are replaced by 5.00, other messages are dropped; the log names them.</remarks>
    EncodeErrors,

    /// <summary>Messages that RFC 7252 section 4.2 or 4.3 requires to ignore: wrong version, bad ACK or RST.</summary>
    Ignored,

    ResetsSent,

    /// <summary>Duplicates recognised (RFC 7252 section 4.5).</summary>
    Duplicates,

    /// <summary>Message IDs that were reused with other bytes and treated as a new exchange.</summary>
    MessageIdReused,

    /// <summary>
    /// Deduplication entries of safe and idempotent methods that were discarded before their lifetime, or not stored, for lack of room.
    /// </summary>
    DeduplicationEvictions,

    /// <summary>
    /// Deduplication entries of non-idempotent requests of unverified peers that were discarded before their lifetime, or not stored, for
    /// lack of room.
    /// </summary>
    UnsafeDeduplicationEvictions,

    /// <summary>Requests answered 5.03 because a limit was reached.</summary>
    Busy,

    /// <summary>Retransmissions of Confirmable messages (RFC 7252 section 4.2).</summary>
    Retransmissions,

    /// <summary>Confirmable messages that were given up (RFC 7252 section 4.2).</summary>
    TransmissionsGivenUp,

    /// <summary>Acknowledgements and resets that matched nothing.</summary>
    UnmatchedAcknowledgements,

    /// <summary>Responses that matched no request (RFC 7252 section 5.3.2).</summary>
    UnmatchedResponses,

    /// <summary>Requests received, without duplicates.</summary>
    RequestsReceived,

    /// <summary>Requests sent, without retransmissions.</summary>
    RequestsSent,

    /// <summary>Responses that arrived after the end of the request or of the grace period.</summary>
    LateResponses,

    /// <summary>Exceptions thrown by handlers, answered 5.00.</summary>
    HandlerErrors,

    /// <summary>Peers forgotten for lack of room.</summary>
    ChannelEvictions,

    /// <summary>Takeovers of the receive role because user code blocked.</summary>
    HandOvers,

    /// <summary>Requests with an unrecognized critical option (RFC 7252 section 5.4.1).</summary>
    BadOptions,

    /// <summary>
    /// Outgoing messages that were refused because too many are queued (NSTART, PROBING_RATE, Message IDs; RFC 7252 sections 4.4 and 4.7).
    /// </summary>
    NotSent,

    /// <summary>ICMP port unreachable messages that quote a datagram of this endpoint.</summary>
    PortUnreachable,

    /// <summary>Requests answered from the cache without a message (RFC 7252 section 5.6).</summary>
    CacheHits,

    /// <summary>Requests without a fresh response in the cache.</summary>
    CacheMisses,

    /// <summary>Stored responses that the server confirmed as still valid (2.03).</summary>
    CacheValidations,

    /// <summary>Request bodies that were assembled from their blocks (RFC 7959 section 2.5).</summary>
    BodiesAssembled,

    /// <summary>
    /// Request blocks answered 4.08: out of sequence, with another Content-Format, or after the earlier blocks were discarded (RFC 7959
    /// section 2.9.2).
    /// </summary>
    BodiesIncomplete,

    /// <summary>Requests answered 4.13 because their body exceeds the limit of the route (RFC 7959 section 2.9.3).</summary>
    BodiesTooLarge,

    /// <summary>Request blocks refused for lack of room for bodies, see <see cref="CoapBlockwiseLimits.RequestMemory"/>.</summary>
    BodiesRefused,

    /// <summary>Request bodies discarded for a newer one of the same peer, for lack of room.</summary>
    BodiesEvicted,

    /// <summary>Request bodies discarded because no further block arrived in time.</summary>
    BodiesAbandoned,

    /// <summary>Responses evicted from <see cref="CoapBlockwiseLimits.ResponseMemory"/> early, for lack of room.</summary>
    RepresentationEvictions,

    /// <summary>
    /// Responses to registrations of this endpoint, and notifications (RFC 7641 section 3.2), including those too old to be delivered.
    /// </summary>
    NotificationsReceived,

    /// <summary>Notifications that a newer one had overtaken (RFC 7641 section 3.4).</summary>
    NotificationsOutOfOrder,

    /// <summary>Notifications that were rejected by a Reset because the observation had been cancelled (RFC 7641 section 3.6).</summary>
    RefusedNotifications,

    /// <summary>Repeated registrations (RFC 7641 section 3.3.1).</summary>
    Reregistrations,

    /// <summary>
    /// Group requests without a response, because it would be an error or empty (RFC 7252 section 8.2), or because the resource does not
    /// respond to groups.
    /// </summary>
    GroupAnswersKeptBack,

    /// <summary>
    /// Responses to group requests that were dropped because too many were delayed
    /// (<see cref="CoapRequestLimits.MaxDelayedGroupResponses"/>), or because the endpoint stopped.
    /// </summary>
    GroupAnswersDropped,

    /// <summary>Further responses of a group member that had already responded.</summary>
    RepeatedGroupResponses,

    /// <summary>
    /// Responses to a group request of this endpoint that were dropped because too many wait to be read
    /// (<see cref="CoapGroupRequestOptions.MaxResponses"/>).
    /// </summary>
    GroupResponsesDropped,

    /// <summary>Addresses verified by an Echo (RFC 9175 section 2.4) or by a path_response of DTLS (RFC 9853).</summary>
    AddressesVerified,

    /// <summary>Addresses of peers that changed within a security session (RFC 9146 section 6).</summary>
    PeersMoved,

    /// <summary>DTLS datagrams that were useless for every session and handshake: forged, replayed, or of an ended session.</summary>
    RecordsRejected,

    /// <summary>
    /// DTLS records that were not protected with the keys of their session or handshake: forged, or with a different pre-shared key.
    /// </summary>
    RecordsForged,

    /// <summary>DTLS records whose number was received before, or is older than the window (RFC 6347 section 4.1.2.6).</summary>
    RecordsReplayed,

    /// <summary>DTLS cookies sent to unverified addresses (HelloVerifyRequest, RFC 6347 section 4.2.1).</summary>
    CookiesSent,

    /// <summary>
    /// DTLS handshakes that were given up because others needed their place: of the source with the most, the one without progress for
    /// longest.
    /// </summary>
    HandshakesEvicted,

    /// <summary>DTLS sessions that were ended because they were silent for long, or others needed their place.</summary>
    SessionsEvicted,

    /// <summary>Responses 4.01 with an Echo: freshness or a real address was not proven (RFC 9175 section 2.3).</summary>
    EchoChallenges,

    /// <summary>Datagrams to unverified addresses above the free size, which used the amplification limits.</summary>
    AmplificationDraws,

    /// <summary>Datagrams to unverified addresses that exceeded these limits: sent smaller, or not at all.</summary>
    AmplificationRefused,

    /// <summary>Responses omitted because the client did not want them (RFC 7967).</summary>
    ResponsesNotWanted,

    /// <summary>Requests answered 4.29 by the rate limiter of a route (RFC 8516).</summary>
    RequestsLimited,

    /// <summary>Requests that were not sent because the server had deferred them (RFC 8516).</summary>
    RequestsHeldBack,

    /// <summary>
    /// Response blocks, or acknowledgements of our own blocks, that do not match the request (RFC 7959); the request failed.
    /// </summary>
    BadBlocks,

    /// <summary>
    /// Restarted transfers of this endpoint: the representation changed, or the server lost or refused the first part of the upload.
    /// </summary>
    TransferRestarts,

    /// <summary>Registrations of observers, including repeated ones (RFC 7641 section 4.1).</summary>
    Registrations,

    /// <summary>Registrations that were answered as plain requests because a limit was reached.</summary>
    RegistrationsRefused,

    /// <summary>
    /// Observers that were removed because they rejected a notification or did not acknowledge it (RFC 7641 section 4.5).
    /// </summary>
    ObserversLost,

    /// <summary>Notifications sent, without copies and without responses to registrations.</summary>
    NotificationsSent,

    /// <summary>Confirmable notifications that a newer state replaced before they were acknowledged (RFC 7641 section 4.5.2).</summary>
    NotificationsSuperseded,

    /// <summary>Blocks of Q-Block1 and Q-Block2 bodies that were requested again, as client and as server (RFC 9177).</summary>
    BlocksAskedAgain,

    /// <summary>Connections of reliable transports that peers opened (RFC 8323).</summary>
    ConnectionsAccepted,

    ConnectionsOpened,

    /// <summary>Connections of peers that were closed at once because a limit was reached.</summary>
    ConnectionsRefused,

    /// <summary>Attempts to open a connection that failed.</summary>
    ConnectionsFailed,

    /// <summary>Connections that have ended, for any reason.</summary>
    ConnectionsClosed,

    /// <summary>Broken connections: reset, or silent when a Pong was due.</summary>
    ConnectionsLost,

    /// <summary>Connections that this endpoint aborted because the peer violated a rule (RFC 8323 section 5.6).</summary>
    ConnectionsAborted,

    AbortsReceived,

    /// <summary>Connections that ended because the peer's CSM, a frame, or room for outgoing data did not come in time.</summary>
    SlowConnections,

    /// <summary>Frames longer than our Max-Message-Size, or without memory for them; the connection was aborted.</summary>
    FramesRefused,

    /// <summary>Times that reading from a connection paused because its peer read nothing, or a linked block had no room.</summary>
    ReadingPauses,

    /// <summary>Failed TLS and DTLS handshakes, of this end as client and as server.</summary>
    /// <remarks>The reasons at the server have counters of their own, such as <see cref="HandshakesWithWrongKeys"/>.</remarks>
    HandshakesFailed,

    /// <summary>Requests that were sent again because their connection had ended.</summary>
    RequestsRepeated,

    /// <summary>
    /// Times that no connection could be accepted temporarily, because the process has too many open files or the system no memory.
    /// </summary>
    AcceptFailures,

    /// <summary>Responses that exceeded the limit in the CSM of the peer, which supports no blocks; 5.00 was sent instead.</summary>
    ResponsesTooLarge,

    /// <summary>Requests answered 4.00 or 4.15 because a parameter of their handler is missing or cannot be converted.</summary>
    ArgumentsRefused,

    /// <summary>Changed credential files that could not be loaded, so that the previous ones stay valid.</summary>
    CredentialsNotReloaded,

    /// <summary>
    /// Responses in memory that were too large to keep for a block-wise transfer (<see cref="CoapBlockwiseLimits.ResponseMemory"/>): the
    /// peer got 5.03, 5.00, or 4.01 with an Echo.
    /// </summary>
    RepresentationsRefused,

    /// <summary>
    /// Connections, and TLS handshakes, that were closed because others needed their place, memory for a frame, or memory for a send queue.
    /// </summary>
    /// <remarks>Of the source with the most, it was the one without progress for longest.</remarks>
    ConnectionsEvicted,

    /// <summary>
    /// Observers that were removed because others needed their place (<see cref="CoapObserveLimits.MaxObservers"/>): of the source with the
    /// most, those of the client that neither registered nor acknowledged a notification for longest.
    /// </summary>
    ObserversEvicted,

    /// <summary>
    /// Requests refused before their handler because their source had used its share of <see cref="CoapRequestLimits.MaxServed"/> (5.03),
    /// or all unverified addresses together had used theirs (4.01 with an Echo).
    /// </summary>
    RequestsBeyondQuota,

    /// <summary>
    /// Batches that the backup of DTLS sessions (<c>CoapDtlsServerOptions.SessionBackup</c>) did not store; they are passed to it again.
    /// </summary>
    SessionBackupFailures,

    /// <summary>
    /// Unsafe requests in DTLS sessions that were loaded after a crash, held until their peer had proven that they are not replayed
    /// (<c>CoapDtlsServerOptions.SessionBackup</c>).
    /// </summary>
    /// <remarks>Those that were not served then count as <see cref="RecordsReplayed"/>.</remarks>
    RequestsInDoubt,

    /// <summary>
    /// Notifications that were discarded while observations were being resumed (<see cref="CoapEndpoint.PauseNotifications"/>), because too
    /// many were held: one of the source with the most, whose next copy is accepted.
    /// </summary>
    NotificationsNotHeld,

    /// <summary>
    /// Failed calls to a store of resumable DTLS sessions (<c>CoapDtlsServerOptions.ResumptionStore</c>): they failed, took too
    /// long, or were not made because too many were running.
    /// </summary>
    /// <remarks>Each costs a full handshake at most.</remarks>
    ResumptionStoreFailures,

    /// <summary>
    /// Records that arrived before a loaded DTLS session could answer, and messages to send in it, that were dropped for lack of room or
    /// because their session ended (<c>CoapDtlsServerOptions.SessionBackup</c>); Confirmable messages are retransmitted.
    /// </summary>
    HeldRecordsDropped,

    /// <summary>
    /// Requests answered 5.03 because too many waited for their handler: the capacity of their <c>CoapExecution</c>, or so many that
    /// the last of them would wait for too long, because a handler is slow or the processors are busy.
    /// </summary>
    RequestsNotQueued,

    /// <summary>Handshakes that this end accepted and that failed because its key store does not know the identity (DTLS).</summary>
    HandshakesOfUnknownIdentities,

    /// <summary>Handshakes that this end accepted and that failed because the client has another key than the key store (DTLS).</summary>
    HandshakesWithWrongKeys,

    /// <summary>Handshakes that this end accepted and that the client did not finish in time.</summary>
    HandshakesTimedOut,

    /// <summary>Handshakes that this end accepted and that failed because both ends have no cipher suite or version in common.</summary>
    HandshakesWithNothingInCommon,

    /// <summary>
    /// Handshakes that this end accepted and that failed because it does not accept the certificate or key of the client.
    /// </summary>
    CertificatesRefused,

    /// <summary>Handshakes that this end accepted and that failed because the client showed no certificate, which is required.</summary>
    CertificatesMissing,

    /// <summary>
    /// Handshakes that this end accepted and that failed because code of the application threw, such as a key store or a validation.
    /// </summary>
    HandshakeCallbackFailures,

    /// <summary>Handshakes that this end accepted and that failed for another reason, such as a malformed message.</summary>
    HandshakesFailedOtherwise,
}
