namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>A client that does what a test tells it, with a server under test.</summary>
internal sealed class ScriptedClient : ScriptedPeer
{
    private readonly SharedHandshakeContext _context;
    private readonly ServerHandshake _server;
    private byte[] _serverPoint = [];
    private bool _isStarted;

    public ScriptedClient(HandshakeKind kind, Func<HandshakeSettings, HandshakeSettings>? change = null)
        : base(kind, isServer: false)
    {
        HandshakeSettings settings = HandshakeScene.ServerSettings(kind) with { Mtu = 16_000, Time = Clock };
        _context = new SharedHandshakeContext(change?.Invoke(settings) ?? settings);
        _server = HandshakeScene.MakeServer(_context);
        Suites = [Suite.Id];
        Number = 1;
        if (Suite.KeyExchange != KeyExchange.Psk)
        {
            Extensions[10] = [0, 2, 0, 23];
            Extensions[11] = [1, 0];
        }

        if (!Suite.UsesPreSharedKey)
        {
            Extensions[13] = [0, 2, 4, 3];
        }

        if (kind == HandshakeKind.RawPublicKeys)
        {
            Extensions[19] = Extensions[20] = [1, 2];
        }
    }

    public override Handshake Target => _server;

    public ServerHandshake Server => _server;

    public List<ushort> Suites { get; set; }

    public byte[] Compressions { get; set; } = [0];

    /// <summary>The master secret of the session of <see cref="SessionId"/>.</summary>
    public byte[]? ResumedMaster { get; set; }

    public override void Hello() => Send(HandshakeType.ClientHello, hello =>
    {
        _ = hello.UInt16(Version).Bytes(OwnRandom).Vector(1, SessionId).Vector(1, new byte[20]);
        int suites = hello.BeginVector(2);
        Suites.ForEach(suite => hello.UInt16(suite));
        return WriteExtensions(hello.EndVector(suites, 2).Vector(1, Compressions));
    });

    public void Certificate() => Send(HandshakeType.Certificate, writer =>
    {
        if (Kind == HandshakeKind.RawPublicKeys)
        {
            return writer.Vector(3, HandshakeScene.ClientKey.ExportSubjectPublicKeyInfo());
        }

        int list = writer.BeginVector(3);
        return writer.Vector(3, HandshakeScene.ClientCertificate.RawData).EndVector(list, 3);
    });

    public void EmptyCertificate() => Send(HandshakeType.Certificate, static writer => writer.Vector(3, []));

    public void ExchangeKeys()
    {
        Send(HandshakeType.ClientKeyExchange, writer =>
        {
            if (Suite.UsesPreSharedKey)
            {
                _ = writer.Vector(2, "user"u8);
            }

            if (Suite.KeyExchange != KeyExchange.Psk)
            {
                Ephemeral = EphemeralKey.TryCreate([0, 23])!;
                _ = writer.Vector(1, Point ?? Ephemeral.Point);
            }

            return writer;
        });
        DeriveMaster(_serverPoint);
    }

    public void Verify(ECDsa? key = null, ushort scheme = 0x0403, byte[]? hash = null)
    {
        byte[] signature = Sign(key, hash ?? Hash());
        Send(HandshakeType.CertificateVerify, writer => writer.UInt16(scheme).Vector(2, signature));
    }

    public override IReadOnlyList<HandshakeType> Order => Server.Settings.RequiresClientCertificate
        ? [HandshakeType.Certificate, HandshakeType.ClientKeyExchange, HandshakeType.CertificateVerify]
        : [HandshakeType.ClientKeyExchange];

    public override void Begin() => Hello();

    public override void Send(HandshakeType type)
    {
        switch (type)
        {
            case HandshakeType.Certificate:
                Certificate();
                break;
            case HandshakeType.ClientKeyExchange:
                ExchangeKeys();
                break;
            case HandshakeType.CertificateVerify:
                Verify();
                break;
            default:
                Finish();
                break;
        }
    }

    protected override void Deliver(byte[] datagram)
    {
        if (_isStarted)
        {
            _server.Receive(datagram);
            _server.Answer();
        }
        else
        {
            _isStarted = true;
            _server.Start(datagram);
            _server.Answer();
        }

        if (_server.Status == HandshakeStatus.WantsKey)
        {
            _server.GiveKey(HandshakeScene.Key);
        }
    }

    protected override void OnHeard(HandshakeType type, byte[] body)
    {
        MessageReader reader = new(body);
        if (type == HandshakeType.ServerHello)
        {
            _ = reader.ReadUInt16();
            PeerRandom = reader.Read(32).ToArray();
            if (ResumedMaster is not null && reader.ReadVector(1).SequenceEqual(SessionId))
            {
                Master = ResumedMaster;
                UseKeys();
            }
        }
        else if (type == HandshakeType.ServerKeyExchange)
        {
            _ = Suite.UsesPreSharedKey ? reader.ReadVector(2) : default;
            _serverPoint = reader.IsEmpty ? [] : ReadPoint(ref reader);
        }
    }

    private static byte[] ReadPoint(ref MessageReader reader)
    {
        Assert.Equal(3, reader.ReadByte());
        Assert.Equal(23, reader.ReadUInt16());
        return reader.ReadVector(1).ToArray();
    }

    private byte[] Sign(ECDsa? key, byte[] hash)
    {
        using ECDsa? ofCertificate = HandshakeScene.ClientCertificate.GetECDsaPrivateKey();
        return (key ?? (Kind == HandshakeKind.RawPublicKeys ? HandshakeScene.ClientKey : ofCertificate!))
            .SignHash(hash, DSASignatureFormat.Rfc3279DerSequence);
    }
}
