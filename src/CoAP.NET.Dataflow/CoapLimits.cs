namespace CoAP.NET;

/// <summary>
/// The bounds of an endpoint: everything that can grow has one, does something sensible when it is full, and counts it. Mutable; the
/// endpoint copies it when it is made.
/// </summary>
public sealed class CoapLimits
{
    internal const int DefaultSourcePrefixLength = 56;

    /// <summary>
    /// The receive buffer asked of the operating system for each socket, in bytes. Default 4 MiB. When full: the kernel drops, counted as
    /// <see cref="CoapCounter.KernelDrops"/>.
    /// </summary>
    public int ReceiveBufferSize { get; set => field = Check(value, 0, int.MaxValue); } = 4 * 1024 * 1024;

    /// <summary>
    /// The largest datagram that is received whole, in bytes. Default 2,048; 64 to 65,535. A longer one is cut: answered 4.13 where its
    /// head is readable, and counted.
    /// </summary>
    public int MaxDatagramSize { get; set => field = Check(value, 64, 65_535); } = 2048;

    /// <summary>
    /// How many peers with more than one exchange are remembered. Default 100,000. When full: the peer that was idle longest and has no
    /// state younger than its lifetime goes first.
    /// </summary>
    public int MaxChannels { get; set => field = Check(value, 1, 100_000_000); } = 100_000;

    /// <summary>
    /// How long a peer is remembered that sends nothing. Default 1 day; 1 minute to 300 days, or <see cref="Timeout.InfiniteTimeSpan"/> to
    /// remember it as long as there is room (<see cref="MaxChannels"/>). A peer with a request, a transfer or an observation under way,
    /// with state younger than its lifetime, or with an address that is still verified stays.
    /// </summary>
    public TimeSpan IdlePeerLifetime { get; set =>
        field = (value >= TimeSpan.FromMinutes(1) && value <= TimeSpan.FromDays(300)) || value == Timeout.InfiniteTimeSpan
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The lifetime is 1 minute to 300 days, or infinite."); } =
    TimeSpan.FromDays(1);

    /// <summary>
    /// Memory for peers that had only one exchange so far, in bytes, with their deduplication. Default 8 MiB. When full: newcomers replace
    /// newcomers, nobody else. Beside it their unfinished bodies and the answers that they fetch in blocks may take a quarter of it each,
    /// and one of them for each 4 KiB of it may observe.
    /// </summary>
    public int NewcomerBytes { get; set => field = Check(value, 64 * 1024, int.MaxValue); } = 8 * 1024 * 1024;

    /// <summary>How long after its first request a second one makes a peer a returning one. Default 2 s; 0 to 1 h.</summary>
    public TimeSpan NewcomerPeriod { get; set =>
        field = value >= TimeSpan.Zero && value <= TimeSpan.FromHours(1)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The period is 0 to 1 h."); } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How many bits of an IPv6 address make a <see cref="CoapSource">source</see>, for which shares of bounds count. Default 56, what a
    /// provider gives to one customer; 32 to 64. With 64, customers of providers that give a /64 each, such as those of mobile networks, do
    /// not share; whoever has a /56 then has 256 shares. Fewer bits hold off who has more addresses.
    /// </summary>
    public int SourcePrefixLength { get; set => field = Check(value, 32, 64); } = DefaultSourcePrefixLength;

    /// <summary>
    /// How many verified peers of one source (<see cref="CoapSource"/>) may hold their place while others want it. Default 1,000; 0 to
    /// 100,000,000. When full: further ones are answered as verified ones are, but may be forgotten as if they were not, so that no host
    /// fills the tables by its ports. In all <see cref="MaxChannels"/> peers may hold their place.
    /// </summary>
    public int MaxVerifiedPeersPerSource { get; set => field = Check(value, 0, 100_000_000); } = 1000;

    /// <summary>
    /// Memory for deduplication in the whole endpoint, in bytes. Default 256 MiB; 64 KiB or more. Each shard
    /// (<see cref="CoapEndpointOptions.Shards"/>) has an equal part, and never less than 16 KiB. When full: see
    /// <see cref="UnverifiedDeduplicationShare"/>.
    /// </summary>
    public long DeduplicationBytes { get; set => field = Check(value, 64 * 1024, long.MaxValue); } = 256L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="DeduplicationBytes"/> that peers whose address was never verified share. Default 1/4; above 0, up to 1.
    /// </summary>
    public double UnverifiedDeduplicationShare { get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 0.25;

    /// <summary>
    /// The part of <see cref="DeduplicationBytes"/> that one peer may take; room for one reply in any case. Default 1/16; above 0, up to 1.
    /// </summary>
    public double PeerDeduplicationShare { get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 1.0 / 16;

    /// <summary>
    /// The part of <see cref="DeduplicationBytes"/> that the POST and PATCH requests of one source (<see cref="CoapSource"/>) may take, by
    /// however many addresses and ports; where its addresses were never verified, of their part. Default 1/4; above 0, up to 1. When full:
    /// new POST and PATCH of verified peers are answered 5.03; those of others are not remembered, counted as
    /// <see cref="CoapCounter.UnsafeDeduplicationEvictions"/>.
    /// </summary>
    public double SourceDeduplicationShare { get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 0.25;

    /// <summary>
    /// The largest reply to a safe method that is kept for duplicates, in bytes; above it the request is run again (RFC 7252 section 4.5).
    /// Default 128.
    /// </summary>
    public int MaxStoredSafeReply { get; set => field = Check(value, 0, 65_535); } = 128;

    /// <summary>
    /// How many requests are served at a time in the whole endpoint. Default 10,000. When full: 5.03 with Max-Age, before user code runs;
    /// last blocks of bodies that are under way have an eighth more, and observers are still told. The fewer are free, the fewer one source
    /// may have whose handlers have not answered yet: half of all when half is free, an eighth when a quarter is free, a fiftieth when a
    /// tenth is. Beyond that it gets 5.03, counted as <see cref="CoapCounter.RequestsBeyondShare"/>, and a source that has none is served
    /// as long as there is a place. All addresses together that were never verified may have three quarters; beyond that they get 4.01 with
    /// an Echo. See <see cref="CoapSource"/>.
    /// </summary>
    public int MaxRequestsServed { get; set => field = Check(value, 1, int.MaxValue); } = 10_000;

    /// <summary>
    /// How many messages of ours may be outstanding at a time in the whole endpoint: Confirmable ones that are not acknowledged yet, and
    /// Non-confirmable ones that a Reset may still match. Default 500,000. When full: further ones wait, up to
    /// <see cref="CoapTransmissionParameters.MaxQueuedRequests"/> to one peer and as many as may be outstanding to all of them; beyond that
    /// they are not sent, counted as <see cref="CoapCounter.NotSent"/>. Peers whose messages wait get the places that are free in turn.
    /// A Non-confirmable message of which nothing but a Reset is to come keeps its place for NON_LIFETIME, but gives way to others when
    /// all places are taken, the oldest first. Each shard has an equal part of the bound, and at least one.
    /// </summary>
    public int MaxOutstandingMessages { get; set => field = Check(value, 1, int.MaxValue); } = 500_000;

    /// <summary>The Max-Age of a 5.03 that is sent for lack of room, in seconds. Default 5.</summary>
    public int BusyMaxAge { get; set => field = Check(value, 0, int.MaxValue); } = 5;

    /// <summary>
    /// The longest token that messages to us may have, in bytes. Default 64; 8 to 65,804. Longer: 4.00 with the token over UDP (RFC 8974
    /// section 2.2.2); on a connection, where our CSM told the peer, it is aborted (section 2.2.1).
    /// </summary>
    public int MaxTokenLength { get; set => field = Check(value, 8, CoapToken.MaxExtendedLength); } = 64;

    /// <summary>How many options a message may have. Default 256. More: a format error.</summary>
    public int MaxOptions { get; set => field = Check(value, 1, int.MaxValue); } = 256;

    /// <summary>
    /// The largest body of a request that is taken, in blocks or in one message, in bytes, where the route says nothing else. Default 1
    /// MiB; 1 to 1 GiB. Above it: 4.13 with Size1 (RFC 7959 section 2.9.3).
    /// </summary>
    public long MaxBodySize { get; set => field = Check(value, 1, 1L << 30); } = 1024 * 1024;

    /// <summary>
    /// Memory for bodies of requests that come block by block in the whole endpoint, in bytes. Default 64 MiB. A source never takes more of
    /// it than it leaves free. When full: of what the peer itself has under way that which was idle longest goes first, then that of peers
    /// that were silent for MAX_TRANSMIT_SPAN (at addresses that were never verified: four times ACK_TIMEOUT) or send next to nothing, of
    /// the source that holds most; then a block is answered 5.03, or 4.01 with an Echo where the address was never verified.
    /// </summary>
    public long MaxAssemblyBytes { get; set => field = Check(value, 4096, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="MaxAssemblyBytes"/> and of <see cref="MaxRepresentationBytes"/> that one source may take. See <see
    /// cref="CoapSource"/>; where a proxy or gateway has many clients behind one address, these share. So much all newcomers together may
    /// take as well, and all others together whose addresses were never verified. Default 1/4; above 0, up to 1. With 1 a source may take
    /// everything; with less it never takes more than it leaves free. When full: as there.
    /// </summary>
    public double PeerAssemblyShare { get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 0.25;

    /// <summary>
    /// Memory for answers that peers fetch block by block in the whole endpoint, in bytes. Peers that fetch the same one share it. Default
    /// 64 MiB, of which a source may take 16 MiB (<see cref="PeerAssemblyShare"/>): the largest answer in memory. With 0 nothing is kept,
    /// and handlers run for each block. A source never takes more than it leaves free. When full: what was fetched to its end goes first,
    /// then what nobody fetches, or too slowly; what is being fetched stays, and a new one is answered 5.03 with <see cref="BusyMaxAge"/>,
    /// where the address was never verified 4.01 with an Echo. Larger bodies are a matter of <see cref="CoapResults.File"/> and
    /// <see cref="CoapResults.Stream"/>.
    /// </summary>
    public long MaxRepresentationBytes { get; set => field = Check(value, 0, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// How many observations there may be in the whole endpoint, with those that are being cancelled. Default 200,000. When full: a
    /// <see cref="CoapException"/>.
    /// </summary>
    public int MaxObservations { get; set => field = Check(value, 0, int.MaxValue); } = 200_000;

    /// <summary>
    /// How many protected peers, such as those of OSCORE, are remembered behind one address or connection that nothing is under way with: a
    /// proxy may bring the messages of many. Default 1,024. When full: those are forgotten; each comes back when it is heard, as its
    /// security context is kept elsewhere.
    /// </summary>
    public int MaxProtectedPeers { get; set => field = Check(value, 1, 1_000_000); } = 1024;

    /// <summary>
    /// How many answers to requests that were sent to groups may wait for their moment (RFC 7252 section 8.2) in the whole endpoint.
    /// Default 1,000. When full: one for the source (<see cref="CoapSource"/>) with most of them is not sent, counted as
    /// <see cref="CoapCounter.GroupAnswersDropped"/>.
    /// </summary>
    public int MaxDelayedGroupAnswers { get; set => field = Check(value, 1, 1_000_000); } = 1000;

    /// <summary>
    /// How many requests of ours to groups may run at a time, and how many tokens of earlier ones are kept to recognise late answers.
    /// Default 1,000. When full: further requests fail with a <see cref="CoapBusyException"/>; the oldest tokens are forgotten first.
    /// </summary>
    public int MaxGroupRequests { get; set => field = Check(value, 1, 1_000_000); } = 1000;

    /// <summary>
    /// Whether the size of responses to addresses that nobody verified is limited, so that forged requests cannot aim our responses at
    /// others (RFC 7252 section 11.3). Default true. An address is verified by an Echo (RFC 9175) or a handshake;
    /// <see cref="CoapEndpointOptions.TrustedPrefixes"/> are not limited. When a response is not covered: it is cut into blocks of 64
    /// bytes, or the request is answered 4.01 with an Echo; counted as <see cref="CoapCounter.AmplificationRefused"/>.
    /// </summary>
    public bool LimitAmplification { get; set; } = true;

    /// <summary>
    /// How many times as large as its request a response to an unverified address may always be. Default 3 (RFC 9175 section 2.4); 1 to
    /// 100.
    /// </summary>
    public int AmplificationFactor { get; set => field = Check(value, 1, 100); } = 3;

    /// <summary>
    /// The size in bytes up to which a response to an unverified address is always sent. Default 136 (RFC 9175 section 2.4); 64 to 65,507.
    /// </summary>
    public int AmplificationFreeBytes { get; set => field = Check(value, 64, 65_507); } = 136;

    /// <summary>
    /// How many bytes of larger datagrams an unverified source (<see cref="CoapSource"/>) gets in any minute: half of them at once, half
    /// over the minute. Default 16 KiB; 0 for none.
    /// </summary>
    public int AmplificationBytesPerMinute { get; set => field = Check(value, 0, int.MaxValue); } = 16 * 1024;

    /// <summary>
    /// How many bytes of larger datagrams all unverified addresses together get in any second: half of them at once, half over the second.
    /// Default 1 MiB; 0 for none.
    /// </summary>
    public int AmplificationBytesPerSecond { get; set => field = Check(value, 0, int.MaxValue); } = 1024 * 1024;

    /// <summary>
    /// How long an address counts as verified after an Echo. Default 1 h; above 0. Later responses carry another Echo where they are large.
    /// </summary>
    public TimeSpan AddressVerificationLifetime { get; set =>
        field = value > TimeSpan.Zero
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A lifetime is above zero."); } = TimeSpan.FromHours(1);

    /// <summary>
    /// How many responses 4.29 the limiters of routes may cause in any second: half of them at once, half over the second. Default 1,000; 1
    /// or more. Beyond it requests that are held back get no answer, as if they were lost (RFC 8516 section 3).
    /// </summary>
    public int TooManyRequestsPerSecond { get; set => field = Check(value, 1, int.MaxValue); } = 1000;

    /// <summary>
    /// The largest body of a response that is put together in memory from its blocks (RFC 7959), in bytes. Default 64 MiB; 0 to 1 GiB.
    /// Larger: the request fails with <see cref="CoapException"/>. A body that goes to <see cref="CoapRequest.Destination"/> has no such
    /// limit.
    /// </summary>
    public int MaxResponseBodySize { get; set => field = Check(value, 0, 1 << 30); } = 64 * 1024 * 1024;

    /// <summary>
    /// How many observers are served in the whole endpoint (RFC 7641 section 4.1). Default 200,000; 0 to 100,000,000. When full: where
    /// another source (<see cref="CoapSource"/>) has more observers than that of the newcomer would have, one of that source gives way,
    /// counted as <see cref="CoapCounter.ObserversEvicted"/>: of the client that neither registered nor acknowledged a notification for
    /// longest; if its address is verified it is told 5.03. Otherwise the registration is answered as a plain request, without Observe,
    /// counted as <see cref="CoapCounter.RegistrationsRefused"/>.
    /// </summary>
    public int MaxObservers { get; set => field = Check(value, 0, 100_000_000); } = 200_000;

    /// <summary>
    /// How many of them one peer may have. Default 1,000; 0 to 1,000,000. When full: a registration is answered as a plain request, without
    /// Observe, counted as <see cref="CoapCounter.RegistrationsRefused"/>.
    /// </summary>
    public int MaxObserversPerPeer { get; set => field = Check(value, 0, 1_000_000); } = 1000;

    /// <summary>
    /// How many Non-confirmable notifications a peer whose address was never verified is sent between two acknowledgements (RFC 7641
    /// section 7). Default 10; 0 to 1,000,000. When full: the next one is Confirmable, and no more are sent until it is acknowledged.
    /// </summary>
    public int MaxUnacknowledgedNotifications { get; set => field = Check(value, 0, 1_000_000); } = 10;

    /// <summary>
    /// How many observers with addresses that were never verified may be served of one source (<see cref="CoapSource"/>). Default 1,000; 0
    /// to 100,000,000. When full: as with <see cref="MaxObserversPerPeer"/>.
    /// </summary>
    public int MaxUnverifiedObserversPerSource { get; set => field = Check(value, 0, 100_000_000); } = 1000;

    /// <summary>
    /// How many connections of reliable transports there may be in the whole endpoint (RFC 8323). Default 100,000; 0 to 100,000,000. When
    /// full: an idle connection of the source with most of them gives way, counted as <see cref="CoapCounter.ConnectionsEvicted"/>: first
    /// whoever sent no CSM, then whoever has nothing under way. Where no other source has more than that of the newcomer, only one that was
    /// idle for 10 s gives way (without CSM for 1 s); otherwise the newcomer is closed at once, counted as
    /// <see cref="CoapCounter.ConnectionsRefused"/>. Opening one fails with a <see cref="CoapConnectionException"/>.
    /// </summary>
    public int MaxConnections { get; set => field = Check(value, 0, 100_000_000); } = 100_000;

    /// <summary>
    /// How many of them may come from the addresses of one source (<see cref="CoapSource"/>). Default 1,000; 1 to 100,000,000. When full:
    /// one of them that was idle for 10 s (without CSM for 1 s) gives way, as with <see cref="MaxConnections"/>.
    /// </summary>
    public int MaxConnectionsPerAddress { get; set => field = Check(value, 1, 100_000_000); } = 1000;

    /// <summary>
    /// How many TLS handshakes that peers began may be under way at a time; a handshake begins with the first byte of the peer, and as many
    /// connections again may have been accepted of which nothing came yet. Default 1,000; 1 to 100,000,000. When full: of the source with
    /// most, the one that made no progress for longest gives way, counted as <see cref="CoapCounter.ConnectionsEvicted"/>.
    /// </summary>
    public int MaxHandshakes { get; set => field = Check(value, 1, 100_000_000); } = 1000;

    /// <summary>
    /// How many of them may come from the addresses of one source (<see cref="CoapSource"/>). Default 100; 1 to 100,000,000. When full: the
    /// one of them that made no progress for longest gives way when that is a second or more; otherwise the newcomer is closed, counted as
    /// <see cref="CoapCounter.ConnectionsRefused"/>.
    /// </summary>
    public int MaxHandshakesPerAddress { get; set => field = Check(value, 1, 100_000_000); } = 100;

    /// <summary>
    /// The largest message that is taken on a connection, in bytes with its header: our Max-Message-Size (RFC 8323 section 5.3.1). Default
    /// 1 MiB; 64 to 1 GiB. Larger: the connection is aborted before the rest is read.
    /// </summary>
    public int MaxStreamMessageSize { get; set => field = Check(value, 64, 1 << 30); } = 1024 * 1024;

    /// <summary>
    /// Memory for frames of which only a part is there, over all connections, in bytes. Default 64 MiB; counted are the buffers that they
    /// lie in, and 32 KiB for each connection of which a TLS record is there in part. One source has <see cref="StreamSourceShare"/> of it.
    /// When full: of the source that holds most, the connection whose frame did not grow for longest is closed, counted as
    /// <see cref="CoapCounter.FramesRefused"/>.
    /// </summary>
    public long MaxFrameAssemblyBytes { get; set => field = Check(value, 4096, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// How many bytes may wait on one connection before nothing more is read from it and notifications give way to newer ones. Default 256
    /// KiB; 1 KiB to 512 MiB.
    /// </summary>
    public int SendQueueBytes { get; set => field = Check(value, 1024, 1 << 29); } = 256 * 1024;

    /// <summary>
    /// How many bytes may wait on one connection in any case, besides one message. Default 8 MiB; 1 KiB to 512 MiB. When full: the
    /// connection is closed, counted as <see cref="CoapCounter.SlowConnections"/>.
    /// </summary>
    public int MaxSendQueueBytes { get; set => field = Check(value, 1024, 1 << 29); } = 8 * 1024 * 1024;

    /// <summary>
    /// Memory for what waits to be sent, over all connections, in bytes. Default 256 MiB; 64 KiB or more. Counted are the buffers that it
    /// lies in, also where a part was sent. One source has <see cref="StreamSourceShare"/> of it. When full: of the source that holds most,
    /// the connection whose peer took nothing for longest is closed, counted as <see cref="CoapCounter.SlowConnections"/>. A message that
    /// alone is more than the share of a source closes its connection.
    /// </summary>
    public long MaxStreamSendBytes { get; set => field = Check(value, 64 * 1024, long.MaxValue); } = 256L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="MaxFrameAssemblyBytes"/> and of <see cref="MaxStreamSendBytes"/> that the connections of one source
    /// (<see cref="CoapSource"/>) may take. Default 1/4; above 0, up to 1. The largest message of a connection fits in any case. When full:
    /// as there, of the connections of that source.
    /// </summary>
    public double StreamSourceShare { get; set =>
        field = value is > 0 and <= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 0.25;

    /// <summary>
    /// How many requests of one connection are served at a time. Default 1,000; 1 to 10,000,000. When full: nothing more is read from that
    /// connection until one is answered, counted as
    /// <see cref="CoapCounter.ReadingPauses"/>. All connections of a source together have its share of <see cref="MaxRequestsServed"/>.
    /// </summary>
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
