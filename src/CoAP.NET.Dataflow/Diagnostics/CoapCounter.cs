namespace CoAP.NET;

/// <summary>What an endpoint counts. Each name is an index into <see cref="CoapCounters"/>.</summary>
public enum CoapCounter
{
    /// <summary>Datagrams received.</summary>
    DatagramsReceived,

    /// <summary>Datagrams sent.</summary>
    DatagramsSent,

    /// <summary>Bytes received in datagrams.</summary>
    BytesReceived,

    /// <summary>Bytes sent in datagrams.</summary>
    BytesSent,

    /// <summary>Datagrams that the kernel dropped because the receive buffer was full.</summary>
    KernelDrops,

    /// <summary>Datagrams longer than <see cref="CoapLimits.MaxDatagramSize"/>.</summary>
    TruncatedDatagrams,

    /// <summary>Datagrams that the operating system refused to send.</summary>
    SendErrors,

    /// <summary>Items that a linked block declined, so that they were dropped (design law: counted, buffer given back).</summary>
    Declined,

    /// <summary>Exceptions in stage code or in linked blocks that were turned into a counted verdict.</summary>
    StageErrors,

    /// <summary>Messages with a format error (RFC 7252 section 3).</summary>
    FormatErrors,

    /// <summary>
    /// Messages of ours that the format has no form for, such as an option value above 65,804 bytes. For responses 5.00 is sent, others are
    /// dropped; the log says which.
    /// </summary>
    EncodeErrors,

    /// <summary>Messages ignored because RFC 7252 section 4.2 or 4.3 says so: wrong version, bad ACK or RST.</summary>
    Ignored,

    /// <summary>Reset messages sent.</summary>
    ResetsSent,

    /// <summary>Duplicates recognised (RFC 7252 section 4.5).</summary>
    Duplicates,

    /// <summary>Message IDs that came again with other bytes and were taken for a new exchange.</summary>
    MessageIdReused,

    /// <summary>
    /// Deduplication entries forgotten before their lifetime, or not kept, for lack of room: safe and idempotent methods.
    /// </summary>
    DeduplicationEvictions,

    /// <summary>
    /// Deduplication entries of non-idempotent requests of unverified peers forgotten before their lifetime, or not kept, for lack of room.
    /// </summary>
    UnsafeDeduplicationEvictions,

    /// <summary>Requests answered 5.03 because a bound was reached.</summary>
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

    /// <summary>Responses that came after the request was over or the grace period had ended.</summary>
    LateResponses,

    /// <summary>Exceptions thrown by handlers, answered 5.00.</summary>
    HandlerErrors,

    /// <summary>Peers forgotten for lack of room.</summary>
    ChannelEvictions,

    /// <summary>Hand-overs of the receive role because user code blocked.</summary>
    HandOvers,

    /// <summary>Requests with an unrecognized critical option (RFC 7252 section 5.4.1).</summary>
    BadOptions,

    /// <summary>
    /// Messages of ours that were refused because too many wait for their turn (NSTART, PROBING_RATE, Message IDs; RFC 7252 sections 4.4
    /// and 4.7).
    /// </summary>
    NotSent,

    /// <summary>ICMP port unreachable that quoted a datagram of ours.</summary>
    PortUnreachable,

    /// <summary>Requests answered from the cache without a message (RFC 7252 section 5.6).</summary>
    CacheHits,

    /// <summary>Requests that the cache had no fresh response to.</summary>
    CacheMisses,

    /// <summary>Stored responses that the server said to be still valid (2.03).</summary>
    CacheValidations,

    /// <summary>Bodies of requests that were put together from their blocks (RFC 7959 section 2.5).</summary>
    BodiesAssembled,

    /// <summary>
    /// Blocks of requests answered 4.08: out of sequence, of another Content-Format, or after what came before was gone (RFC 7959 section
    /// 2.9.2).
    /// </summary>
    BodiesIncomplete,

    /// <summary>Requests answered 4.13 because their body is larger than the route takes (RFC 7959 section 2.9.3).</summary>
    BodiesTooLarge,

    /// <summary>Blocks of requests refused for lack of room for bodies, see <see cref="CoapLimits.MaxAssemblyBytes"/>.</summary>
    BodiesRefused,

    /// <summary>Bodies of requests given up for a newer one of the same peer, for lack of room.</summary>
    BodiesEvicted,

    /// <summary>Bodies of requests given up because no further block came in time.</summary>
    BodiesAbandoned,

    /// <summary>Answers that went out of <see cref="CoapLimits.MaxRepresentationBytes"/> before their time, for lack of room.</summary>
    RepresentationEvictions,

    /// <summary>
    /// Responses to registrations of ours, and notifications (RFC 7641 section 3.2), with those that were too old to be delivered.
    /// </summary>
    NotificationsReceived,

    /// <summary>Notifications that a newer one had overtaken (RFC 7641 section 3.4).</summary>
    NotificationsOutOfOrder,

    /// <summary>Notifications that were rejected by a Reset because the observation had been cancelled (RFC 7641 section 3.6).</summary>
    RefusedNotifications,

    /// <summary>Registrations that were made again (RFC 7641 section 3.3.1).</summary>
    Reregistrations,

    /// <summary>
    /// Requests to a group that were left without an answer, because it would be an error or of no use (RFC 7252 section 8.2), or because
    /// the resource does not answer groups.
    /// </summary>
    GroupAnswersKeptBack,

    /// <summary>
    /// Answers to requests to a group that were dropped because too many waited for their moment
    /// (<see cref="CoapLimits.MaxDelayedGroupAnswers"/>), or because the endpoint stopped.
    /// </summary>
    GroupAnswersDropped,

    /// <summary>Further responses of a member of a group that had responded already.</summary>
    RepeatedGroupResponses,

    /// <summary>
    /// Responses to a request of ours to a group that were dropped because too many wait to be read
    /// (<see cref="CoapGroupRequestOptions.MaxResponses"/>).
    /// </summary>
    GroupResponsesDropped,

    /// <summary>Addresses verified by an Echo (RFC 9175 section 2.4).</summary>
    AddressesVerified,

    /// <summary>Addresses of peers that changed within a security session (RFC 9146 section 6).</summary>
    PeersMoved,

    /// <summary>
    /// Datagrams of which nothing was of use to any session or handshake of DTLS: forged, replayed, of a session that is gone.
    /// </summary>
    RecordsRejected,

    /// <summary>
    /// Records of DTLS that were not sealed with the keys of the session or handshake that they were for: forged, or of a pre-shared key
    /// that differs.
    /// </summary>
    RecordsForged,

    /// <summary>Records of DTLS whose number had come already, or is older than the window (RFC 6347 section 4.1.2.6).</summary>
    RecordsReplayed,

    /// <summary>
    /// Cookies of DTLS that were sent to addresses that are not shown to be real (HelloVerifyRequest, RFC 6347 section 4.2.1).
    /// </summary>
    CookiesSent,

    /// <summary>
    /// Handshakes of DTLS that were given up because others needed their place: of the source that had most, the one that stood still
    /// longest.
    /// </summary>
    HandshakesEvicted,

    /// <summary>Sessions of DTLS that were ended because they were silent for long, or others needed their place.</summary>
    SessionsEvicted,

    /// <summary>Responses 4.01 with an Echo: freshness or a real address was not shown (RFC 9175 section 2.3).</summary>
    EchoChallenges,

    /// <summary>Datagrams to unverified addresses that were larger than what is free and drew on the bounds of amplification.</summary>
    AmplificationDraws,

    /// <summary>Datagrams to unverified addresses that those bounds did not cover: sent smaller, or not at all.</summary>
    AmplificationRefused,

    /// <summary>Responses left out because the client did not want them (RFC 7967).</summary>
    ResponsesNotWanted,

    /// <summary>Requests answered 4.29 by a limiter of a route (RFC 8516).</summary>
    RequestsLimited,

    /// <summary>Requests that were not sent because the server asked for patience (RFC 8516).</summary>
    RequestsHeldBack,

    /// <summary>
    /// Blocks of responses, or acknowledgements of our own blocks, that do not fit what was asked (RFC 7959); the request failed.
    /// </summary>
    BadBlocks,

    /// <summary>
    /// Transfers of ours that began again: the representation changed, or the server lost or refused the first part of the upload.
    /// </summary>
    TransferRestarts,

    /// <summary>Registrations of observers, repeated ones too (RFC 7641 section 4.1).</summary>
    Registrations,

    /// <summary>Registrations that were answered as plain requests because a bound was reached.</summary>
    RegistrationsRefused,

    /// <summary>
    /// Observers that were forgotten because they rejected a notification or did not acknowledge it (RFC 7641 section 4.5).
    /// </summary>
    ObserversLost,

    /// <summary>Notifications sent, without copies and without answers to registrations.</summary>
    NotificationsSent,

    /// <summary>Confirmable notifications whose place a newer state took before they were acknowledged (RFC 7641 section 4.5.2).</summary>
    NotificationsSuperseded,

    /// <summary>Blocks of bodies by Q-Block1 and Q-Block2 that were asked for again, as client and as server (RFC 9177).</summary>
    BlocksAskedAgain,

    /// <summary>Connections of reliable transports that peers opened (RFC 8323).</summary>
    ConnectionsAccepted,

    /// <summary>Connections that we opened.</summary>
    ConnectionsOpened,

    /// <summary>Connections that peers opened and that were closed at once, as a bound was reached.</summary>
    ConnectionsRefused,

    /// <summary>Attempts to open a connection that failed.</summary>
    ConnectionsFailed,

    /// <summary>Connections that have ended, however.</summary>
    ConnectionsClosed,

    /// <summary>Connections that broke: reset, or silent when a Pong was due.</summary>
    ConnectionsLost,

    /// <summary>Connections that we aborted because the peer broke a rule (RFC 8323 section 5.6).</summary>
    ConnectionsAborted,

    /// <summary>Abort messages that peers sent.</summary>
    AbortsReceived,

    /// <summary>Connections ended because the peer's CSM, a frame, or room for what we send did not come in time.</summary>
    SlowConnections,

    /// <summary>Frames longer than our Max-Message-Size, or for which there was no memory; the connection was aborted.</summary>
    FramesRefused,

    /// <summary>How often a connection was not read for a while because its peer took nothing, or a linked block had no room.</summary>
    ReadingPauses,

    /// <summary>Handshakes of TLS and DTLS that failed: wrong credentials, no answer, too late.</summary>
    HandshakesFailed,

    /// <summary>Requests that were sent once more because their connection had ended.</summary>
    RequestsRepeated,

    /// <summary>
    /// How often no connection could be accepted for a moment, as the process has too many open files or the system no memory.
    /// </summary>
    AcceptFailures,

    /// <summary>Responses that were more than the peer of a connection takes by its CSM, without blocks; 5.00 was sent instead.</summary>
    ResponsesTooLarge,

    /// <summary>
    /// Requests answered 4.00 or 4.15 because a parameter of their handler is missing in them or cannot be made of what they say.
    /// </summary>
    ArgumentsRefused,

    /// <summary>Files of credentials that had changed and could not be taken, so that those from before are still good.</summary>
    CredentialsNotReloaded,

    /// <summary>
    /// Answers in memory that were too large to be kept for a peer that fetches them block by block
    /// (<see cref="CoapLimits.MaxRepresentationBytes"/>): it was answered 5.03, 5.00, or 4.01 with an Echo.
    /// </summary>
    RepresentationsRefused,

    /// <summary>
    /// Connections, and handshakes of TLS, that were closed since others needed what they held: their place, memory for a frame, memory for
    /// what waits to be sent. Of the source with most, the one that stood still for longest.
    /// </summary>
    ConnectionsEvicted,

    /// <summary>
    /// Observers that were forgotten since others needed their place (<see cref="CoapLimits.MaxObservers"/>): of the source with most,
    /// those of the client that neither registered nor acknowledged a notification for longest.
    /// </summary>
    ObserversEvicted,

    /// <summary>
    /// Requests refused before their handler since their source had its share of <see cref="CoapLimits.MaxRequestsServed"/> under way
    /// (5.03), or all unverified addresses together had theirs (4.01 with an Echo).
    /// </summary>
    RequestsBeyondShare,

    /// <summary>
    /// Batches that the keeper of DTLS sessions (<c>CoapDtlsServerOptions.SessionKeeping</c>) did not keep; they are handed over again.
    /// </summary>
    SessionKeepingFailures,

    /// <summary>
    /// Requests that are not safe, in DTLS sessions that were loaded after a crash, which were held until their peer had shown that it is
    /// no recording (<c>CoapDtlsServerOptions.SessionKeeping</c>). Those that were not served then count as <see cref="RecordsReplayed"/>.
    /// </summary>
    RequestsInDoubt,

    /// <summary>
    /// Notifications that were let go while observations were being adopted (<see cref="CoapAdoptions.HoldNotifications"/>), since too many
    /// were held: one of the source with most, whose copy is taken when it comes.
    /// </summary>
    NotificationsNotHeld,

    /// <summary>
    /// Calls to a store of DTLS sessions that may be resumed (<c>CoapDtlsServerOptions.AsyncResumptionStore</c>) that failed, took too
    /// long, or were not made as too many were under way: each costs a whole handshake at most.
    /// </summary>
    ResumptionStoreFailures,

    /// <summary>
    /// Records that came before a DTLS session which had been loaded could answer, and messages that were to be sent in it, for which there
    /// was no room, or whose session ended (<c>CoapDtlsServerOptions.SessionKeeping</c>): what is Confirmable is said again.
    /// </summary>
    EarlyRecordsDropped,

    /// <summary>
    /// Times that the kernel did not take a table of slots for a port that several processes share
    /// (<see cref="Transports.CoapUdpTransport.TryAttach"/>): datagrams then come to any of the processes by hash.
    /// </summary>
    SlotTablesRefused,

    /// <summary>
    /// Requests answered 5.03 since too many waited for their handler: as many as <c>RunQueued</c> or <c>Serial</c> says, or so many that
    /// the last of them would wait for too long, where a handler is slow or the processors have no time for it.
    /// </summary>
    RequestsNotQueued,
}
