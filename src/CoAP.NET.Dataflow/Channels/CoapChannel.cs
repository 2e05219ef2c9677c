using CoAP.NET.Transports;

namespace CoAP.NET.Channels;

/// <summary>
/// One peer, as the mesh knows it: on UDP an address, port and local address. Holds identity, parameters and the state of the stages.
/// Everything of a peer is done in the order of its channel.
/// </summary>
public sealed class CoapChannel
{
    // Guarded by Shard.Gate: what each chapter of the handler keeps for this peer, made when first needed, and the outbox.
    internal object? MessagingState;
    internal object? ExchangeState;
    internal object? ObservingState;
    internal CoapOutbox Outbox;

    // Who opened the connection, if it was opened for requests. Guarded by that one's lock.
    internal object? ConnectingState;

    // An Echo value that the peer sent and that belongs into the next request to it (RFC 9175 section 2.3).
    internal byte[]? EchoToReturn;

    private int _longTokens;

    // The user's view of the peer; made when first asked for.
    internal object? Face;

    private CoapAddress _local;
    private volatile bool _lacksLocal;

    internal CoapChannel(CoapShard shard, CoapTransport transport, int transportTag, CoapAddress remote, CoapAddress local, CoapTransmissionParameters parameters)
    {
        Shard = shard;
        Transport = transport;
        TransportTag = transportTag;
        Remote = remote;
        _local = local;
        Parameters = parameters;
        TakesBlocks = !transport.IsReliable;
        HasMessages = transport is CoapStreamTransport { HasMessages: true };
    }

    /// <summary>Makes the channel of a connection (RFC 8323), which is one peer as long as it lasts.</summary>
    internal CoapChannel(CoapShard shard, CoapConnection connection, CoapTransmissionParameters parameters)
        : this(shard, connection.Transport, 0, connection.Remote, connection.Local, parameters)
    {
        Connection = connection;
        Identity = connection.Identity;
        IsVerified = true;
    }

    /// <summary>The peer's address.</summary>
    public CoapAddress Remote { get; }

    /// <summary>The connection, of which the channel is; null on transports of datagrams.</summary>
    public CoapConnection? Connection { get; }

    /// <summary>Whether messages arrive in order and are not lost, so that RFC 8323 holds and not RFC 7252 section 4.</summary>
    public bool IsReliable => Connection is not null;

    /// <summary>Whether each message is one of the transport, as of WebSockets, so that the format of RFC 8323 section 4.2 holds.</summary>
    internal bool HasMessages { get; }

    /// <summary>What a message to the peer may have, in bytes: on a connection the peer's Max-Message-Size (RFC 8323 section 5.3.1), otherwise that of <see cref="Parameters"/>.</summary>
    public int MaxMessageSize => Connection is null ? Parameters.MaxMessageSize : PeerMaxMessageSize;

    /// <summary>The peer's Max-Message-Size; 1,152 until its CSM says otherwise.</summary>
    internal int PeerMaxMessageSize { get; set; } = (int)Options.MaxMessageSize.BaseValue;

    /// <summary>Whether the peer may be sent Block1 and Block2: always on datagrams, on a connection when its CSM said so (RFC 8323 section 5.3.2).</summary>
    internal bool TakesBlocks { get; set; }

    /// <summary>Whether SZX 7 may be used in both directions (RFC 8323 section 6): both ends said that they know block-wise transfer, and take more than 1,152 bytes.</summary>
    internal bool TakesBert =>
        Connection is not null && TakesBlocks && PeerMaxMessageSize > Options.MaxMessageSize.BaseValue && Shard.Environment.Limits.MaxStreamMessageSize > Options.MaxMessageSize.BaseValue;

    /// <summary>The longest token that the peer takes, as its CSM said (RFC 8974 section 2.2.1); only on a connection.</summary>
    internal int PeerMaxTokenLength { get; set; } = CoapToken.MaxLength;

    /// <summary>The requests of the peer that have no answer yet; null on transports of datagrams. Set when the connection is opened.</summary>
    internal RequestsUnderWay? Requests { get; set; }

    /// <summary>The host that a request without Uri-Host means (RFC 8323 section 8.5): what the client called us by Server Name Indication or a Host header; null for our address.</summary>
    internal string? DefaultHost => Connection is { IsInitiator: false, ServerName: { } name } ? name : null;

    /// <summary>The host that our requests mean when they have no Uri-Host (RFC 8323 section 8.5): what we told the peer by Server Name Indication or a Host header; null for its address.</summary>
    internal string? ToldHost => Connection is { IsInitiator: true, ServerName: { } name, Transport.TellsServerName: true } ? name : null;

    /// <summary>Our address towards the peer; the wildcard when the operating system chooses.</summary>
    public CoapAddress Local => _lacksLocal ? default : _local;

    /// <summary>
    /// Whether the peer was met by what it sent to a group, so that our address towards it is not known yet: its first datagram to one address of ours
    /// tells it. Set only while the channel is made; ended once, under Shard.Gate.
    /// </summary>
    internal bool LacksLocal
    {
        get => _lacksLocal;
        init => _lacksLocal = value;
    }

    /// <summary>Our address towards a peer that was met by a group is known now. Readers without the lock see it whole or not at all.</summary>
    internal void SetLocal(in CoapAddress local)
    {
        _local = local;
        _lacksLocal = false;
    }

    /// <summary>The transport that reaches the peer.</summary>
    public CoapTransport Transport { get; }

    /// <summary>The number by which the transport knows its own socket or connection.</summary>
    public int TransportTag { get; }

    /// <summary>The transmission parameters towards the peer.</summary>
    public CoapTransmissionParameters Parameters { get; internal set; }

    /// <summary>Whether it was proven that the peer receives at its address: by a valid Echo (RFC 9175) or a finished handshake.</summary>
    public bool IsVerified { get; internal set; }

    /// <summary>Whether the peer had only one exchange so far, or several within a short time; such peers share a small fixed table.</summary>
    public bool IsNewcomer { get; internal set; }

    /// <summary>The security identity of the peer; null without DTLS or TLS.</summary>
    public object? Identity { get; internal set; }

    internal CoapShard Shard { get; }

    /// <summary>The size exponent of the blocks that the peer last asked for, plus one; 0 when it never did (RFC 7959 section 2.4). Not on connections, whose peers said in general what they take.</summary>
    internal byte AskedBlockSize { get; set; }

    /// <summary>Answers above so many bytes are sent to the peer in blocks. On a connection whatever fits a message goes in one; <see cref="CoapTransmissionParameters.PreferredBlockSize"/> is about datagrams.</summary>
    internal int BlockSize => Connection is not null ? PeerMaxMessageSize
        : AskedBlockSize == 0 ? Parameters.PreferredBlockSize : Math.Min(8 << AskedBlockSize, Parameters.PreferredBlockSize);

    /// <summary>The most of a body in bytes that is put into one message under BERT, whatever the peer takes: what is read and kept at a time for a peer that fetches a body.</summary>
    internal const int MaxBert = 1024 * 1024;

    /// <summary>The most of a body in bytes that one message may carry, for who reads it at its place.</summary>
    /// <param name="asked">The block that is asked for; null for none.</param>
    internal int LargestPart(Options.BlockValue? asked)
    {
        const int block = 16 << Options.BlockValue.MaxSizeExponent;
        return IsReliable && asked is null or { IsBert: true } ? Math.Clamp(MaxMessageSize, block, MaxBert) : block;
    }

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
    internal long FirstSeen { get; set; }

    /// <summary>See <see cref="FirstSeen"/>.</summary>
    internal long LastSeen { get; set; }

    /// <summary>Exchanges, transmissions and observations that forbid to forget the channel. Guarded by Shard.Gate.</summary>
    internal int Pins { get; set; }

    /// <summary>Whether the channel went out of its table. Written under Shard.Gate.</summary>
    internal bool IsForgotten
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Until when <see cref="IsVerified"/> holds, in units of 100 ns; for ever after a handshake.</summary>
    internal long VerifiedUntil { get; set; } = long.MaxValue;

    /// <summary>Whether it counts among the verified peers of its source, or is beyond what the source may have. Guarded by <see cref="AddressGuard"/>.</summary>
    internal bool IsCountedVerified { get; set; }

    /// <summary>See <see cref="IsCountedVerified"/>.</summary>
    internal bool IsBeyondShare { get; set; }

    /// <summary>Whether the peer may hold its place while others want it: it is verified, and its source has not too many of those.</summary>
    internal bool IsProtected => IsVerified && !IsBeyondShare;

    /// <summary>Bytes that the peer may get because it acknowledged messages of ours. Guarded by <see cref="AddressGuard"/>.</summary>
    internal int AmplificationCredit { get; set; }

    /// <summary>Whether the peer understands long tokens, until <see cref="LongTokensUntil"/>.</summary>
    internal LongTokenSupport LongTokens
    {
        get => (LongTokenSupport)Volatile.Read(ref _longTokens);
        set => Volatile.Write(ref _longTokens, (int)value);
    }

    /// <summary>See <see cref="LongTokens"/>; in units of 100 ns.</summary>
    internal long LongTokensUntil { get; set; }

    /// <summary>Whether Q-Block1 and Q-Block2 may be used with the peer; otherwise they are unknown options. Never on reliable transports, which lose nothing.</summary>
    internal bool AllowsQBlock => Shard.Environment.QBlock switch
    {
        CoapQBlock.Off => false,
        CoapQBlock.Secured => !Transport.IsReliable && (Identity is not null || Transport.IsSecure),
        _ => !Transport.IsReliable,
    };

    /// <summary>Until when, in units of 100 ns, the peer is taken to know Q-Block, and until when not to know it. Hints, so not guarded.</summary>
    internal long KnowsQBlockUntil { get; set; } = long.MinValue;

    /// <summary>See <see cref="KnowsQBlockUntil"/>.</summary>
    internal long LacksQBlockUntil { get; set; } = long.MinValue;

    /// <summary>Whether the caller is the one to find out about long tokens.</summary>
    internal bool TryBeginTokenProbe() =>
        Interlocked.CompareExchange(ref _longTokens, (int)LongTokenSupport.Asking, (int)LongTokenSupport.Unknown) == (int)LongTokenSupport.Unknown;

    /// <summary>Whether this stands for a group and not for one peer (RFC 7252 section 8).</summary>
    internal bool IsGroup => Remote.IsMulticast;

    /// <summary>The keyed hash of the peer's address; place in the table. Guarded by Shard.Gate, as are the links of the list it stands in.</summary>
    internal ulong AddressHash { get; init; }

    internal CoapChannel? Older { get; set; }

    internal CoapChannel? Newer { get; set; }

    /// <summary>The block size in bytes that the peer asked for when we uploaded, and the one it used when we downloaded; 0 before that. Hints, so not guarded (RFC 7959 sections 2.3 and 2.4).</summary>
    internal int UploadBlockSize { get; set; }

    /// <summary>See <see cref="UploadBlockSize"/>.</summary>
    internal int DownloadBlockSize { get; set; }

    /// <summary>Addresses and scheme for logs.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Transport.Scheme}://{Remote}";
}
