using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>The client of a server whose states are learned.</summary>
internal sealed class LearningClient : LearningPeer, ICoapPskStore
{
    private static readonly DtlsPath s_path = new(CoapAddress.FromIPv4(0x0A000001, 40_000), default, 0);
    private static readonly byte[] s_secret = new byte[RotatingKeyProvider.MinSecretLength];

    private readonly LearnedServer _owner;
    private readonly DtlsServer _server;
    private readonly byte[] _earlierId;
    private HandshakeAttempt _next = new();
    private bool _hasExtendedMasterSecret;

    public LearningClient(LearnedServer owner)
        : base(owner.Handshake, isServer: false)
    {
        _owner = owner;
        RotatingKeyProvider cookieKeys = new([.. s_secret], CookieIssuer.Purpose, FromDays(1), owner.Clock);
        _server = new DtlsServer(owner.Context, new DtlsServerLimits(), this,
            static (leaf, _, _) => new(leaf.Equals(HandshakeScene.ClientCertificate)), this, owner.Clock, new VirtualRandom(7),
            static (_, work) => work(), cookieKeys)
        {
            ValidateRawPublicKey = static (key, _) => new(key.Span.SequenceEqual(HandshakeScene.ClientKey.ExportSubjectPublicKeyInfo())),
            Trace = (_, entry) => Trace(entry),
        };
        _earlierId = owner.IsResumption ? LearnedHandshake.EarlierId : [];
        _next.SessionId = _earlierId;
    }

    public static IReadOnlyList<string> InputsOf(LearnedHandshake handshake) =>
    [
        "ClientHello", "ClientHello (cookie)", "ClientHello (wrong cookie)",
        .. handshake.Resumption == ResumptionBy.None
            ? (string[])[] : ["ClientHello (no extended master secret)", "ClientHello (unknown session)"],
        "Certificate", "Certificate (none)", "Certificate (not trusted)", "ClientKeyExchange", "ClientKeyExchange (wrong)",
        "CertificateVerify", "CertificateVerify (other key)",
        .. CommonInputs, .. handshake.HasCid ? (string[])["data (no Connection ID)"] : [], "30 s",
        "HelloRequest", "HelloVerifyRequest", "ServerHello", "ServerKeyExchange", "CertificateRequest", "ServerHelloDone",
        "NewSessionTicket", "CertificateStatus",
    ];

    ValueTask<ReadOnlyMemory<byte>> ICoapPskStore.FindKeyAsync(string identity, CancellationToken cancellationToken) =>
        new(identity == HandshakeScene.Identity ? HandshakeScene.Key : ReadOnlyMemory<byte>.Empty);

    protected override bool TrySend(string input)
    {
        switch (input)
        {
            case "ClientHello":
                _next = new HandshakeAttempt { SessionId = _earlierId };
                SendHello([]);
                break;
            case "ClientHello (unknown session)":
                _next = new HandshakeAttempt { SessionId = new byte[16] };
                SendHello([]);
                break;
            case "ClientHello (cookie)":
                SendHello(_next.Cookie.Length > 0 ? _next.Cookie : new byte[16]);
                break;
            case "ClientHello (no extended master secret)":
                SendHello(_next.Cookie.Length > 0 ? _next.Cookie : new byte[16], hasExtendedMasterSecret: false);
                break;
            case "ClientHello (wrong cookie)":
                SendHello(new byte[16]);
                break;
            case "Certificate":
                SendCertificate(HandshakeScene.ClientKey, HandshakeScene.ClientCertificate);
                break;
            case "Certificate (none)":
                SendMessage(HandshakeType.Certificate, static writer => writer.Vector(3, []));
                break;
            case "Certificate (not trusted)":
                SendCertificate(OtherKey, HandshakeScene.ServerCertificate);
                break;
            case "ClientKeyExchange":
                SendMessage(HandshakeType.ClientKeyExchange, writer => WriteKeyExchange(writer, HandshakeScene.Identity, OwnPoint));
                break;
            case "ClientKeyExchange (wrong)":
                byte[] point = [4, .. new byte[64]];
                SendMessage(HandshakeType.ClientKeyExchange, writer => WriteKeyExchange(writer, "another", point));
                break;
            case "CertificateVerify":
                Verify(Handshake.Kind == HandshakeKind.RawPublicKeys ? HandshakeScene.ClientKey : ClientKey);
                break;
            case "CertificateVerify (other key)":
                Verify(OtherKey);
                break;
            case "30 s":
                _owner.Clock.Advance(FromSeconds(30));
                _server.Tick();
                break;
            default:
                return false;
        }

        return true;
    }

    protected override void Pass(byte[] datagram) => _server.Receive(s_path, datagram);

    protected override void OnProcessed(HandshakeType type, byte[] message)
    {
        if (type == HandshakeType.ClientHello)
        {
            HandshakeAttempt begun = _next;
            if (Current == begun)
            {
                // The server begins again with the same hello, because the handshake before has ended.
                begun = new HandshakeAttempt(begun);
            }

            (_next, Current) = (begun, begun);
            Current.HasExtendedMasterSecret = _hasExtendedMasterSecret;
            Current.Number = 1;
        }

        Commit(message);
        if (type == HandshakeType.ClientKeyExchange)
        {
            UseKeys();
        }
    }

    protected override void OnMessage(HandshakeType type, ReadOnlySpan<byte> body, byte[] message)
    {
        MessageReader reader = new(body);
        if (type == HandshakeType.HelloVerifyRequest)
        {
            _ = reader.ReadUInt16();
            _next.Cookie = reader.ReadVector(1).ToArray();
            return;
        }

        Current.Transcript.AddRange(message);
        if (type == HandshakeType.ServerHello)
        {
            _ = reader.ReadUInt16();
            Current.PeerRandom = reader.Read(32).ToArray();
            bool isResumed = reader.ReadVector(1).SequenceEqual(Current.SessionId) && Current.SessionId.Length > 0;
            _ = reader.Read(3);
            ExtensionReader extensions = new(
                reader.IsEmpty ? [] : reader.ReadVector(2), stackalloc ushort[ExtensionReader.MaxCount]);
            while (extensions.TryRead(out ushort number, out MessageReader content))
            {
                Current.PeerCid = number == 54 ? content.ReadVector(1).ToArray() : Current.PeerCid;
            }

            if (isResumed)
            {
                Note("resumed");
                UseKeys([.. LearnedHandshake.EarlierMaster]);
            }
        }
        else if (type == HandshakeType.ServerKeyExchange)
        {
            _ = Suite.UsesPreSharedKey ? reader.ReadVector(2) : default;
            Current.PeerPoint = reader.IsEmpty ? [] : ReadPoint(ref reader);
        }
    }

    protected override void DisposeSystem() => _server.Dispose();

    private static byte[] ReadPoint(ref MessageReader reader)
    {
        _ = reader.Read(3);
        return reader.ReadVector(1).ToArray();
    }

    private void SendHello(byte[] cookie, bool hasExtendedMasterSecret = true)
    {
        _hasExtendedMasterSecret = hasExtendedMasterSecret;
        SendMessage(HandshakeType.ClientHello, hello =>
        {
            _ = hello.UInt16(RecordHeader.Version).Bytes(_next.OwnRandom).Vector(1, _next.SessionId).Vector(1, cookie)
                .Vector(2, [(byte)(Suite.Id >> 8), (byte)Suite.Id]).Vector(1, [0]);
            int extensions = hello.BeginVector(2);
            if (hasExtendedMasterSecret)
            {
                _ = hello.UInt16(23).Vector(2, []);
            }

            if (Suite.KeyExchange != KeyExchange.Psk)
            {
                _ = hello.UInt16(10).Vector(2, [0, 2, 0, 23]).UInt16(11).Vector(2, [1, 0]).UInt16(13).Vector(2, [0, 2, 4, 3]);
            }

            if (Handshake.Kind == HandshakeKind.RawPublicKeys)
            {
                _ = hello.UInt16(19).Vector(2, [1, 2]).UInt16(20).Vector(2, [1, 2]);
            }

            if (Handshake.HasCid)
            {
                _ = hello.UInt16(54).Vector(2, [(byte)OwnCid.Length, .. OwnCid]);
            }

            return hello.EndVector(extensions, 2);
        }, number: (ushort)(cookie.Length > 0 ? 1 : 0));
    }

    private MessageWriter WriteKeyExchange(MessageWriter writer, string identity, byte[] point)
    {
        if (Suite.UsesPreSharedKey)
        {
            _ = writer.Vector(2, Encoding.UTF8.GetBytes(identity));
        }

        return Suite.KeyExchange == KeyExchange.Psk ? writer : writer.Vector(1, point);
    }

    private void Verify(ECDsa key)
    {
        byte[] signature = Sign(key, Current.Hash());
        SendMessage(HandshakeType.CertificateVerify, writer => writer.UInt16(0x0403).Vector(2, signature));
    }
}
