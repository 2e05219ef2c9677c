using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Observing;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <summary>
/// One peer, as the mesh knows it: on UDP an address, port and local address. Holds identity, parameters and the state of the stages.
/// Everything of a peer is done in the order of its channel.
/// </summary>
public sealed partial class CoapChannel
{
    /// <summary>How many bytes from its beginning on a request touches: all but <see cref="Links"/>.</summary>
    internal const int OftenTouched = 176;

    // The runtime lays out references first, then numbers, then structs in the order in which they stand here. What each request touches
    // comes before what only the table of peers touches; what few peers need is in an object of its own.
    private ChannelRoute _route;
    private ChannelExtras? _extras;
    private volatile bool _lacksLocal;
    private readonly ChannelKind _kind;
    private readonly CoapAddress _remote;

    // Guarded by Shard.Gate.
    internal CoapOutbox Outbox;

    /// <summary>What Messaging keeps for the peer. Guarded by Shard.Gate. Not on connections.</summary>
    internal MessagingState Messaging = new();

    /// <summary>Its place in the list of the table. Guarded by Shard.Gate.</summary>
    internal ChannelLinks Links;

    internal CoapChannel(CoapShard shard, CoapTransport transport, int transportTag, CoapAddress remote, CoapAddress local,
        CoapTransmissionParameters parameters)
        : this(shard.RouteOf(transport, transportTag, local), remote, parameters)
    {
    }

    /// <summary>
    /// Makes the channel of a connection (RFC 8323) or of a session (RFC 7252 section 9.1), which is one peer as long as it lasts.
    /// </summary>
    internal CoapChannel(CoapShard shard, CoapConnection connection, CoapTransmissionParameters parameters)
        : this(connection.Transport.IsReliable
            ? new ChannelRoute(shard, connection.Transport, 0, connection.Local)
            : shard.RouteOf(connection.Transport, 0, connection.Local), connection.Remote, parameters)
    {
        _kind = connection.Transport.IsReliable ? ChannelKind.Stream : ChannelKind.Session;
        _extras = new ChannelExtras { Connection = connection };
        IsVerified = true;
    }

    private CoapChannel(ChannelRoute route, CoapAddress remote, CoapTransmissionParameters parameters)
    {
        _route = route;
        _remote = remote;
        Parameters = parameters;
    }

    /// <summary>Makes the channel of a protected peer, whose messages another channel carries.</summary>
    internal CoapChannel(CoapChannel carrier, CoapSecurityContext context)
        : this(carrier._route, carrier._remote, ProtectedParameters.Of(carrier, context))
    {
        _kind = carrier._kind;
        _extras = ProtectedParameters.ExtrasOf(carrier, context, carrier._extras);
        _extras.Hints!.Carried = new CarriedChannel(carrier, context, context.MakePeer(Shard.Protection));
        _extras.Hints.Carried.Peer.Channel = this;
        IsVerified = carrier.IsVerified;
    }

    private ChannelExtras Extras => _extras ?? Interlocked.CompareExchange(ref _extras, new ChannelExtras(), null) ?? _extras;

    private ChannelHints Hints =>
        Volatile.Read(ref Extras.Hints) ?? Interlocked.CompareExchange(ref Extras.Hints, new ChannelHints(), null) ?? Extras.Hints;

    /// <summary>
    /// What each chapter of the handler keeps for this peer, made when first needed. Guarded by Shard.Gate. Of Signalling only on
    /// connections.
    /// </summary>
    internal ConnectionState? SignallingState
    {
        get => _extras?.SignallingState;
        set => Extras.SignallingState = value;
    }

    /// <summary>See <see cref="SignallingState"/>.</summary>
    internal PeerExchanges? ExchangeState
    {
        get => _extras?.ExchangeState;
        set => Extras.ExchangeState = value;
    }

    /// <summary>See <see cref="SignallingState"/>.</summary>
    internal PeerObservers? ObservingState
    {
        get => _extras?.ObservingState;
        set => Extras.ObservingState = value;
    }

    /// <summary>Who opened the connection, if it was opened for requests. Guarded by that one's lock.</summary>
    internal ConnectionTarget? ConnectingState
    {
        get => _extras?.Hints?.ConnectingState;
        set => Hints.ConnectingState = value;
    }

    /// <summary>By which channel, and with which keys, messages of a protected peer go; null of peers whose messages go as they
    /// are.</summary>
    internal CarriedChannel? Carried => _extras?.Hints?.Carried;

    /// <summary>The protected peers behind it; null for none. Guarded by Shard.Gate.</summary>
    internal ProtectedChannels? ProtectedOnes
    {
        get => _extras?.ProtectedOnes;
        set => Extras.ProtectedOnes = value;
    }

    /// <summary>An Echo value that the peer sent and that belongs into the next request to it (RFC 9175 section 2.3).</summary>
    internal byte[]? EchoToReturn
    {
        get => _extras?.Hints is { } hints ? Volatile.Read(ref hints.EchoToReturn) : null;
        set => Volatile.Write(ref Hints.EchoToReturn, value);
    }

    /// <summary>Takes <see cref="EchoToReturn"/>, which is sent once.</summary>
    internal byte[]? TakeEchoToReturn() => EchoToReturn is null ? null : Interlocked.Exchange(ref Hints.EchoToReturn, null);

    /// <summary>
    /// The user's view of the peer; made when first asked for. Two threads may both make one; the first that is stored is everybody's.
    /// </summary>
    internal CoapPeer? Face => _extras?.Face;

    /// <summary>See <see cref="Face"/>.</summary>
    /// <returns>The one that is stored.</returns>
    internal CoapPeer StoreFace(CoapPeer face) => Interlocked.CompareExchange(ref Extras.Face, face, null) ?? face;

    /// <summary>What waits for the one who drains the outbox. Guarded by Shard.Gate.</summary>
    internal Queue<CoapOutbound>? Outbound
    {
        get => _extras?.Outbound;
        set => Extras.Outbound = value;
    }

    /// <summary>The peer's address. Of a session it may change.</summary>
    public CoapAddress Remote => _kind == ChannelKind.Session ? _extras!.Connection!.Remote : _remote;

    /// <summary>The connection or session, of which the channel is; null where a peer is an address.</summary>
    public CoapConnection? Connection => IsConnection ? _extras!.Connection : null;

    /// <summary>
    /// Whether the peer is what is at the other end of <see cref="Connection"/>, and gone when that has ended; otherwise it is an address.
    /// </summary>
    internal bool IsConnection => _kind != ChannelKind.Address;

    /// <summary>
    /// The number of the connection or session among those of the endpoint, so that what was made for one is worth nothing in another; 0
    /// where a peer is an address.
    /// </summary>
    internal ulong Number
    {
        get => _extras?.Number ?? 0;
        init => Extras.Number = value;
    }

    /// <summary>What can be stopped when there is no room for more; null on transports of datagrams.</summary>
    internal CoapConnection? Pausable => IsReliable ? _extras!.Connection : null;

    /// <summary>Whether messages arrive in order and are not lost, so that RFC 8323 holds and not RFC 7252 section 4.</summary>
    public bool IsReliable => _kind == ChannelKind.Stream;

    /// <summary>Whether each message is one of the transport, as of WebSockets, so that the format of RFC 8323 section 4.2 holds.</summary>
    internal bool HasMessages => IsReliable && _extras!.Connection is { Transport: CoapStreamTransport { HasMessages: true } };

    /// <summary>Our address towards the peer; the wildcard when the operating system chooses.</summary>
    public CoapAddress Local => _route.Local;

    /// <summary>
    /// Whether the peer was met by what it sent to a group, so that our address towards it is not known yet: its first datagram to one
    /// address of ours tells it. Set only while the channel is made; ended once, under Shard.Gate.
    /// </summary>
    internal bool LacksLocal
    {
        get => _lacksLocal;
        init => _lacksLocal = value;
    }

    /// <summary>
    /// Our address towards a peer that was met by a group is known now. Readers without the lock see it whole or not at all.
    /// </summary>
    internal void SetLocal(in CoapAddress local)
    {
        _route = Shard.RouteOf(Transport, TransportTag, local);
        _lacksLocal = false;
    }

    /// <summary>The transport that reaches the peer.</summary>
    public CoapTransport Transport => _route.Transport;

    /// <summary>The number by which the transport knows its own socket or connection.</summary>
    public int TransportTag => _route.Tag;

    /// <summary>The transmission parameters towards the peer.</summary>
    public CoapTransmissionParameters Parameters { get; internal set; }

    /// <summary>Whether it was proven that the peer receives at its address: by a valid Echo (RFC 9175) or a finished handshake.</summary>
    public bool IsVerified { get; internal set; }

    /// <summary>
    /// Whether the peer had only one exchange so far, or several within a short time; such peers share a small fixed table.
    /// </summary>
    public bool IsNewcomer { get; internal set; }

    /// <summary>The security identity of the peer; null without DTLS or TLS.</summary>
    public object? Identity
    {
        get => _extras is { } extras ? extras.Hints?.Identity ?? extras.Connection?.Identity : null;
        internal set => Hints.Identity = value;
    }

    internal CoapShard Shard => _route.Shard;

    /// <summary>
    /// The size exponent of the blocks that the peer last asked for, plus one; 0 when it never did (RFC 7959 section 2.4). Not on
    /// connections, whose peers said in general what they take.
    /// </summary>
    internal byte AskedBlockSize { get; set; }

    /// <summary>
    /// The most of a body in bytes that is put into one message under BERT, whatever the peer takes: what is read and kept at a time for a
    /// peer that fetches a body.
    /// </summary>
    internal const int MaxBert = 1024 * 1024;

    /// <summary>Whether its parameters have yet to be asked for, which is done outside the lock: a user may decide them.</summary>
    internal bool AsksForParameters { get; set; }

    /// <summary>Asks for the parameters of a channel that is new. No lock may be held.</summary>
    internal void AskForParameters()
    {
        AsksForParameters = false;
        CoapEnvironment environment = Shard.Environment;
        UserCode.Enter();
        try
        {
            Parameters = environment.ParametersOf(Remote);
        }
#pragma warning disable CA1031 // a callback of a user must not cost the peer its datagrams
        catch (Exception exception)
#pragma warning restore CA1031
        {
            environment.Counters.Add(CoapCounter.StageErrors);
            Log.StageFailed(environment.Logger, exception);
        }
        finally
        {
            UserCode.Exit();
        }
    }

    /// <summary>When the first and the last datagram came, in units of 100 ns. Guarded by Shard.Gate.</summary>
    internal long FirstSeen
    {
        get => Links.FirstSeen;
        set => Links.FirstSeen = value;
    }

    /// <summary>See <see cref="FirstSeen"/>.</summary>
    internal long LastSeen { get; set => PeerHearing.Tell(_extras, field = value); }

    /// <summary>Exchanges, transmissions and observations that forbid to forget the channel. Guarded by Shard.Gate.</summary>
    internal int Pins
    {
        get => Links.Pins;
        set => Links.Pins = value;
    }

    /// <summary>Whether the channel went out of its table. Written under Shard.Gate.</summary>
    internal bool IsForgotten
    {
        get => Volatile.Read(ref field);
        set => PeerHearing.Forget(_extras, ref field, value);
    }

    /// <summary>Ends when something of the peer comes next, or it is forgotten.</summary>
    internal Task NextHeard => PeerHearing.Next(Hints, this);

    /// <summary>Until when <see cref="IsVerified"/> holds, in units of 100 ns; for ever after a handshake.</summary>
    internal long VerifiedUntil
    {
        get => _extras?.VerifiedUntil ?? long.MaxValue;
        set => Extras.VerifiedUntil = value;
    }

    /// <summary>
    /// Whether it counts among the verified peers of its source, or is beyond what the source may have. Guarded by
    /// <see cref="AddressGuard"/>.
    /// </summary>
    internal bool IsCountedVerified
    {
        get => _extras?.IsCountedVerified ?? false;
        set => Extras.IsCountedVerified = value;
    }

    /// <summary>See <see cref="IsCountedVerified"/>.</summary>
    internal bool IsBeyondShare { get; set; }

    /// <summary>Whether the peer may hold its place while others want it: verified, and its source has not too many of those.</summary>
    internal bool IsProtected => IsVerified && !IsBeyondShare;

    /// <summary>Bytes that the peer may get because it acknowledged messages of ours. Guarded by <see cref="AddressGuard"/>.</summary>
    internal int AmplificationCredit
    {
        get => _extras?.AmplificationCredit ?? 0;
        set => Extras.AmplificationCredit = value;
    }

    /// <summary>Whether the peer understands long tokens, until <see cref="LongTokensUntil"/>.</summary>
    internal LongTokenSupport LongTokens
    {
        get => _extras?.Hints is { } hints ? (LongTokenSupport)Volatile.Read(ref hints.LongTokens) : LongTokenSupport.Unknown;
        set => Volatile.Write(ref Hints.LongTokens, (int)value);
    }

    /// <summary>See <see cref="LongTokens"/>; in units of 100 ns.</summary>
    internal long LongTokensUntil
    {
        get => _extras?.Hints?.LongTokensUntil ?? 0;
        set => Hints.LongTokensUntil = value;
    }

    /// <summary>
    /// Whether Q-Block1 and Q-Block2 may be used with the peer; otherwise they are unknown options. Never on reliable transports, which
    /// lose nothing.
    /// </summary>
    internal bool AllowsQBlock => Shard.Environment.QBlock switch
    {
        CoapQBlock.Off => false,
        CoapQBlock.Secured => !Transport.IsReliable && (Transport.IsSecure || PeerIdentity.IsKnown(Identity)),
        _ => !Transport.IsReliable,
    };

    /// <summary>
    /// Until when, in units of 100 ns, the peer is taken to know Q-Block, and until when not to know it. Hints, so not guarded.
    /// </summary>
    internal long KnowsQBlockUntil
    {
        get => _extras?.Hints?.KnowsQBlockUntil ?? long.MinValue;
        set => Hints.KnowsQBlockUntil = value;
    }

    /// <summary>See <see cref="KnowsQBlockUntil"/>.</summary>
    internal long LacksQBlockUntil
    {
        get => _extras?.Hints?.LacksQBlockUntil ?? long.MinValue;
        set => Hints.LacksQBlockUntil = value;
    }

    /// <summary>
    /// What of the peer, or to it, was dropped last, for people who look for the reason; null when nothing was. Not guarded.
    /// </summary>
    internal DropNote? LastDrop => _extras?.LastDrop;

    /// <summary>
    /// Notes that something of the peer, or to it, was dropped or refused. Not of newcomers when there are many: nobody looks for the
    /// reason of each, and a flood makes them by the million.
    /// </summary>
    internal void NoteDrop(CoapCounter reason)
    {
        if (!IsNewcomer || _extras is not null || !Shard.HasManyNewcomers)
        {
            (Extras.LastDrop ??= new DropNote()).Set(reason, Shard.Environment.Now);
        }
    }

    /// <summary>Whether the caller is the one to find out about long tokens.</summary>
    internal bool TryBeginTokenProbe() =>
        Interlocked.CompareExchange(ref Hints.LongTokens, (int)LongTokenSupport.Asking,
            (int)LongTokenSupport.Unknown) == (int)LongTokenSupport.Unknown;

    /// <summary>Whether this stands for a group and not for one peer (RFC 7252 section 8).</summary>
    internal bool IsGroup => Remote.IsMulticast;

    /// <summary>The keyed hash of the peer's address; place in the table.</summary>
    internal ulong AddressHash
    {
        get => Links.AddressHash;
        init => Links.AddressHash = value;
    }

    /// <summary>
    /// The block size in bytes that the peer asked for when we uploaded, and the one it used when we downloaded; 0 before that. Hints, so
    /// not guarded (RFC 7959 sections 2.3 and 2.4).
    /// </summary>
    internal int UploadBlockSize
    {
        get => _extras?.Hints?.UploadBlockSize ?? 0;
        set => Hints.UploadBlockSize = value;
    }

    /// <summary>See <see cref="UploadBlockSize"/>.</summary>
    internal int DownloadBlockSize
    {
        get => _extras?.Hints?.DownloadBlockSize ?? 0;
        set => Hints.DownloadBlockSize = value;
    }

    /// <summary>Addresses and scheme for logs.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Transport.Scheme}://{Remote}";
}
