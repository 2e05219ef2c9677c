namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>A server of sessions and its clients, whose datagrams are carried by hand on one thread.</summary>
internal sealed class ServerBench : IDtlsSessionOutput, IDisposable
{
    public static readonly byte[] Key = "secretPSK"u8.ToArray();

    private readonly SharedHandshakeContext _serverContext;
    private readonly Queue<(DtlsPath To, byte[] Bytes)> _toClients = new();
    private readonly Dictionary<CoapAddress, BenchClient> _clients = [];

    public ServerBench(DtlsServerLimits? limits = null, int cidLength = DtlsServer.CidLength, ICoapPskStore? store = null,
        bool isLossy = false)
    {
        // OpenSSL reads the clock of the system: where nothing is lost a slow machine must not make it say things twice.
        Clock = new VirtualClock();
        _serverContext =
            new SharedHandshakeContext(new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]], OwnCidLength = cidLength });
        ClientContext = new SharedHandshakeContext(new HandshakeSettings
        {
            IsServer = false,
            Suites = CipherSuite.All,
            OwnCidLength = 0,
            RetransmitTimeout = isLossy ? FromMilliseconds(100) : FromSeconds(30)
        });
        Server = new DtlsServer(_serverContext, limits ?? new DtlsServerLimits(), store ?? new OneKey(), null, this, Clock,
            new VirtualRandom(7), (_, work) => work())
        {
            HandshakeFailed = Failures.Add,
            WrongProof = (_, identity) => WrongProofs.Add(identity),
        };
    }

    public VirtualClock Clock { get; }

    public DtlsServer Server { get; }

    public SharedHandshakeContext ClientContext { get; }

    public List<DtlsSession> Opened { get; } = [];

    public List<(DtlsSession Session, byte[] Content)> Received { get; } = [];

    public List<(DtlsSession Session, DtlsSessionEndReason Reason)> Closed { get; } = [];

    public List<(DtlsSession Session, DtlsPath From)> Moves { get; } = [];

    public List<FailedClientHandshake> Failures { get; } = [];

    /// <summary>The identities of clients whose Finished did not open.</summary>
    public List<string?> WrongProofs { get; } = [];

    /// <summary>Whether what the server sends is lost.</summary>
    public Func<byte[], bool>? LosesOfServer { get; set; }

    /// <summary>Called when a session exists, and its handshake is not forgotten yet.</summary>
    public Action? OnOpened { get; set; }

    public long SentByServer { get; private set; }

    public void SentByServerReset() => SentByServer = 0;

    /// <summary>The path of a port of an address.</summary>
    public static DtlsPath Path(CoapAddress address, int port) => new(address with { Port = (ushort)port }, default, 0);

    public static DtlsPath Path(int host) => new(CoapAddress.FromIPv4(0x0A000000u + (uint)host, 40_000), default, 0);

    public BenchClient Connect(int host, string identity = "user", byte[]? key = null, bool withCid = true) =>
        Connect(Path(host), identity, key, withCid);

    public BenchClient Connect(DtlsPath path, string identity = "user", byte[]? key = null, bool withCid = true)
    {
        BenchClient client = new(ClientContext, Clock, (from, datagram) => Server.Receive(from, datagram), path, identity, key ?? Key,
            withCid);
        _clients[client.Path.Remote] = client;
        client.Handshake.Start(null);
        client.Flush();
        Carry();
        return client;
    }

    public void Move(BenchClient client, int host)
    {
        client.Path = Path(host);
        _clients[client.Path.Remote] = client;
    }

    public void Carry()
    {
        while (_toClients.TryDequeue(out (DtlsPath To, byte[] Bytes) one))
        {
            if (_clients.TryGetValue(one.To.Remote, out BenchClient? client))
            {
                client.Receive(one.Bytes);
            }
        }
    }

    public void Dispose()
    {
        Server.Dispose();
        foreach (BenchClient client in _clients.Values)
        {
            client.Handshake.Dispose();
        }

    }

    void IDtlsSessionOutput.Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        SentByServer += datagram.Length;
        byte[] bytes = datagram.ToArray();
        if (LosesOfServer?.Invoke(bytes) != true)
        {
            _toClients.Enqueue((path, bytes));
        }
    }

    void IDtlsSessionOutput.Opened(DtlsSession session)
    {
        Opened.Add(session);
        OnOpened?.Invoke();
    }

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content) =>
        Received.Add((session, content.ToArray()));

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from) => Moves.Add((session, from));

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => Closed.Add((session, reason));

    /// <summary>Knows one client.</summary>
    internal sealed class OneKey : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            new(identity == "user" ? Key : ReadOnlyMemory<byte>.Empty);
    }
}
