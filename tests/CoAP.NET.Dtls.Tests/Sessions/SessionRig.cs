namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>A server whose sessions come without handshakes, for tests of many sessions or threads.</summary>
internal sealed class SessionRig : IDtlsSessionOutput, IDisposable
{
    private static long s_nextCid = 0x0102030405060708;

    private readonly SharedHandshakeContext _context =
        new(new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]], OwnCidLength = DtlsServer.CidLength });
    private long _received;
    private long _sent;

    public SessionRig(
        DtlsServerLimits? limits = null, VirtualClock? clock = null, CoapDtlsSessionBackupOptions? backupOptions = null, ulong seed = 3,
        Func<DtlsSession, Task>? asks = null, ICoapPskStore? store = null)
    {
        Clock = clock ?? new VirtualClock();
        Server = new DtlsServer(_context, limits ?? new DtlsServerLimits(), store ?? new SameKey(), null, this, Clock,
            new VirtualRandom(seed), (_, work) => work())
        {
            BackupOptions = backupOptions,
            ConfirmsSession = asks,
            CheckFailed = (session, exception) => FailedChecks.Enqueue((session, exception)),
        };
    }

    /// <summary>The key of all clients.</summary>
    public static byte[] Key { get; } = "secretPSK"u8.ToArray();

    public VirtualClock Clock { get; }

    public DtlsServer Server { get; }

    public ConcurrentQueue<DtlsSession> Opened { get; } = new();

    public ConcurrentQueue<(DtlsSession Session, DtlsSessionEndReason Reason)> Closed { get; } = new();

    public ConcurrentQueue<(DtlsSession Session, DtlsPath From)> Moves { get; } = new();

    public ConcurrentQueue<(DtlsSession Session, Exception Exception)> FailedChecks { get; } = new();

    /// <summary>Called with each datagram of the server, if set.</summary>
    public Action<DtlsPath, byte[]>? OnSent { get; set; }

    /// <summary>Called with each message that is to be served, if set.</summary>
    public Action<byte[]>? OnReceived { get; set; }

    public long Received => Volatile.Read(ref _received);

    public long Sent => Volatile.Read(ref _sent);

    /// <summary>Maximum bytes of a record that its clients accept.</summary>
    public const int MaxContent = 16_000;

    public static byte[] Keys(int seed)
    {
        byte[] keys = new byte[CipherSuite.All[0].KeyBlockLength];
        new Random(seed).NextBytes(keys);
        return keys;
    }

    public static byte[] Record(RecordLayer client, ReadOnlySpan<byte> content, ContentType type = ContentType.ApplicationData)
    {
        byte[] record = new byte[client.RecordLength(content.Length)];
        Assert.Equal(record.Length, client.Seal(type, content, record));
        return record;
    }

    /// <summary>Makes a session of a client.</summary>
    public (DtlsSession Session, RecordLayer Client) Make(int host, bool withCid = true, string? identity = null,
        byte[]? lastFlight = null) =>
            Make(ServerBench.Path(host), host, withCid, identity ?? "user", lastFlight);

    /// <summary>Makes a session of a client at a path; null as its identity: it showed none.</summary>
    public (DtlsSession Session, RecordLayer Client) Make(DtlsPath path, int seed, bool withCid, string? identity,
        byte[]? lastFlight = null)
    {
        byte[] cid = withCid ? BitConverter.GetBytes(Interlocked.Increment(ref s_nextCid)) : [];
        byte[] keys = Keys(seed);
        RecordLayer records = new(CipherSuite.All[0], keys, true, cid, []);
        HandshakeResult established = new(records, lastFlight ?? [], 0, identity, null)
        {
            ClientCredentials = identity is null ? [] : ClientCredentialRecord.OfKey(Server.Random, Key),
            MaxContent = MaxContent,
        };
        DtlsSession session = Server.SessionBackup?.Make(established, path) ?? new DtlsSession(
            established, path, this, Clock)
        { Home = Server };
        return (session, new RecordLayer(CipherSuite.All[0], keys, false, [], cid));
    }

    /// <summary>Makes a session and opens it.</summary>
    public (DtlsSession Session, RecordLayer Client) Open(int host, bool withCid = true, string? identity = null, byte[]? lastFlight = null)
    {
        (DtlsSession session, RecordLayer client) = Make(host, withCid, identity, lastFlight);
        Server.Open(session);
        return (session, client);
    }

    /// <summary>Makes a session of a client at a port of an address and opens it; null as its identity: it showed none.</summary>
    public (DtlsSession Session, RecordLayer Client) Open(CoapAddress address, int port, string? identity)
    {
        (DtlsSession session, RecordLayer client) = Make(ServerBench.Path(address, port), port, withCid: true, identity);
        Server.Open(session);
        return (session, client);
    }

    public void Dispose()
    {
        Server.Dispose();
    }

    void IDtlsSessionOutput.Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        Interlocked.Increment(ref _sent);
        OnSent?.Invoke(path, datagram.ToArray());
    }

    void IDtlsSessionOutput.Opened(DtlsSession session) => Opened.Enqueue(session);

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content)
    {
        Interlocked.Increment(ref _received);
        OnReceived?.Invoke(content.ToArray());
    }

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from) => Moves.Enqueue((session, from));

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => Closed.Enqueue((session, reason));

    private sealed class SameKey : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => new(Key);
    }
}
