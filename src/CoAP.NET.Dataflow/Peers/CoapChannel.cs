using System.Runtime.CompilerServices;
using CoAP.NET.Messaging;
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
    private RareChannelState? _rare;
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
        _rare = new RareChannelState { Connection = connection };
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
        ProtectedChannelData carried = new(carrier, context, context.MakePeer(Shard.Protection));
        carried.Peer.Channel = this;
        _rare = new RareChannelState { Connection = carrier.Connection, Identity = context.Identity };
        SetFeatureState(PeerFeatureKind.Protection, carried);
        IsVerified = carrier.IsVerified;
    }

    private RareChannelState Rare => _rare ?? Interlocked.CompareExchange(ref _rare, new RareChannelState(), null) ?? _rare;

    /// <summary>Returns the state of a feature for this peer; null for none. The feature defines the locking.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal TState? FeatureState<TState>(PeerFeatureKind slot)
        where TState : class, IPeerFeatureState => (TState?)_rare?.Slots[(int)slot];

    /// <summary>Sets the state of a feature; null for none.</summary>
    internal void SetFeatureState(PeerFeatureKind slot, IPeerFeatureState? state) => Rare.Slots[(int)slot] = state;

    /// <summary>Stores the state of a feature, unless another thread was first.</summary>
    /// <returns>The stored state.</returns>
    internal TState StoreFeatureState<TState>(PeerFeatureKind slot, TState state)
        where TState : class, IPeerFeatureState =>
        (TState?)Interlocked.CompareExchange(ref Rare.Slots[(int)slot], state, null) ?? state;

    /// <summary>Returns the state of a feature; creates it if it is missing.</summary>
    internal TState GetOrAddFeatureState<TState>(PeerFeatureKind slot)
        where TState : class, IPeerFeatureState, new() => FeatureState<TState>(slot) ?? StoreFeatureState(slot, new TState());

    /// <summary>The carrying channel and the keys of a protected peer; null for unprotected peers.</summary>
    internal ProtectedChannelData? Carried => FeatureState<IPeerFeatureState>(PeerFeatureKind.Protection) as ProtectedChannelData;

    /// <summary>The channel whose messages the transport moves: this one, or its carrier.</summary>
    internal CoapChannel Wire => Carried?.Carrier ?? this;

    /// <summary>The peer's address. It can change during a DTLS session (RFC 9146).</summary>
    public CoapAddress Remote => _kind == ChannelKind.Session ? _rare!.Connection!.Remote : _remote;

    /// <summary>The connection or session of the channel; null when the peer is an address.</summary>
    public CoapConnection? Connection => IsConnection ? _rare!.Connection : null;

    /// <summary>Whether the peer is the other end of <see cref="Connection"/> and ends with it; otherwise it is an address.</summary>
    internal bool IsConnection => _kind != ChannelKind.Address;

    /// <summary>
    /// The number of the connection or session within the endpoint, so state for one is invalid in another; 0 when the peer is an address.
    /// </summary>
    internal ulong Number => Carried?.Number ?? Connection?.Number ?? 0;

    /// <summary>The connection that can be paused when there is no room for more; null on datagram transports.</summary>
    internal CoapConnection? Pausable => IsReliable ? _rare!.Connection : null;

    /// <summary>Whether messages arrive in order and without loss, so RFC 8323 applies and not RFC 7252 section 4.</summary>
    public bool IsReliable => _kind == ChannelKind.Stream;

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
    public ICoapPeerIdentity? Identity
    {
        get => _rare is { } rare ? rare.Identity ?? rare.Connection?.Identity : null;
        internal set => Rare.Identity = value;
    }

    /// <summary>The ID of the peer, from its <see cref="Identity"/>; null if that does not distinguish it from others.</summary>
    internal CoapPeerId? PeerId => _rare?.Identity is { } own ? own.Id : _rare?.Connection?.PeerId;

    internal CoapShard Shard => _route.Shard;

    /// <summary>
    /// The size exponent of the blocks that the peer last requested, plus one; 0 when it never did (RFC 7959 section 2.4). Unused on
    /// connections, where the CSM states the limits.
    /// </summary>
    internal byte AskedBlockSize { get; set; }

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

    /// <summary>The time of the last datagram, in units of 100 ns. Guarded by Shard.Gate.</summary>
    internal long LastSeen
    {
        get;
        set
        {
            field = value;

            // No fence in between: the waiter pays for one.
            Application?.OnHeard();
        }
    }

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
        set
        {
            Volatile.Write(ref field, value);
            Application?.OnHeard();
        }
    }

    // The application may wait for the next message of the peer.
    private CoapPeer? Application => (CoapPeer?)Volatile.Read(ref _rare)?.Slots[(int)PeerFeatureKind.Application];

    /// <summary>Whether the peer exceeds the share of its source. Guarded by <see cref="AmplificationLimiter"/>.</summary>
    internal bool ExceedsSourceQuota { get; set; }

    /// <summary>Whether the peer may keep its place when others need it: it is verified and within the share of its source.</summary>
    internal bool IsProtected => IsVerified && !ExceedsSourceQuota;

    internal bool IsSecure => Transport.IsSecure;

    /// <summary>Whether Q-Block is allowed with the peer. Never on reliable transports, which lose nothing.</summary>
    internal bool AllowsQBlock => !Transport.IsReliable && Shard.Environment.AllowsUnsecuredQBlock is { } allowsUnsecured
        && (allowsUnsecured || IsSecure || Identity is { IsKnown: true });

    /// <summary>
    /// Records for diagnostics that a message from or to the peer was dropped or refused. Skips newcomers when there are many, because a
    /// flood creates millions of them.
    /// </summary>
    internal void NoteDrop(CoapCounter reason)
    {
        if (!IsNewcomer || _rare is not null || !Shard.HasManyNewcomers)
        {
            GetOrAddFeatureState<LastDrop>(PeerFeatureKind.Diagnostics).Set(reason, Shard.Environment.Now);
        }
    }

    /// <summary>Whether the channel represents a group and not one peer (RFC 7252 section 8).</summary>
    internal bool IsGroup => Remote.IsMulticast;

    /// <summary>Formats scheme and address for logs.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Transport.Scheme}://{Remote.ToString(Connection?.ServerName)}";

    /// <summary>The maximum size of a message to the peer, in bytes.</summary>
    /// <remarks>On a connection the peer's Max-Message-Size (RFC 8323 section 5.3.1), else that of <see cref="Parameters"/>.</remarks>
    public int MaxMessageSize => !IsReliable ? Parameters.MaxMessageSize
        : Carried is { } carried ? carried.MaxMessageSize
        : _rare!.Connection!.Capabilities.MaxMessageSize;
}
