namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>A server that does what a test tells it, with a client under test.</summary>
internal sealed class ScriptedServer : ScriptedPeer
{
    private readonly ClientHandshake _client;
    private byte[] _clientPoint = [];

    public ScriptedServer(HandshakeKind kind, Func<HandshakeSettings, HandshakeSettings>? change = null,
        ResumableSession? session = null, byte[]? ownCid = null)
        : base(kind, isServer: true)
    {
        HandshakeSettings settings = HandshakeScene.ClientSettings(kind) with { Mtu = 16_000, Time = Clock };
        _client = HandshakeScene.MakeClient(new SharedHandshakeContext(change?.Invoke(settings) ?? settings), ownCid);
        Assert.True(session is null || _client.Resume(session));
        if (kind == HandshakeKind.RawPublicKeys)
        {
            Extensions[19] = Extensions[20] = [2];
        }

        _client.Start("device.example");
        Listen();
    }

    public override Handshake Target => _client;

    public ClientHandshake Client => _client;

    public byte Compression { get; set; }

    /// <summary>Signs in place of the right key.</summary>
    public ECDsa? OtherKey { get; set; }

    public byte[]? SignedRandoms { get; set; }

    public ushort Scheme { get; set; } = 0x0403;

    public ushort Group { get; set; } = 23;

    public byte CurveType { get; set; } = 3;

    public override IReadOnlyList<HandshakeType> Order => Kind switch
    {
        HandshakeKind.Psk or HandshakeKind.EcdhePsk =>
            [HandshakeType.ServerHello, HandshakeType.ServerKeyExchange, HandshakeType.ServerHelloDone],
        HandshakeKind.Ecdsa =>
            [HandshakeType.ServerHello, HandshakeType.Certificate, HandshakeType.ServerKeyExchange, HandshakeType.ServerHelloDone],
        HandshakeKind.Resumed => [HandshakeType.ServerHello],
        _ =>
        [
            HandshakeType.ServerHello, HandshakeType.Certificate, HandshakeType.ServerKeyExchange, HandshakeType.CertificateRequest,
            HandshakeType.ServerHelloDone,
        ],
    };

    public override void Hello() => Send(HandshakeType.ServerHello);

    public override void Send(HandshakeType type)
    {
        switch (type)
        {
            case HandshakeType.HelloVerifyRequest:
                Number = 0;
                Send(type, static writer => writer.UInt16(RecordHeader.Version).Vector(1, new byte[20]));
                break;
            case HandshakeType.ServerHello:
                Send(type, WriteHello);
                break;
            case HandshakeType.Certificate:
                Send(type, WriteCertificate);
                break;
            case HandshakeType.ServerKeyExchange:
                Send(type, WriteKeyExchange);
                break;
            case HandshakeType.CertificateRequest:
                Send(type, static writer => writer.Vector(1, [64]).Vector(2, [4, 3]).Vector(2, []));
                break;
            case HandshakeType.ServerHelloDone:
                Send(type, static writer => writer);
                break;
            case HandshakeType.NewSessionTicket:
                Send(type, static writer => writer.Bytes([0, 0, 0, 9]).Vector(2, new byte[50]));
                break;
            default:
                Finish();
                break;
        }
    }

    protected override void Deliver(byte[] datagram)
    {
        _client.Receive(datagram);
        _client.Answer();
    }

    protected override void OnHeard(HandshakeType type, byte[] body)
    {
        MessageReader reader = new(body);
        if (type == HandshakeType.ClientHello)
        {
            if (Heard.Count > 1)
            {
                // The first one, and the request for a cookie, do not count.
                Restart();
                Transcript.Add(Wire.Fragment(new(type, body.Length, 1, 0, body.Length), 0, body));
            }

            _ = reader.ReadUInt16();
            PeerRandom = reader.Read(32).ToArray();
        }
        else if (type == HandshakeType.ClientKeyExchange)
        {
            _ = Suite.UsesPreSharedKey ? reader.ReadVector(2) : default;
            _clientPoint = reader.IsEmpty ? [] : reader.ReadVector(1).ToArray();
            DeriveMaster(_clientPoint);
        }
    }

    private MessageWriter WriteHello(MessageWriter writer) =>
        WriteExtensions(writer.UInt16(Version).Bytes(OwnRandom).Vector(1, SessionId).UInt16(Suite.Id).Byte(Compression));

    private MessageWriter WriteCertificate(MessageWriter writer)
    {
        if (Kind == HandshakeKind.RawPublicKeys)
        {
            return writer.Vector(3, HandshakeScene.ServerKey.ExportSubjectPublicKeyInfo());
        }

        int list = writer.BeginVector(3);
        return writer.Vector(3, HandshakeScene.ServerCertificate.RawData).EndVector(list, 3);
    }

    private MessageWriter WriteKeyExchange(MessageWriter writer)
    {
        if (Suite.UsesPreSharedKey)
        {
            _ = writer.Vector(2, "hint"u8);
        }

        if (Suite.KeyExchange == KeyExchange.Psk)
        {
            return writer;
        }

        Ephemeral = EphemeralKey.TryCreate([0, 23])!;
        int mark = writer.BeginVector(0);
        _ = writer.Byte(CurveType).UInt16(Group).Vector(1, Point ?? Ephemeral.Point);
        if (Suite.UsesPreSharedKey)
        {
            return writer;
        }

        byte[] hash = SHA256.HashData([.. SignedRandoms ?? [.. PeerRandom, .. OwnRandom], .. writer.Since(mark)]);
        using ECDsa? ofCertificate = HandshakeScene.ServerCertificate.GetECDsaPrivateKey();
        ECDsa key = OtherKey ?? (Kind == HandshakeKind.RawPublicKeys ? HandshakeScene.ServerKey : ofCertificate!);
        return writer.UInt16(Scheme).Vector(2, key.SignHash(hash, DSASignatureFormat.Rfc3279DerSequence));
    }
}
