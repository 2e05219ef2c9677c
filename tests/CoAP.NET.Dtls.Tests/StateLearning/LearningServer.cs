namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>The server of a client whose states are learned. The client has begun its first handshake.</summary>
internal sealed class LearningServer : LearningPeer
{
    private const ushort OtherSuite = 0xC02C;
    private static readonly DtlsPath s_path = new(CoapAddress.FromIPv4(0xC0000201, 5684), default, 1);
    private static readonly byte[] s_ticket = [.. Enumerable.Range(1, 50).Select(static i => (byte)i)];

    private readonly DtlsClient _client;
    private readonly ConcurrentQueue<int> _hellos = new();
    private Task<DtlsSession> _connect = Task.FromException<DtlsSession>(new InvalidOperationException());
    private (bool IsResumed, bool HasExtendedMasterSecret) _offered;
    private int _hellosBefore;
    private bool _isRefused;

    public LearningServer(LearnedClient owner)
        : base(owner.Handshake, isServer: true)
    {
        DtlsClientSettings sessions = new()
        {
            SelectPsk = static (_, _) => new(new CoapPskCredential(HandshakeScene.Identity, HandshakeScene.Key)),
            Certificates = new PeerCertificateValidator
            {
                IsOfServers = true,
                Authorities = [HandshakeScene.ServerCertificate],
                Decides = static (leaf, _, _, _) => new(leaf.Equals(HandshakeScene.ServerCertificate)),
            },
            ValidateRawPublicKey = static (_, key, _) =>
                new(key.Span.SequenceEqual(HandshakeScene.ServerKey.ExportSubjectPublicKeyInfo())),
        };
        _client = new DtlsClient(owner.Context, sessions, this, owner.Clock, new VirtualRandom(11), static (_, work) => work())
        {
            Trace = (_, entry) => OnTrace(entry),
        };
        if (owner.Handshake.Resumption != ResumptionBy.None)
        {
            bool hasTicket = owner.Handshake.Resumption == ResumptionBy.Ticket;
            byte[] state = new ResumptionState(Suite, [.. LearnedHandshake.EarlierMaster], hasTicket ? [] : LearnedHandshake.EarlierId,
                hasTicket ? s_ticket : []).ToBytes();
            ResumableSession session = new(state, owner.Clock.GetTimestamp(), HandshakeScene.Identity, null, default)
            {
                PskKey = [.. HandshakeScene.Key],
            };
            _client.Resumptions.Put(s_path.Remote, null, session);
        }

        _ = Step("connect");
    }

    public static IReadOnlyList<string> InputsOf(LearnedHandshake handshake) =>
    [
        "connect", "HelloVerifyRequest", "ServerHello", "ServerHello (other suite)",
        .. handshake.Resumption == ResumptionBy.None
            ? (string[])[] : ["ServerHello (resumed)", "ServerHello (resumed, no extended master secret)"],
        "Certificate", "Certificate (none)", "Certificate (not trusted)", "ServerKeyExchange",
        .. handshake.Kind == HandshakeKind.Psk ? (string[])[] : ["ServerKeyExchange (wrong)"],
        "CertificateRequest", "ServerHelloDone", "NewSessionTicket",
        .. CommonInputs, .. handshake.HasCid ? (string[])["data (no Connection ID)"] : [], "30 s",
        "HelloRequest", "ClientHello", "ClientKeyExchange", "CertificateVerify", "CertificateStatus",
    ];

    protected override bool TrySend(string input)
    {
        _isRefused = false;
        _hellosBefore = _hellos.Count;
        switch (input)
        {
            case "connect":
                if (_client.HandshakeCount == 0)
                {
                    _connect = _client.ConnectAsync(s_path, null, CancellationToken.None);
                }

                break;
            case "HelloVerifyRequest":
                SendMessage(HandshakeType.HelloVerifyRequest,
                    static writer => writer.UInt16(RecordHeader.Version).Vector(1, new byte[20]), number: 0);
                break;
            case "ServerHello":
                SendHello(Suite.Id, isResumed: false, hasExtendedMasterSecret: true);
                break;
            case "ServerHello (other suite)":
                SendHello(OtherSuite, isResumed: false, hasExtendedMasterSecret: true);
                break;
            case "ServerHello (resumed)":
                SendHello(Suite.Id, isResumed: true, hasExtendedMasterSecret: true);
                break;
            case "ServerHello (resumed, no extended master secret)":
                SendHello(Suite.Id, isResumed: true, hasExtendedMasterSecret: false);
                break;
            case "Certificate":
                SendCertificate(HandshakeScene.ServerKey, HandshakeScene.ServerCertificate);
                break;
            case "Certificate (none)":
                SendMessage(HandshakeType.Certificate, static writer => writer.Vector(3, []));
                break;
            case "Certificate (not trusted)":
                SendCertificate(OtherKey, HandshakeScene.ClientCertificate);
                break;
            case "ServerKeyExchange":
                SendMessage(HandshakeType.ServerKeyExchange, writer => WriteKeyExchange(
                    writer, Handshake.Kind == HandshakeKind.RawPublicKeys ? HandshakeScene.ServerKey : ServerKey, OwnPoint));
                break;
            case "ServerKeyExchange (wrong)":
                byte[] point = Suite.UsesPreSharedKey ? [4, .. new byte[64]] : OwnPoint;
                SendMessage(HandshakeType.ServerKeyExchange, writer => WriteKeyExchange(writer, OtherKey, point));
                break;
            case "CertificateRequest":
                SendMessage(HandshakeType.CertificateRequest, static writer => writer.Vector(1, [64]).Vector(2, [4, 3]).Vector(2, []));
                break;
            case "ServerHelloDone":
                SendMessage(HandshakeType.ServerHelloDone, static writer => writer);
                break;
            case "NewSessionTicket":
                SendMessage(HandshakeType.NewSessionTicket, static writer => writer.Bytes([0, 0, 0, 9]).Vector(2, s_ticket));
                break;
            case "30 s":
                _isRefused = _client.HandshakeCount > 0;
                ((VirtualClock)_client.Time).Advance(FromSeconds(30));
                _client.Tick();
                break;
            default:
                return false;
        }

        return true;
    }

    protected override void Pass(byte[] datagram) => _client.Receive(s_path, datagram);

    // A client that is refused may begin again without the earlier session, on a thread of the pool.
    protected override void Settle()
    {
        if (_isRefused)
        {
            Assert.True(SpinWait.SpinUntil(() => _connect.IsCompleted || _hellos.Count > _hellosBefore, FromMinutes(1)));
            Note(_hellos.Count > _hellosBefore ? "again" : "failed");
        }
    }

    protected override void OnProcessed(HandshakeType type, byte[] message)
    {
        Commit(message, counts: type != HandshakeType.HelloVerifyRequest);
        if (type == HandshakeType.ServerHello)
        {
            Current.HasExtendedMasterSecret = _offered.HasExtendedMasterSecret;
            if (_offered.IsResumed && Current.OffersSession)
            {
                UseKeys([.. LearnedHandshake.EarlierMaster]);
            }
        }
    }

    protected override void OnMessage(HandshakeType type, ReadOnlySpan<byte> body, byte[] message)
    {
        MessageReader reader = new(body);
        if (type == HandshakeType.ClientHello)
        {
            ReadHello(ref reader, message);
            return;
        }

        Current.Transcript.AddRange(message);
        if (type == HandshakeType.ClientKeyExchange)
        {
            _ = Suite.UsesPreSharedKey ? reader.ReadVector(2) : default;
            Current.PeerPoint = reader.IsEmpty ? [] : reader.ReadVector(1).ToArray();
            UseKeys();
        }
    }

    protected override void DisposeSystem()
    {
        _client.Dispose();

        // Its failure is of no interest.
        _ = _connect.ContinueWith(static task => task.Exception, TaskScheduler.Default);
    }

    private void OnTrace(HandshakeMessageLogEntry entry)
    {
        Trace(entry);

        // An alert that it sends, or gets with protection, ends its handshake.
        _isRefused |= entry.Message.EndsWith(')') && entry.Detail != "It was not protected, so any host could have sent it.";
    }

    private void ReadHello(ref MessageReader reader, byte[] message)
    {
        _ = reader.ReadUInt16();
        byte[] random = reader.Read(32).ToArray();
        byte[] sessionId = reader.ReadVector(1).ToArray();
        if (!random.AsSpan().SequenceEqual(Current.PeerRandom))
        {
            Current = new HandshakeAttempt { PeerRandom = random, SessionId = sessionId, OffersSession = sessionId.Length > 0 };
            _hellos.Enqueue(0);
        }

        _ = reader.ReadVector(1);
        _ = reader.ReadVector(2);
        _ = reader.ReadVector(1);
        ExtensionReader extensions = new(reader.ReadVector(2), stackalloc ushort[ExtensionReader.MaxCount]);
        while (extensions.TryRead(out ushort number, out MessageReader content))
        {
            Current.PeerCid = number == 54 ? content.ReadVector(1).ToArray() : Current.PeerCid;
        }

        Current.Transcript.Clear();
        Current.Transcript.AddRange(message);
    }

    private void SendHello(ushort suite, bool isResumed, bool hasExtendedMasterSecret)
    {
        _offered = (isResumed, hasExtendedMasterSecret);
        SendMessage(HandshakeType.ServerHello, hello =>
        {
            _ = hello.UInt16(RecordHeader.Version).Bytes(Current.OwnRandom).Vector(1, isResumed ? Current.SessionId : [])
                .UInt16(suite).Byte(0);
            int extensions = hello.BeginVector(2);
            if (hasExtendedMasterSecret)
            {
                _ = hello.UInt16(23).Vector(2, []);
            }

            if (Handshake.Resumption == ResumptionBy.Ticket)
            {
                _ = hello.UInt16(35).Vector(2, []);
            }

            if (Handshake.Kind == HandshakeKind.RawPublicKeys)
            {
                _ = hello.UInt16(19).Vector(2, [2]).UInt16(20).Vector(2, [2]);
            }

            if (Handshake.HasCid)
            {
                _ = hello.UInt16(54).Vector(2, [(byte)OwnCid.Length, .. OwnCid]);
            }

            return hello.EndVector(extensions, 2);
        });
    }

    private MessageWriter WriteKeyExchange(MessageWriter writer, ECDsa key, byte[] point)
    {
        if (Suite.UsesPreSharedKey)
        {
            _ = writer.Vector(2, "hint"u8);
        }

        if (Suite.KeyExchange == KeyExchange.Psk)
        {
            return writer;
        }

        int mark = writer.BeginVector(0);
        _ = writer.Byte(3).UInt16(23).Vector(1, point);
        if (Suite.UsesPreSharedKey)
        {
            return writer;
        }

        byte[] hash = SHA256.HashData([.. Current.PeerRandom, .. Current.OwnRandom, .. writer.Since(mark)]);
        return writer.UInt16(0x0403).Vector(2, Sign(key, hash));
    }
}
