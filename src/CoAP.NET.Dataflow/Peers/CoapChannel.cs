using System.Runtime.CompilerServices;
using CoAP.NET.Messaging;
using CoAP.NET.Protection;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>One peer, as the mesh knows it: on UDP an address, port and local address.</summary>
/// <remarks>
/// It holds identity, parameters and the state of the stages. The mesh processes the items of a peer in the order of its channel.
/// </remarks>
public sealed class CoapChannel
{
    /// <summary>The number of leading bytes that a request touches: all but <see cref="Links"/>.</summary>
    internal const int OftenTouched = 120;

    // The runtime lays out references first, then numbers, then structs in declaration order. Fields of each request come before fields
    // that only the table of peers uses. Rare fields are in an object of their own.
    private ChannelLocalEnd _route;
    private RarePeerState? _rareState;
    private volatile bool _lacksLocal;
    private readonly ChannelKind _kind;
    private readonly CoapAddress _remote;

    // Guarded by Shard.Gate.
    internal CoapOutbox Outbox;

    /// <summary>The state of the peer in Messaging. Guarded by Shard.Gate. Unused on connections.</summary>
    internal PeerMessagingState Messaging = new();

    /// <summary>The links in the list of the table. Guarded by Shard.Gate.</summary>
    internal ChannelTableEntry Links;

    internal CoapChannel(CoapShard shard, CoapTransport transport, int transportTag, CoapAddress remote, CoapAddress local,
        CoapTransmissionParameters parameters)
        : this(shard.RouteOf(transport, transportTag, local), remote, parameters)
    {
    }

    /// <summary>
    /// Creates the channel of a connection (RFC 8323) or session (RFC 7252 section 9.1), which is one peer for its lifetime.
    /// </summary>
    internal CoapChannel(CoapShard shard, CoapConnection connection, CoapTransmissionParameters parameters)
        : this(connection.Transport.IsReliable
            ? new ChannelLocalEnd(shard, connection.Transport, 0, connection.Local)
            : shard.RouteOf(connection.Transport, 0, connection.Local), connection.Remote, parameters)
    {
        _kind = connection.Transport.IsReliable ? ChannelKind.Stream : ChannelKind.Session;
        _rareState = new RarePeerState { Connection = connection };
        IsVerified = true;
    }

    private CoapChannel(ChannelLocalEnd route, CoapAddress remote, CoapTransmissionParameters parameters)
    {
        _route = route;
        _remote = remote;
        Parameters = parameters;
    }

    /// <summary>Creates the channel of a protected peer. Another channel carries its messages.</summary>
    internal CoapChannel(CoapChannel carrier, CoapObjectSecurityContext context)
        : this(carrier._route, carrier._remote, ObjectSecurityPeerParameters.Of(carrier, context))
    {
        _kind = carrier._kind;
        _rareState = ObjectSecurityPeerParameters.RareStateOf(carrier, context, carrier._rareState);
        _rareState.LearnedFacts!.Carried = new ProtectedChannelData(carrier, context, context.MakePeer(Shard.Protection));
        _rareState.LearnedFacts.Carried.Peer.Channel = this;
        IsVerified = carrier.IsVerified;
    }

    private RarePeerState RareState => _rareState ?? Interlocked.CompareExchange(ref _rareState, new RarePeerState(), null) ?? _rareState;

    private LearnedPeerFacts LearnedFacts =>
        Volatile.Read(ref RareState.LearnedFacts) ?? Interlocked.CompareExchange(ref RareState.LearnedFacts, new LearnedPeerFacts(), null)
            ?? RareState.LearnedFacts;

    /// <summary>Returns the state of a chapter for this peer; null for none. Its chapter knows the locking.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal TPart? Part<TPart>(PeerFeatureKind slot)
        where TPart : class, IPeerFeatureState => (TPart?)_rareState?.Parts[(int)slot];

    /// <summary>Sets the state of a chapter; null for none.</summary>
    internal void SetPart(PeerFeatureKind slot, IPeerFeatureState? part) => RareState.Parts[(int)slot] = part;

    /// <summary>Stores the state of a chapter, unless another thread was first.</summary>
    /// <returns>The stored state.</returns>
    internal TPart StorePart<TPart>(PeerFeatureKind slot, TPart part)
        where TPart : class, IPeerFeatureState =>
        (TPart?)Interlocked.CompareExchange(ref RareState.Parts[(int)slot], part, null) ?? part;

    /// <summary>The carrying channel and the keys of a protected peer; null for unprotected peers.</summary>
    internal ProtectedChannelData? Carried => _rareState?.LearnedFacts?.Carried;

    /// <summary>The protected peers that this channel carries; null for none. Guarded by Shard.Gate.</summary>
    internal ProtectedPeersOfChannel? ProtectedOnes
    {
        get => _rareState?.ProtectedOnes;
        set => RareState.ProtectedOnes = value;
    }

    /// <summary>The Echo value from the peer that the next request must return (RFC 9175 section 2.3).</summary>
    internal byte[]? EchoToReturn
    {
        get => _rareState?.LearnedFacts is { } hints ? Volatile.Read(ref hints.EchoToReturn) : null;
        set => Volatile.Write(ref LearnedFacts.EchoToReturn, value);
    }

    /// <summary>Takes <see cref="EchoToReturn"/>, which is sent only once.</summary>
    internal byte[]? TakeEchoToReturn() => EchoToReturn is null ? null : Interlocked.Exchange(ref LearnedFacts.EchoToReturn, null);

    /// <summary>Items that wait for the thread that drains the outbox. Guarded by Shard.Gate.</summary>
    internal Queue<CoapOutbound>? Outbound
    {
        get => _rareState?.Outbound;
        set => RareState.Outbound = value;
    }

    /// <summary>The peer's address. It can change during a DTLS session (RFC 9146).</summary>
    public CoapAddress Remote => _kind == ChannelKind.Session ? _rareState!.Connection!.Remote : _remote;

    /// <summary>The connection or session of the channel; null when the peer is an address.</summary>
    public CoapConnection? Connection => IsConnection ? _rareState!.Connection : null;

    /// <summary>Whether the peer is the other end of <see cref="Connection"/> and ends with it; otherwise it is an address.</summary>
    internal bool IsConnection => _kind != ChannelKind.Address;

    /// <summary>
    /// The number of the connection or session within the endpoint, so state for one is invalid in another; 0 when the peer is an address.
    /// </summary>
    internal ulong Number
    {
        get => _rareState?.Number ?? 0;
        init => RareState.Number = value;
    }

    /// <summary>The connection that can be paused when there is no room for more; null on datagram transports.</summary>
    internal CoapConnection? Pausable => IsReliable ? _rareState!.Connection : null;

    /// <summary>Whether messages arrive in order and without loss, so RFC 8323 applies and not RFC 7252 section 4.</summary>
    public bool IsReliable => _kind == ChannelKind.Stream;

    /// <summary>Whether each message is one of the transport, as with WebSockets, so the format of RFC 8323 section 4.2 applies.</summary>
    internal bool HasMessages => IsReliable && _rareState!.Connection is { Transport: CoapStreamTransport { HasMessages: true } };

    /// <summary>The local address towards the peer; the wildcard when the operating system chooses.</summary>
    public CoapAddress Local => _route.Local;

    /// <summary>
    /// Whether the local address towards the peer is unknown because its first datagram went to a group. The first datagram to a local
    /// address reveals it. Set only when the channel is made; cleared once, under Shard.Gate.
    /// </summary>
    internal bool LacksLocal
    {
        get => _lacksLocal;
        init => _lacksLocal = value;
    }

    /// <summary>
    /// Sets the now known local address of a peer that was met through a group. Readers without the lock see all of it or nothing.
    /// </summary>
    internal void SetLocal(in CoapAddress local)
    {
        _route = Shard.RouteOf(Transport, TransportTag, local);
        _lacksLocal = false;
    }

    /// <summary>The transport that reaches the peer.</summary>
    public CoapTransport Transport => _route.Transport;

    /// <summary>Identifies the socket or connection within the transport.</summary>
    public int TransportTag => _route.Tag;

    /// <summary>The transmission parameters for the peer. A session may lower the maximum size of messages (RFC 8449).</summary>
    public CoapTransmissionParameters Parameters
    {
        get;
        internal set => field = Connection is CoapSession session && session.MaxMessageSize < value.MaxMessageSize
            ? value with { MaxMessageSize = Math.Max(session.MaxMessageSize, CoapTransmissionParameters.MinMessageSize) }
            : value;
    }

    /// <summary>
    /// Whether the peer has proven that it receives at its address, with a valid Echo (RFC 9175) or a finished handshake.
    /// </summary>
    public bool IsVerified { get; internal set; }

    /// <summary>
    /// Whether the peer had only one exchange so far, or several within a short time. Such peers share a small fixed table.
    /// </summary>
    internal bool IsNewcomer { get; set; }

    /// <summary>The security identity of the peer; null without DTLS or TLS.</summary>
    public object? Identity
    {
        get => _rareState is { } extras ? extras.LearnedFacts?.Identity ?? extras.Connection?.Identity : null;
        internal set => LearnedFacts.Identity = value;
    }

    /// <summary>Who the peer is by its <see cref="Identity"/>; null if that distinguishes nobody.</summary>
    internal CoapPeerId? PeerId =>
        _rareState?.LearnedFacts?.Identity is { } learned ? CoapPeerId.Of(learned) : _rareState?.Connection?.PeerId;

    internal CoapShard Shard => _route.Shard;

    /// <summary>
    /// The size exponent of the blocks that the peer last requested, plus one; 0 when it never did (RFC 7959 section 2.4). Unused on
    /// connections, where the CSM states the limits.
    /// </summary>
    internal byte AskedBlockSize { get; set; }

    /// <summary>
    /// The maximum number of bytes of a body in one message under BERT, whatever the peer takes. It bounds what is read and kept at a time
    /// for a peer that downloads a body.
    /// </summary>
    internal const int MaxBert = 1024 * 1024;

    /// <summary>
    /// Whether the endpoint must still ask for the parameters, outside the lock, because application code may decide them.
    /// </summary>
    internal bool AsksForParameters { get; set; }

    /// <summary>Asks for the parameters of a new channel. The caller must hold no lock.</summary>
    internal void AskForParameters()
    {
        AsksForParameters = false;
        CoapEnvironment environment = Shard.Environment;
        UserCodeScope.Enter();
        try
        {
            Parameters = environment.ParametersOf(Remote);
        }
#pragma warning disable CA1031 // a callback of the application must not cost the peer its datagrams
        catch (Exception exception)
#pragma warning restore CA1031
        {
            environment.Counters.Add(CoapCounter.StageErrors);
            Log.StageFailed(environment.Logger, exception);
        }
        finally
        {
            UserCodeScope.Exit();
        }
    }

    /// <summary>The time of the first datagram, in units of 100 ns. Guarded by Shard.Gate.</summary>
    internal long FirstSeen
    {
        get => Links.FirstSeen;
        set => Links.FirstSeen = value;
    }

    /// <summary>The time of the last datagram. See <see cref="FirstSeen"/>.</summary>
    internal long LastSeen { get; set => PeerActivityNotifier.Report(ref field, value, ref _rareState); }

    /// <summary>
    /// The number of exchanges, transmissions and observations that keep the channel from being forgotten. Guarded by Shard.Gate.
    /// </summary>
    internal int Pins
    {
        get => Links.Pins;
        set => Links.Pins = value;
    }

    /// <summary>Whether the channel was removed from its table. Written under Shard.Gate.</summary>
    internal bool IsForgotten
    {
        get => Volatile.Read(ref field);
        set => PeerActivityNotifier.Forget(ref field, value, ref _rareState);
    }

    /// <summary>Completes with the next message of the peer, or when the peer is forgotten.</summary>
    internal Task NextHeard => PeerActivityNotifier.Next(LearnedFacts, this);

    /// <summary>The expiry of <see cref="IsVerified"/>, in units of 100 ns; never after a handshake.</summary>
    internal long VerifiedUntil
    {
        get => _rareState?.VerifiedUntil ?? long.MaxValue;
        set => RareState.VerifiedUntil = value;
    }

    /// <summary>
    /// Whether the peer counts among the verified peers of its source, or exceeds the share of the source. Guarded by
    /// <see cref="AmplificationLimiter"/>.
    /// </summary>
    internal bool IsCountedVerified
    {
        get => _rareState?.IsCountedVerified ?? false;
        set => RareState.IsCountedVerified = value;
    }

    /// <summary>Whether the peer exceeds the share of its source. See <see cref="IsCountedVerified"/>.</summary>
    internal bool ExceedsSourceQuota { get; set; }

    /// <summary>Whether the peer may keep its place when others need it: it is verified and within the share of its source.</summary>
    internal bool IsProtected => IsVerified && !ExceedsSourceQuota;

    /// <summary>The bytes that the peer may get because it acknowledged messages. Guarded by <see cref="AmplificationLimiter"/>.</summary>
    internal int AmplificationCredit
    {
        get => _rareState?.AmplificationCredit ?? 0;
        set => RareState.AmplificationCredit = value;
    }

    /// <summary>Whether the peer understands long tokens, until <see cref="LongTokensUntil"/>.</summary>
    internal LongTokenSupport LongTokens
    {
        get => _rareState?.LearnedFacts is { } hints ? (LongTokenSupport)Volatile.Read(ref hints.LongTokens) : LongTokenSupport.Unknown;
        set => Volatile.Write(ref LearnedFacts.LongTokens, (int)value);
    }

    /// <summary>The expiry of <see cref="LongTokens"/>, in units of 100 ns.</summary>
    internal long LongTokensUntil
    {
        get => _rareState?.LearnedFacts?.LongTokensUntil ?? 0;
        set => LearnedFacts.LongTokensUntil = value;
    }

    internal bool IsSecure => Transport.IsSecure;

    /// <summary>Whether Q-Block is allowed with the peer. Never on reliable transports, which lose nothing.</summary>
    internal bool AllowsQBlock => !Transport.IsReliable && Shard.Environment.AllowsUnsecuredQBlock is { } allowsUnsecured
        && (allowsUnsecured || IsSecure || AuthenticatedIdentityCheck.IsKnown(Identity));

    /// <summary>Until when the peer is assumed to support Q-Block, in units of 100 ns. A hint, so not guarded.</summary>
    internal long KnowsQBlockUntil
    {
        get => _rareState?.LearnedFacts?.KnowsQBlockUntil ?? long.MinValue;
        set => LearnedFacts.KnowsQBlockUntil = value;
    }

    /// <summary>Until when the peer is assumed not to support Q-Block. See <see cref="KnowsQBlockUntil"/>.</summary>
    internal long LacksQBlockUntil
    {
        get => _rareState?.LearnedFacts?.LacksQBlockUntil ?? long.MinValue;
        set => LearnedFacts.LacksQBlockUntil = value;
    }

    /// <summary>Identifies the node at which the datagrams of the peer arrive, and which sends the answers; 0 for this one.</summary>
    internal int Via
    {
        get => _rareState?.LearnedFacts is { } hints ? Volatile.Read(ref hints.Via) : 0;
        set => Volatile.Write(ref LearnedFacts.Via, value);
    }

    /// <summary>The last dropped message from or to the peer, for diagnostics; null for none. Not guarded.</summary>
    internal LastDrop? LastDrop => _rareState?.LastDrop;

    /// <summary>
    /// Records for diagnostics that a message from or to the peer was dropped or refused. Skips newcomers when there are many, because a
    /// flood creates millions of them.
    /// </summary>
    internal void NoteDrop(CoapCounter reason)
    {
        if (!IsNewcomer || _rareState is not null || !Shard.HasManyNewcomers)
        {
            (RareState.LastDrop ??= new LastDrop()).Set(reason, Shard.Environment.Now);
        }
    }

    /// <summary>Returns true for the caller that must find out about long tokens.</summary>
    internal bool TryBeginTokenProbe() =>
        Interlocked.CompareExchange(ref LearnedFacts.LongTokens, (int)LongTokenSupport.Asking,
            (int)LongTokenSupport.Unknown) == (int)LongTokenSupport.Unknown;

    /// <summary>Whether the channel represents a group and not one peer (RFC 7252 section 8).</summary>
    internal bool IsGroup => Remote.IsMulticast;

    /// <summary>The keyed hash of the peer's address, which determines its place in the table.</summary>
    internal ulong AddressHash
    {
        get => Links.AddressHash;
        init => Links.AddressHash = value;
    }

    /// <summary>The block size in bytes that the peer requested for an upload; 0 before that. A hint, so not guarded.</summary>
    internal int UploadBlockSize
    {
        get => _rareState?.LearnedFacts?.UploadBlockSize ?? 0;
        set => LearnedFacts.UploadBlockSize = value;
    }

    /// <summary>Whether the peer is a proxy that refused Proxy-Uri and takes Proxy-Scheme (RFC 7252 section 5.10.2). A hint.</summary>
    internal bool TakesProxyScheme
    {
        get => _rareState?.LearnedFacts is { TakesProxyScheme: true };
        set => LearnedFacts.TakesProxyScheme = value;
    }

    /// <summary>The block size in bytes that the peer used for a download. See <see cref="UploadBlockSize"/>.</summary>
    internal int DownloadBlockSize
    {
        get => _rareState?.LearnedFacts?.DownloadBlockSize ?? 0;
        set => LearnedFacts.DownloadBlockSize = value;
    }

    /// <summary>Formats scheme and address for logs.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Transport.Scheme}://{Remote.ToString(Connection?.ServerName)}";

    /// <summary>The reason why the connection or session has ended; null before that.</summary>
    internal CoapConnectionException? EndReason
    {
        get => _rareState?.LearnedFacts?.EndReason;
        set => LearnedFacts.EndReason = value;
    }

    /// <summary>The maximum size of a message to the peer, in bytes.</summary>
    /// <remarks>On a connection the peer's Max-Message-Size (RFC 8323 section 5.3.1), else that of <see cref="Parameters"/>.</remarks>
    public int MaxMessageSize => !IsReliable ? Parameters.MaxMessageSize : PeerMaxMessageSize;

    /// <summary>The peer's Max-Message-Size; 1,152 until its CSM says otherwise.</summary>
    internal int PeerMaxMessageSize
    {
        get => Carried is { } carried ? ObjectSecurityPeerParameters.PeerMaxMessageSizeOf(carried)
            : _rareState?.LearnedFacts?.PeerMaxMessageSize ?? (int)Options.MaxMessageSizeOption.BaseValue;
        set => LearnedFacts.PeerMaxMessageSize = value;
    }

    /// <summary>Whether it has refused no block: a CSM that says nothing of blocks is no information (RFC 8323 section 5.3.2).</summary>
    internal bool TakesBlocks => Carried is { } carried ? carried.Carrier.TakesBlocks
        : _rareState?.LearnedFacts is not { RefusesBlocks: true };

    /// <summary>Whether its CSM tells of blocks (RFC 8323 section 5.3.2); only on a connection.</summary>
    internal bool ReportsBlockSupport
    {
        get => Carried is { } carried ? carried.Carrier.ReportsBlockSupport : _rareState?.LearnedFacts is { ReportsBlockSupport: true };
        set => LearnedFacts.ReportsBlockSupport = value;
    }

    /// <summary>
    /// Whether SZX 7 is allowed in both directions (RFC 8323 section 6): both ends support block-wise transfer and take more than 1,152
    /// bytes.
    /// </summary>
    internal bool TakesBert =>
        IsReliable && ReportsBlockSupport && PeerMaxMessageSize > Options.MaxMessageSizeOption.BaseValue
            && Shard.Environment.Limits.Connections.MaxMessageSize > Options.MaxMessageSizeOption.BaseValue;

    /// <summary>Records that it refused a block.</summary>
    internal void RefuseBlocks() => (Carried?.Carrier ?? this).LearnedFacts.RefusesBlocks = true;

    /// <summary>The longest token that the peer accepts according to its CSM (RFC 8974 section 2.2.1); only on a connection.</summary>
    internal int PeerMaxTokenLength
    {
        get => Carried is { } carried ? carried.Carrier.PeerMaxTokenLength
            : _rareState?.LearnedFacts?.PeerMaxTokenLength ?? CoapToken.MaxLength;
        set => LearnedFacts.PeerMaxTokenLength = value;
    }

    /// <summary>The peer's requests without an answer yet; null on datagram transports.</summary>
    internal ConnectionRequestCounter? Requests
    {
        get => IsReliable ? _rareState!.Requests : null;
        set => RareState.Requests = value;
    }

    /// <summary>
    /// The host of requests from the peer without Uri-Host (RFC 8323 section 8.5): the name from Server Name Indication or a Host header;
    /// null for the local address.
    /// </summary>
    internal string? DefaultHost => IsReliable && Connection is { IsInitiator: false, ServerName: { } name } ? name : null;

    /// <summary>
    /// The host of requests to the peer without Uri-Host (RFC 8323 section 8.5): the name sent with Server Name Indication or a Host
    /// header; null for its address.
    /// </summary>
    internal string? SentHost =>
        IsReliable && Connection is { IsInitiator: true, ServerName: { } name, Transport.ProvidesServerName: true } ? name : null;

    /// <summary>
    /// The state of the session's current address; null when the session never moved. <see cref="AmplificationLimiter"/> sets it.
    /// </summary>
    internal MovedAddressTraffic? Moved
    {
        get => _rareState?.LearnedFacts is { } hints ? Volatile.Read(ref hints.Moved) : null;
        set => Volatile.Write(ref LearnedFacts.Moved, value);
    }

    /// <summary>When the session got its current address, in units of 100 ns; the minimum value when it never moved.</summary>
    internal long MovedAt => Moved?.At ?? long.MinValue;

    /// <summary>Cancelled when the peer moves again during the check of its new address; null without a check.</summary>
    internal ref CancellationTokenSource? Probe => ref LearnedFacts.Probe;
}
