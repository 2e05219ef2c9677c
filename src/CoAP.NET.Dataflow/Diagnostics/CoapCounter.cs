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

    /// <summary>Messages of ours that the format has no form for, such as an option value above 65,804 bytes. They are dropped; the log says which.</summary>
    EncodeErrors,

    /// <summary>Messages ignored because RFC 7252 section 4.2 or 4.3 says so: wrong version, bad ACK or RST.</summary>
    Ignored,

    /// <summary>Reset messages sent.</summary>
    ResetsSent,

    /// <summary>Duplicates recognised (RFC 7252 section 4.5).</summary>
    Duplicates,

    /// <summary>Message IDs that came again with other bytes and were taken for a new exchange.</summary>
    MessageIdReused,

    /// <summary>Deduplication entries forgotten before their lifetime for lack of room, safe and idempotent methods.</summary>
    DeduplicationEvictions,

    /// <summary>Deduplication entries of non-idempotent requests of unverified peers forgotten before their lifetime for lack of room.</summary>
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

    /// <summary>Messages of ours that were refused because too many wait for their turn (NSTART, PROBING_RATE, Message IDs; RFC 7252 sections 4.4 and 4.7).</summary>
    NotSent,

    /// <summary>ICMP port unreachable that quoted a datagram of ours.</summary>
    PortUnreachable,

    /// <summary>Registrations of observers, repeated ones too (RFC 7641 section 4.1).</summary>
    Registrations,

    /// <summary>Registrations that were answered as plain requests because a bound was reached.</summary>
    RegistrationsRefused,

    /// <summary>Observers that were forgotten because they rejected a notification or did not acknowledge it (RFC 7641 section 4.5).</summary>
    ObserversLost,

    /// <summary>Notifications sent, without copies and without answers to registrations.</summary>
    NotificationsSent,

    /// <summary>Confirmable notifications whose place a newer state took before they were acknowledged (RFC 7641 section 4.5.2).</summary>
    NotificationsSuperseded,

    /// <summary>The number of counters; not a counter.</summary>
    Count,
}
