namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>
/// A client and a server on a path that a test changes, in virtual time: lost datagrams come back by the timers, and by the last flight
/// that an end repeats after its handshake.
/// </summary>
internal sealed class HandshakeScene : IDisposable
{
    public const string Identity = "user";
    private const int MaxTimeouts = 12;

    private static readonly byte[] s_key = "secretPSK"u8.ToArray();
    private static readonly byte[] s_address = [127, 0, 0, 1, 0x16, 0x34];
    private static readonly X509Certificate2 s_serverCertificate = MakeCertificate("server");
    private static readonly X509Certificate2 s_clientCertificate = MakeCertificate("client");
    private static readonly ECDsa s_serverKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private static readonly ECDsa s_clientKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    private readonly CookieIssuer _cookies;
    private readonly SharedHandshakeContext _serverContext;
    private readonly ServerResumptionCache? _store;
    private readonly List<byte[]> _fromServer = [];
    private readonly List<byte[]> _fromClient = [];
    private readonly ResumableSession? _session;
    private End? _clientEnd;
    private End? _serverEnd;

    public HandshakeScene(HandshakeKind kind, int mtu = 1_200)
    {
        Kind = kind;
        _cookies = new CookieIssuer(CoapRandomSource.Secure, Clock, FromMinutes(30));
        _store = kind == HandshakeKind.Resumed ? new ServerResumptionCache(time: Clock) : null;
        _serverContext = new SharedHandshakeContext(ServerSettings(kind) with { Mtu = mtu, Time = Clock, SessionStore = _store });
        SharedHandshakeContext clientContext = new(ClientSettings(kind) with { Mtu = mtu, Time = Clock });
        if (kind == HandshakeKind.Resumed)
        {
            Client = MakeClient(clientContext);
            Client.Start("device.example");
            Run();
            _session = new ResumableSession(Client.SaveSession()!, Clock.GetTimestamp(), Identity, null, default) { PskKey = [.. s_key] };
            Client.Dispose();
            Server!.Dispose();
            (Server, _clientEnd, _serverEnd) = (null, null, null);
        }

        Client = MakeClient(clientContext);
        Assert.True(_session is null || Client.Resume(_session));
    }

    public static X509Certificate2 ServerCertificate => s_serverCertificate;

    public static X509Certificate2 ClientCertificate => s_clientCertificate;

    public static byte[] Key => s_key;

    public static ECDsa ServerKey => s_serverKey;

    public static ECDsa ClientKey => s_clientKey;

    public HandshakeKind Kind { get; }

    public VirtualClock Clock { get; } = new();

    public ClientHandshake Client { get; }

    public ServerHandshake? Server { get; private set; }

    /// <summary>
    /// Decides which datagrams arrive, and in which order: gets those that one end sent at a time, and whether the client sent them. Null:
    /// all arrive.
    /// </summary>
    public Func<IReadOnlyList<byte[]>, bool, IEnumerable<byte[]>>? Path { get; set; }

    public static HandshakeSettings ClientSettings(HandshakeKind kind) => new()
    {
        IsServer = false,
        Suites = [SuiteOf(kind)],
        Certificate = kind == HandshakeKind.EcdsaMutual ? s_clientCertificate : null,
        RawPublicKey = kind == HandshakeKind.RawPublicKeys ? s_clientKey : null,
        TakesRawPublicKeys = kind == HandshakeKind.RawPublicKeys,
    };

    public static HandshakeSettings ServerSettings(HandshakeKind kind) => new()
    {
        IsServer = true,
        Suites = [SuiteOf(kind)],
        Certificate = kind is HandshakeKind.Ecdsa or HandshakeKind.EcdsaMutual ? s_serverCertificate : null,
        RawPublicKey = kind == HandshakeKind.RawPublicKeys ? s_serverKey : null,
        TakesRawPublicKeys = kind == HandshakeKind.RawPublicKeys,
        RequiresClientCertificate = kind is HandshakeKind.EcdsaMutual or HandshakeKind.RawPublicKeys,
        PskIdentityHint = kind == HandshakeKind.Psk ? "hint" : null,
    };

    public static ClientHandshake MakeClient(SharedHandshakeContext context, byte[]? ownCid = null) => new(context, ownCid, Identity, s_key)
    {
        Validate = (leaf, _, _) => new(leaf.Equals(s_serverCertificate)),
        ValidateRawPublicKey = static (key, _) => new(key.Span.SequenceEqual(s_serverKey.ExportSubjectPublicKeyInfo())),
    };

    public static ServerHandshake MakeServer(SharedHandshakeContext context) => new(context, null)
    {
        Validate = static (leaf, _, _) => new(leaf.Equals(s_clientCertificate)),
        ValidateRawPublicKey = static (key, _) => new(key.Span.SequenceEqual(s_clientKey.ExportSubjectPublicKeyInfo())),
        SessionIds = new SessionIdGenerator(CoapRandomSource.Secure, null),
    };

    /// <summary>Whether both ends have a session.</summary>
    public bool IsDone => Client.Status == HandshakeStatus.Done && Server?.Status == HandshakeStatus.Done;

    /// <summary>Runs the whole handshake, and checks that both ends have the same keys.</summary>
    public void Complete()
    {
        Client.Start("device.example");
        Run();
        AssertSession();
    }

    /// <summary>Carries datagrams and lets time pass, until both ends are done or one of them has given up.</summary>
    public void Run()
    {
        Carry();
        for (int i = 0; i < MaxTimeouts && !IsDone; i++)
        {
            TimeSpan? ofClient = Client.NextTimeout();
            TimeSpan? ofServer = Server?.NextTimeout();
            TimeSpan? first = ofServer is null || ofClient < ofServer ? ofClient : ofServer;
            if (first is not { } due)
            {
                return;
            }

            Clock.Advance(due);
            Client.OnTimeout();
            Server?.OnTimeout();
            Carry();
        }
    }

    /// <summary>Checks that both ends have the same keys: one message goes in each direction.</summary>
    public void AssertSession()
    {
        Assert.Equal((HandshakeStatus.Done, null), (Client.Status, Client.Failure));
        Assert.Equal((HandshakeStatus.Done, null), (Server!.Status, Server.Failure));
        Assert.Equal(Kind == HandshakeKind.Resumed, Client.IsResumed && Server.IsResumed);
        _clientEnd ??= new End(Client.Establish());
        _serverEnd ??= new End(Server.Establish());
        Assert.Equal("ping"u8.ToArray(), HandshakePair.Exchange(_clientEnd.Records, _serverEnd.Records, "ping"u8.ToArray()));
        Assert.Equal("pong"u8.ToArray(), HandshakePair.Exchange(_serverEnd.Records, _clientEnd.Records, "pong"u8.ToArray()));
    }

    public void ToClient(byte[] datagram)
    {
        if (_clientEnd is not null)
        {
            _clientEnd.Receive(datagram, _fromClient);
            return;
        }

        Client.Receive(datagram);
        Client.Answer();
        if (Client.Status == HandshakeStatus.Done)
        {
            _clientEnd = new End(Client.Establish());
        }
    }

    public void ToServer(byte[] datagram)
    {
        if (_serverEnd is not null)
        {
            _serverEnd.Receive(datagram, _fromServer);
            return;
        }

        if (Server is not null)
        {
            Server.Receive(datagram);
            Server.Answer();
        }
        else if (ClientHello.TryRead(datagram, out ClientHello hello))
        {
            if (!_cookies.Accepts(hello, s_address))
            {
                byte[] request = new byte[CookieIssuer.RequestLength];
                Assert.True(_cookies.TryWriteRequest(hello, s_address, request));
                _fromServer.Add(request);
                return;
            }

            Server = MakeServer(_serverContext);
            if (ClientHello.SessionIdOf(datagram) is { } id && _store?.TryTake(id, out byte[]? state) == true)
            {
                Server.Found(id, SavedResumption.Read(state));
            }

            Server.Start(datagram);
            Server.Answer();
        }

        if (Server?.Status == HandshakeStatus.WantsKey)
        {
            Server.GiveKey(s_key);
        }

        if (Server?.Status == HandshakeStatus.Done)
        {
            _serverEnd = new End(Server.Establish());
        }
    }

    public void Dispose()
    {
        Client.Dispose();
        Server?.Dispose();
        _session?.Dispose();
        _cookies.Dispose();
    }

    /// <summary>Carries datagrams until neither end has any.</summary>
    public void Carry()
    {
        while (true)
        {
            byte[][] ofClient = [.. Client.TakeOutput(), .. _fromClient];
            _fromClient.Clear();
            foreach (byte[] datagram in ofClient.Length == 0 ? [] : Path?.Invoke(ofClient, true) ?? ofClient)
            {
                ToServer([.. datagram]);
            }

            byte[][] ofServer = [.. Server?.TakeOutput() ?? [], .. _fromServer];
            _fromServer.Clear();
            foreach (byte[] datagram in ofServer.Length == 0 ? [] : Path?.Invoke(ofServer, false) ?? ofServer)
            {
                ToClient([.. datagram]);
            }

            if (ofClient.Length == 0 && ofServer.Length == 0)
            {
                return;
            }
        }
    }

    private static CipherSuite SuiteOf(HandshakeKind kind) => CipherSuite.All.First(suite => suite.KeyExchange == kind switch
    {
        HandshakeKind.Psk or HandshakeKind.Resumed => KeyExchange.Psk,
        HandshakeKind.EcdhePsk => KeyExchange.EcdhePsk,
        _ => KeyExchange.EcdheEcdsa,
    });

    private static X509Certificate2 MakeCertificate(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        return request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
    }

    // An end after its handshake: it answers a repeated Finished, as DtlsSession does.
    private sealed class End(HandshakeResult established)
    {
        private readonly LastFlight? _last =
            established.LastFlight.Length == 0 ? null : new LastFlight(established.LastFlight, 0, established.NextPlainSequence);

        public RecordLayer Records => established.Records;

        public void Receive(byte[] datagram, List<byte[]> answers)
        {
            foreach (byte[] record in Wire.Records(datagram))
            {
                Assert.True(RecordHeader.TryRead(record, 0, out RecordHeader header));
                if (header.Epoch == 1
                    && Records.Open(header, record, out ContentType type, out Range content, out _) == RecordOpenResult.Opened
                    && type == ContentType.Handshake && record[content][0] == (byte)HandshakeType.Finished && _last is not null)
                {
                    answers.Add(_last.Make(Records));
                }
            }
        }
    }
}
