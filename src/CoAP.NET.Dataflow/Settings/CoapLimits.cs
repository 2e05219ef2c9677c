namespace CoAP.NET;

/// <summary>The limits of an endpoint.</summary>
/// <remarks>
/// Everything that can grow has a limit, has a defined behaviour when it is reached, and has a counter. Mutable; the endpoint copies it
/// when it is created.
/// </remarks>
public sealed class CoapLimits
{
    internal const int DefaultSourcePrefixLength = 56;

    /// <summary>The size of the receive buffer that the endpoint requests for each socket, in bytes.</summary>
    /// <remarks>Default 4 MiB. When full: the kernel drops datagrams, counted as <see cref="CoapCounter.KernelDrops"/>.</remarks>
    public int ReceiveBufferSize { get; set => field = Check(value, 0, int.MaxValue); } = 4 * 1024 * 1024;

    /// <summary>The size of the largest datagram that is received completely, in bytes.</summary>
    /// <remarks>Default 2,048; 64 to 65,535. A larger one is truncated, counted, and answered 4.13 if its header is readable.</remarks>
    public int MaxDatagramSize { get; set => field = Check(value, 64, 65_535); } = 2048;

    /// <summary>The maximum number of remembered peers with more than one exchange.</summary>
    /// <remarks>
    /// Default 100,000. When full: the endpoint forgets the peer that was idle longest and has no state younger than its lifetime.
    /// </remarks>
    public int MaxChannels { get; set => field = Check(value, 1, 100_000_000); } = 100_000;

    /// <summary>How long the endpoint remembers a silent peer.</summary>
    /// <remarks>
    /// Default 1 day; 1 minute to 300 days, or <see cref="Timeout.InfiniteTimeSpan"/> to remember it while there is room
    /// (<see cref="MaxChannels"/>). It does not forget a peer with a running request, transfer or observation, with state younger than its
    /// lifetime, or with an address that is still verified.
    /// </remarks>
    public TimeSpan IdlePeerLifetime
    {
        get; set =>
        field = (value >= TimeSpan.FromMinutes(1) && value <= TimeSpan.FromDays(300)) || value == Timeout.InfiniteTimeSpan
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The lifetime must be 1 minute to 300 days, or infinite.");
    } =
    TimeSpan.FromDays(1);

    /// <summary>Memory for newcomers, the peers with only one exchange so far, in bytes, including their deduplication.</summary>
    /// <remarks>
    /// Default 8 MiB. When full: newcomers replace newcomers, and no other peers. In addition, their unfinished bodies and their block-wise
    /// responses may each take a quarter of this size, and one newcomer per 4 KiB of it may observe.
    /// </remarks>
    public int NewcomerBytes { get; set => field = Check(value, 64 * 1024, int.MaxValue); } = 8 * 1024 * 1024;

    /// <summary>The period after its first request within which a second request makes a newcomer a returning peer.</summary>
    /// <remarks>Default 2 s; 0 to 1 h.</remarks>
    public TimeSpan NewcomerPeriod
    {
        get; set =>
        field = value >= TimeSpan.Zero && value <= TimeSpan.FromHours(1)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The period must be 0 to 1 h.");
    } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The number of bits of an IPv6 address that identify a <see cref="CoapSource">source</see>; limits have a share per source.
    /// </summary>
    /// <remarks>
    /// Default 56, the size that a provider assigns to one customer; 32 to 64. With 64, customers of providers that assign a /64 each, such
    /// as mobile networks, do not share; an attacker with a /56 then has 256 shares. Fewer bits restrict attackers with more addresses.
    /// </remarks>
    public int SourcePrefixLength { get; set => field = Check(value, 32, 64); } = DefaultSourcePrefixLength;

    /// <summary>
    /// The maximum number of verified peers of one source (<see cref="CoapSource"/>) that keep their place when others need it.
    /// </summary>
    /// <remarks>
    /// Default 1,000; 0 to 100,000,000. When full: further peers get the same responses as verified ones, but the endpoint may forget them
    /// like unverified ones, so no host can fill the tables with its ports. At most <see cref="MaxChannels"/> peers in total keep their
    /// place.
    /// </remarks>
    public int MaxVerifiedPeersPerSource { get; set => field = Check(value, 0, 100_000_000); } = 1000;

    /// <summary>Memory for deduplication in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Default 256 MiB; 64 KiB or more. Each shard (<see cref="CoapEndpointOptions.Shards"/>) has an equal part, and at least 16 KiB. When
    /// full: see <see cref="UnverifiedDeduplicationShare"/>.
    /// </remarks>
    public long DeduplicationBytes { get; set => field = Check(value, 64 * 1024, long.MaxValue); } = 256L * 1024 * 1024;

    /// <summary>The part of <see cref="DeduplicationBytes"/> that all peers with unverified addresses share.</summary>
    /// <remarks>Default 1/4; above 0, up to 1.</remarks>
    public double UnverifiedDeduplicationShare
    {
        get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");
    } = 0.25;

    /// <summary>
    /// The part of <see cref="DeduplicationBytes"/> that the requests of one source (<see cref="CoapSource"/>) may take, with any number
    /// of addresses and ports; always enough for one reply. GET and FETCH do not count.
    /// </summary>
    /// <remarks>
    /// For unverified addresses, it is a part of their share. Default 1/4; above 0, up to 1. When full: new POST and PATCH requests of
    /// verified peers are answered 5.03; other requests are remembered for a short time only, like GET
    /// (<see cref="SafeDeduplicationShare"/>), and counted as <see cref="CoapCounter.UnsafeDeduplicationEvictions"/> or
    /// <see cref="CoapCounter.DeduplicationEvictions"/> when they are forgotten early.
    /// </remarks>
    public double SourceDeduplicationShare
    {
        get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");
    } = 0.25;

    /// <summary>The size of the largest reply to a safe method that is kept for duplicates, in bytes.</summary>
    /// <remarks>Default 128. For a duplicate of a request with a larger reply, the handler runs again (RFC 7252 section 4.5).</remarks>
    public int MaxStoredSafeReply { get; set => field = Check(value, 0, 65_535); } = 128;

    /// <summary>
    /// The part of <see cref="DeduplicationBytes"/> for GET and FETCH requests of verified peers, and again for those of other peers.
    /// </summary>
    /// <remarks>
    /// Default 1/256; above 0, up to 1. When full: the newest replace the oldest. For a duplicate of a forgotten request, the handler runs
    /// again (RFC 7252 section 4.5). Sources (<see cref="CoapSource"/>) are spread over eight parts of it, so that a fast one replaces only
    /// the requests of itself and of an eighth of the others.
    /// </remarks>
    public double SafeDeduplicationShare
    {
        get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");
    } = 1.0 / 256;

    /// <summary>The maximum number of requests that the whole endpoint serves at a time.</summary>
    /// <remarks>
    /// Default 10,000. When full: 5.03 with Max-Age, before user code runs; the last blocks of running uploads have an eighth more, and
    /// notifications continue. The share of one source shrinks as the endpoint fills: its requests without a response may take half of all
    /// places when half is free, an eighth when a quarter is free, and a fiftieth when a tenth is free. Beyond its share a source gets
    /// 5.03, counted as <see cref="CoapCounter.RequestsBeyondShare"/>. A source without running requests is served while there is a place.
    /// All unverified addresses together may take three quarters; beyond that they get 4.01 with an Echo. See <see cref="CoapSource"/>.
    /// </remarks>
    public int MaxRequestsServed { get; set => field = Check(value, 1, int.MaxValue); } = 10_000;

    /// <summary>The maximum number of outstanding messages in the whole endpoint.</summary>
    /// <remarks>
    /// Default 500,000. It counts sent Confirmable messages without acknowledgement, and sent Non-confirmable messages that a Reset may
    /// still match. When full: further messages wait, up to <see cref="CoapTransmissionParameters.MaxQueuedRequests"/> per peer, and in
    /// total as many as may be outstanding. Beyond that they are not sent, counted as <see cref="CoapCounter.NotSent"/>. Free places go to
    /// the waiting peers in turn. A Non-confirmable message that only a Reset can answer keeps its place for NON_LIFETIME; when all places
    /// are taken, the oldest of them gives up its place. Each shard has an equal part of the limit, and at least one place.
    /// </remarks>
    public int MaxOutstandingMessages { get; set => field = Check(value, 1, int.MaxValue); } = 500_000;

    /// <summary>The Max-Age of 5.03 responses that are sent because a limit is reached, in seconds.</summary>
    /// <remarks>Default 5.</remarks>
    public int BusyMaxAge { get; set => field = Check(value, 0, int.MaxValue); } = 5;

    /// <summary>The maximum token length of received messages, in bytes.</summary>
    /// <remarks>
    /// Default 64; 8 to 65,804. When a token is longer: 4.00 with the token over UDP (RFC 8974 section 2.2.2). A connection, where our CSM
    /// announced the limit, is aborted (section 2.2.1).
    /// </remarks>
    public int MaxTokenLength { get; set => field = Check(value, 8, CoapToken.MaxExtendedLength); } = 64;

    /// <summary>The maximum number of options in a message.</summary>
    /// <remarks>Default 256. A message with more is a format error.</remarks>
    public int MaxOptions { get; set => field = Check(value, 1, int.MaxValue); } = 256;

    /// <summary>
    /// The maximum size of a request body, block-wise or in one message, in bytes, for routes without a limit of their own.
    /// </summary>
    /// <remarks>Default 1 MiB; 1 to 1 GiB. Above it: 4.13 with Size1 (RFC 7959 section 2.9.3).</remarks>
    public long MaxBodySize { get; set => field = Check(value, 1, 1L << 30); } = 1024 * 1024;

    /// <summary>Memory for block-wise request bodies in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Default 64 MiB. A source never takes more of it than it leaves free. When full, the endpoint discards in this order: the body of the
    /// same peer that was idle longest; then bodies of the source that holds the most, from peers that were silent for MAX_TRANSMIT_SPAN
    /// (at unverified addresses: four times ACK_TIMEOUT) or that send next to nothing. If nothing can be discarded, a block is answered
    /// 5.03, or 4.01 with an Echo for an unverified address.
    /// </remarks>
    public long MaxAssemblyBytes { get; set => field = Check(value, 4096, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="MaxAssemblyBytes"/> and of <see cref="MaxRepresentationBytes"/> that one source (<see cref="CoapSource"/>)
    /// may take.
    /// </summary>
    /// <remarks>
    /// Default 1/4; above 0, up to 1. The many clients behind the address of a proxy or gateway share it. All newcomers together may take
    /// the same part, and so may all other peers with unverified addresses. With 1 a source may take everything; with less it never takes
    /// more than it leaves free. When full: see these limits.
    /// </remarks>
    public double PeerAssemblyShare
    {
        get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");
    } = 0.25;

    /// <summary>Memory for block-wise responses in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Peers that fetch the same response share it. Default 64 MiB, of which a source may take 16 MiB (<see cref="PeerAssemblyShare"/>),
    /// the size of the largest response in memory. With 0 nothing is kept, and handlers run for each block. A source never takes more than
    /// it leaves free. When full: the endpoint discards completed responses first, then responses that are not fetched, or fetched too
    /// slowly. It keeps running transfers, and answers a new one 5.03 with <see cref="BusyMaxAge"/>, or 4.01 with an Echo for an unverified
    /// address. Use <see cref="CoapResults.File"/> and <see cref="CoapResults.Stream"/> for larger bodies.
    /// </remarks>
    public long MaxRepresentationBytes { get; set => field = Check(value, 0, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>The maximum number of observations in the whole endpoint, including those being cancelled.</summary>
    /// <remarks>Default 200,000. When full: a <see cref="CoapException"/>.</remarks>
    public int MaxObservations { get; set => field = Check(value, 0, int.MaxValue); } = 200_000;

    /// <summary>
    /// The maximum number of idle protected peers, such as those of OSCORE, that are remembered behind one address or connection: a proxy
    /// may forward the messages of many.
    /// </summary>
    /// <remarks>
    /// Default 1,024. When full: the endpoint forgets idle ones; each returns with its next message, because its security context is kept
    /// elsewhere.
    /// </remarks>
    public int MaxProtectedPeers { get; set => field = Check(value, 1, 1_000_000); } = 1024;

    /// <summary>The maximum number of delayed responses to group requests (RFC 7252 section 8.2) in the whole endpoint.</summary>
    /// <remarks>
    /// Default 1,000. When full: one of the source (<see cref="CoapSource"/>) with the most is not sent, counted as
    /// <see cref="CoapCounter.GroupAnswersDropped"/>.
    /// </remarks>
    public int MaxDelayedGroupAnswers { get; set => field = Check(value, 1, 1_000_000); } = 1000;

    /// <summary>
    /// The maximum number of running requests to groups, and of tokens of earlier ones that are kept to recognise late responses.
    /// </summary>
    /// <remarks>
    /// Default 1,000. When full: further requests fail with a <see cref="CoapBusyException"/>; the oldest tokens are forgotten first.
    /// </remarks>
    public int MaxGroupRequests { get; set => field = Check(value, 1, 1_000_000); } = 1000;

    /// <summary>
    /// Whether the size of responses to unverified addresses is limited, so that forged requests cannot direct our responses at others (RFC
    /// 7252 section 11.3).
    /// </summary>
    /// <remarks>
    /// Default true. An Echo (RFC 9175) or a handshake verifies an address; <see cref="CoapEndpointOptions.TrustedPrefixes"/> are not
    /// limited. A larger response is cut into blocks of 64 bytes, or the request is answered 4.01 with an Echo; counted as
    /// <see cref="CoapCounter.AmplificationRefused"/>.
    /// </remarks>
    public bool LimitAmplification { get; set; } = true;

    /// <summary>The maximum size of a response to an unverified address, as a multiple of its request.</summary>
    /// <remarks>Default 3 (RFC 9175 section 2.4); 1 to 100.</remarks>
    public int AmplificationFactor { get; set => field = Check(value, 1, 100); } = 3;

    /// <summary>The maximum size of a response that is always sent to an unverified address, in bytes.</summary>
    /// <remarks>Default 136 (RFC 9175 section 2.4); 64 to 65,507.</remarks>
    public int AmplificationFreeBytes { get; set => field = Check(value, 64, 65_507); } = 136;

    /// <summary>
    /// The number of bytes in larger datagrams that an unverified source (<see cref="CoapSource"/>) gets per minute: half of them at once,
    /// half over the minute.
    /// </summary>
    /// <remarks>Default 16 KiB; 0 for none.</remarks>
    public int AmplificationBytesPerMinute { get; set => field = Check(value, 0, int.MaxValue); } = 16 * 1024;

    /// <summary>
    /// The number of bytes in larger datagrams that all unverified addresses together get per second: half of them at once, half over the
    /// second.
    /// </summary>
    /// <remarks>Default 1 MiB; 0 for none.</remarks>
    public int AmplificationBytesPerSecond { get; set => field = Check(value, 0, int.MaxValue); } = 1024 * 1024;

    /// <summary>How long an address counts as verified after an Echo.</summary>
    /// <remarks>Default 1 h; above 0. Large responses after that carry another Echo.</remarks>
    public TimeSpan AddressVerificationLifetime
    {
        get; set =>
        field = value > TimeSpan.Zero
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The lifetime must be above zero.");
    } = TimeSpan.FromHours(1);

    /// <summary>
    /// The maximum number of 4.29 responses per second that the limiters of routes may cause: half of them at once, half over the second.
    /// </summary>
    /// <remarks>Default 1,000; 1 or more. Further limited requests get no response, as if they were lost (RFC 8516 section 3).</remarks>
    public int TooManyRequestsPerSecond { get; set => field = Check(value, 1, int.MaxValue); } = 1000;

    /// <summary>The maximum size of a response body that is assembled in memory from its blocks (RFC 7959), in bytes.</summary>
    /// <remarks>
    /// Default 64 MiB; 0 to 1 GiB. With a larger body the request fails with a <see cref="CoapException"/>. A body for
    /// <see cref="CoapRequest.Destination"/> has no such limit.
    /// </remarks>
    public int MaxResponseBodySize { get; set => field = Check(value, 0, 1 << 30); } = 64 * 1024 * 1024;

    /// <summary>The maximum number of observers in the whole endpoint (RFC 7641 section 4.1).</summary>
    /// <remarks>
    /// Default 200,000; 0 to 100,000,000. When full: if another source (<see cref="CoapSource"/>) has more observers than the source of the
    /// newcomer would have, one observer of that source is evicted, counted as <see cref="CoapCounter.ObserversEvicted"/>. It belongs to
    /// the client that neither registered nor acknowledged a notification for longest; if its address is verified, it gets 5.03. Otherwise
    /// the registration is answered as a plain request, without Observe, counted as <see cref="CoapCounter.RegistrationsRefused"/>.
    /// </remarks>
    public int MaxObservers { get; set => field = Check(value, 0, 100_000_000); } = 200_000;

    /// <summary>The maximum number of observers of one peer.</summary>
    /// <remarks>
    /// Default 1,000; 0 to 1,000,000. When full: a registration is answered as a plain request, without Observe, counted as
    /// <see cref="CoapCounter.RegistrationsRefused"/>.
    /// </remarks>
    public int MaxObserversPerPeer { get; set => field = Check(value, 0, 1_000_000); } = 1000;

    /// <summary>
    /// The maximum number of Non-confirmable notifications to a peer with an unverified address between two acknowledgements (RFC 7641
    /// section 7).
    /// </summary>
    /// <remarks>
    /// Default 10; 0 to 1,000,000. When full: the next one is Confirmable, and no more are sent until it is acknowledged.
    /// </remarks>
    public int MaxUnacknowledgedNotifications { get; set => field = Check(value, 0, 1_000_000); } = 10;

    /// <summary>The maximum number of observers with unverified addresses of one source (<see cref="CoapSource"/>).</summary>
    /// <remarks>Default 1,000; 0 to 100,000,000. When full: see <see cref="MaxObserversPerPeer"/>.</remarks>
    public int MaxUnverifiedObserversPerSource { get; set => field = Check(value, 0, 100_000_000); } = 1000;

    /// <summary>The maximum number of connections of reliable transports in the whole endpoint (RFC 8323).</summary>
    /// <remarks>
    /// Default 100,000; 0 to 100,000,000. When full: the endpoint closes an idle connection of the source with the most, counted as
    /// <see cref="CoapCounter.ConnectionsEvicted"/>: first one that sent no CSM, then one without running exchanges. If no other source has
    /// more than that of the newcomer, it only closes one that was idle for 10 s (without CSM for 1 s); otherwise it closes the newcomer at
    /// once, counted as <see cref="CoapCounter.ConnectionsRefused"/>. Opening a connection fails with a
    /// <see cref="CoapConnectionException"/>.
    /// </remarks>
    public int MaxConnections { get; set => field = Check(value, 0, 100_000_000); } = 100_000;

    /// <summary>The maximum number of connections from the addresses of one source (<see cref="CoapSource"/>).</summary>
    /// <remarks>
    /// Default 1,000; 1 to 100,000,000. When full: one of them that was idle for 10 s (without CSM for 1 s) is closed, as with
    /// <see cref="MaxConnections"/>.
    /// </remarks>
    public int MaxConnectionsPerAddress { get; set => field = Check(value, 1, 100_000_000); } = 1000;

    /// <summary>The maximum number of running TLS handshakes that peers began.</summary>
    /// <remarks>
    /// Default 1,000; 1 to 100,000,000. A handshake begins with the first byte of the peer, and the same number of further connections may
    /// be accepted and still silent. When full: of the source with the most, the endpoint closes the one without progress for longest,
    /// counted as <see cref="CoapCounter.ConnectionsEvicted"/>.
    /// </remarks>
    public int MaxHandshakes { get; set => field = Check(value, 1, 100_000_000); } = 1000;

    /// <summary>The maximum number of running handshakes from the addresses of one source (<see cref="CoapSource"/>).</summary>
    /// <remarks>
    /// Default 100; 1 to 100,000,000. When full: the endpoint closes the one without progress for longest if that is a second or more;
    /// otherwise it closes the newcomer, counted as <see cref="CoapCounter.ConnectionsRefused"/>.
    /// </remarks>
    public int MaxHandshakesPerAddress { get; set => field = Check(value, 1, 100_000_000); } = 100;

    /// <summary>
    /// The maximum size of a received message on a connection, in bytes with its header: our Max-Message-Size (RFC 8323 section 5.3.1).
    /// </summary>
    /// <remarks>Default 1 MiB; 64 to 1 GiB. The endpoint aborts the connection before it reads the rest of a larger message.</remarks>
    public int MaxStreamMessageSize { get; set => field = Check(value, 64, 1 << 30); } = 1024 * 1024;

    /// <summary>Memory for incomplete frames over all connections, in bytes.</summary>
    /// <remarks>
    /// Default 64 MiB. It counts their whole buffers, and 32 KiB for each connection with an incomplete TLS record. One source has
    /// <see cref="StreamSourceShare"/> of it. When full: of the source that holds the most, the endpoint closes the connection whose frame
    /// did not grow for longest, counted as <see cref="CoapCounter.FramesRefused"/>.
    /// </remarks>
    public long MaxFrameAssemblyBytes { get; set => field = Check(value, 4096, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// The number of queued bytes on one connection at which the endpoint stops reading from it and newer notifications replace queued
    /// ones.
    /// </summary>
    /// <remarks>Default 256 KiB; 1 KiB to 512 MiB.</remarks>
    public int SendQueueBytes { get; set => field = Check(value, 1024, 1 << 29); } = 256 * 1024;

    /// <summary>The maximum number of queued bytes on one connection, in addition to one message.</summary>
    /// <remarks>
    /// Default 8 MiB; 1 KiB to 512 MiB. When full: the endpoint closes the connection, counted as
    /// <see cref="CoapCounter.SlowConnections"/>.
    /// </remarks>
    public int MaxSendQueueBytes { get; set => field = Check(value, 1024, 1 << 29); } = 8 * 1024 * 1024;

    /// <summary>Memory for the send queues of all connections, in bytes.</summary>
    /// <remarks>
    /// Default 256 MiB; 64 KiB or more. It counts whole buffers, even if a part was sent. One source has <see cref="StreamSourceShare"/> of
    /// it. When full: of the source that holds the most, the endpoint closes the connection whose peer read nothing for longest, counted as
    /// <see cref="CoapCounter.SlowConnections"/>. A single message that exceeds the share of a source closes its connection.
    /// </remarks>
    public long MaxStreamSendBytes { get; set => field = Check(value, 64 * 1024, long.MaxValue); } = 256L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="MaxFrameAssemblyBytes"/> and of <see cref="MaxStreamSendBytes"/> that the connections of one source
    /// (<see cref="CoapSource"/>) may take.
    /// </summary>
    /// <remarks>
    /// Default 1/4; above 0, up to 1. The largest message of a connection always fits. When full: see these limits, applied to the
    /// connections of that source.
    /// </remarks>
    public double StreamSourceShare
    {
        get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share must be above 0 and at most 1.");
    } = 0.25;

    /// <summary>The maximum number of requests of one connection that are served at a time.</summary>
    /// <remarks>
    /// Default 1,000; 1 to 10,000,000. When full: the endpoint stops reading from that connection until it has answered one, counted as
    /// <see cref="CoapCounter.ReadingPauses"/>. All connections of a source together have its share of <see cref="MaxRequestsServed"/>.
    /// </remarks>
    public int MaxRequestsPerConnection { get; set => field = Check(value, 1, 10_000_000); } = 1000;

    internal CoapLimits Clone() => (CoapLimits)MemberwiseClone();

    private static int Check(int value, int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }

    private static long Check(long value, long min, long max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }
}
