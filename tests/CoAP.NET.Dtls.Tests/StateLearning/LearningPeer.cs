using CoAP.NET.Cryptography;
using Wire = CoAP.NET.Dtls.Tests.Handshakes.Wire;
using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>
/// The other end of a system whose states are learned. It makes real datagrams of names, and names of datagrams. It is as strong as an
/// attacker can be: by the trace of the system it knows which messages the system has processed, so that its numbers, hashes and keys
/// always fit the state of the system.
/// </summary>
internal abstract class LearningPeer : IDtlsSessionOutput, IDisposable
{
    private const byte Warning = 1;
    private const byte Fatal = 2;
    private const int ProofLength = 12;

    private static readonly EphemeralKey s_ephemeral = EphemeralKey.TryCreate([0, 23])!;
    private static readonly ECDsa s_otherKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    private readonly bool _isServer;
    private readonly Lock _gate = new();
    private readonly List<string> _events = [];
    private (HandshakeType Type, byte[] Message)? _unconfirmed;
    private ulong _plainSequence;
    private bool _isDisposed;

    protected LearningPeer(LearnedHandshake handshake, bool isServer)
    {
        Handshake = handshake;
        _isServer = isServer;
        Suite = HandshakeScene.ServerSettings(handshake.Kind).Suites[0];
    }

    /// <summary>The inputs that both roles have.</summary>
    public static IReadOnlyList<string> CommonInputs { get; } =
    [
        "ChangeCipherSpec", "Finished", "Finished (wrong)", "Finished (epoch 0)", "Finished (keys of zeros)",
        "data", "data (epoch 0)", "data (epoch 2)", "data (keys of the handshake)", "data (keys before)",
        "close_notify", "close_notify (epoch 0)", "fatal alert", "fatal alert (epoch 0)",
        "ClientHello (epoch 1)", "HelloRequest (epoch 1)", "ServerHello (epoch 1)", "ClientKeyExchange (epoch 1)",
        "CertificateVerify (epoch 1)", "path_response", "heartbeat",
    ];

    protected LearnedHandshake Handshake { get; }

    protected CipherSuite Suite { get; }

    /// <summary>The handshake that the system is in, or was in.</summary>
    protected HandshakeAttempt Current { get; set; } = new();

    /// <summary>The handshake of the newest session.</summary>
    protected HandshakeAttempt? OfSession { get; private set; }

    /// <summary>The handshake of the session before it.</summary>
    protected HandshakeAttempt? Before { get; private set; }

    protected static ECDsa ServerKey { get; } = HandshakeScene.ServerCertificate.GetECDsaPrivateKey()!;

    protected static ECDsa ClientKey { get; } = HandshakeScene.ClientCertificate.GetECDsaPrivateKey()!;

    protected static ECDsa OtherKey => s_otherKey;

    protected static byte[] OwnPoint => s_ephemeral.Point;

    /// <summary>Sends an input, and returns what the system did.</summary>
    /// <param name="input">The name.</param>
    public string Step(string input)
    {
        _unconfirmed = null;
        if (!TrySend(input) && !TrySendCommon(input))
        {
            throw new ArgumentOutOfRangeException(nameof(input), input, "No input has this name.");
        }

        Settle();
        lock (_gate)
        {
            string output = string.Join(' ', _events);
            _events.Clear();
            return output;
        }
    }

    public void Dispose()
    {
        _isDisposed = true;
        DisposeSystem();
    }

    /// <summary>Sends an input of the role.</summary>
    /// <param name="input">The name.</param>
    /// <returns>False if the role has no such input.</returns>
    protected abstract bool TrySend(string input);

    /// <summary>Passes a datagram to the system.</summary>
    /// <param name="datagram">The datagram.</param>
    protected abstract void Pass(byte[] datagram);

    /// <summary>Reads an unprotected message of the system.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="body">Its content.</param>
    /// <param name="message">The message with its header.</param>
    protected abstract void OnMessage(HandshakeType type, ReadOnlySpan<byte> body, byte[] message);

    /// <summary>The system has processed a message of this end: it counts.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="message">The message with its header.</param>
    protected abstract void OnProcessed(HandshakeType type, byte[] message);

    protected abstract void DisposeSystem();

    /// <summary>Waits until the system does nothing more.</summary>
    protected virtual void Settle()
    {
    }

    protected void Note(string what)
    {
        lock (_gate)
        {
            _events.Add(what);
        }
    }

    protected void Trace(HandshakeMessageLogEntry entry)
    {
        if (!entry.IsSent && entry.Length > 0 && Enum.TryParse(entry.Message, out HandshakeType type)
            && _unconfirmed is { } sent && sent.Type == type)
        {
            _unconfirmed = null;
            Note("+");
            OnProcessed(type, sent.Message);
        }
    }

    /// <summary>Sends an unprotected message with the number that is due.</summary>
    protected void SendMessage(HandshakeType type, Func<MessageWriter, MessageWriter> write, ushort? number = null)
    {
        byte[] message = write(new MessageWriter(type, number ?? Current.Number)).Finish();
        _unconfirmed = (type, message);
        SendPlain(ContentType.Handshake, message);
    }

    protected void SendPlain(ContentType type, ReadOnlySpan<byte> content) => Pass(Wire.Record(type, content, _plainSequence++));

    /// <summary>Sends a protected record.</summary>
    /// <param name="records">The keys; null: none, so that nothing is sent.</param>
    /// <param name="type">The type of the content.</param>
    /// <param name="content">The content.</param>
    protected void SendSealed(RecordLayer? records, ContentType type, ReadOnlySpan<byte> content)
    {
        if (records is not null)
        {
            Pass(Seal(records, type, content));
        }
    }

    protected void SendCertificate(ECDsa key, X509Certificate2 certificate) => SendMessage(HandshakeType.Certificate, writer =>
    {
        if (Handshake.Kind == HandshakeKind.RawPublicKeys)
        {
            return writer.Vector(3, key.ExportSubjectPublicKeyInfo());
        }

        int list = writer.BeginVector(3);
        return writer.Vector(3, certificate.RawData).EndVector(list, 3);
    });

    protected static byte[] Sign(ECDsa key, byte[] hash) => key.SignHash(hash, DSASignatureFormat.Rfc3279DerSequence);

    /// <summary>Derives the keys of the current handshake (RFC 5246 section 8.1, RFC 4279 section 2, RFC 7627 section 4).</summary>
    protected void UseKeys(byte[]? master = null)
    {
        Current.Master = master ?? DeriveMaster();
        Current.Records = RecordsOf(Current.Master);
        Current.PlainRecords = RecordsOf(Current.Master, hasCid: false);
    }

    protected void Commit(byte[] message, bool counts = true)
    {
        Current.Number++;
        if (counts)
        {
            Current.Transcript.AddRange(message);
        }
    }

    void IDtlsSessionOutput.Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        foreach (byte[] record in Wire.Records(datagram.ToArray(), CidLength))
        {
            if (!_isDisposed)
            {
                OnRecord(record);
            }
        }
    }

    void IDtlsSessionOutput.Opened(DtlsSession session)
    {
        if (OfSession != Current)
        {
            (Before, OfSession) = (OfSession, Current);
        }

        Note($"session({NameOf(session)})");
    }

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content) =>
        Note($"data({Encoding.ASCII.GetString(content)})");

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from) => Note("moved");

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => Note($"ended({reason})");

    private int CidLength => Handshake.HasCid ? OwnCid.Length : 0;

    private static string NameOf(DtlsSession session) =>
        session.PskIdentity is { } identity ? identity
        : session.PeerCertificate is { } certificate ? certificate.Subject
        : session.PeerPublicKey.Length > 0 ? "raw public key"
        : "nobody";

    private bool TrySendCommon(string input)
    {
        switch (input)
        {
            case "ChangeCipherSpec":
                SendPlain(ContentType.ChangeCipherSpec, [1]);
                break;
            case "Finished":
                SendFinished(Current.Records ?? RecordsOf(Master()), Proof(Master()));
                break;
            case "Finished (wrong)":
                SendFinished(Current.Records ?? RecordsOf(Master()), new byte[ProofLength]);
                break;
            case "Finished (epoch 0)":
                byte[] proof = Proof(Master());
                SendMessage(HandshakeType.Finished, writer => writer.Bytes(proof));
                break;
            case "Finished (keys of zeros)":
                SendFinished(RecordsOf(new byte[48]), Proof(new byte[48]));
                break;
            case "data":
                SendSealed(OfSession?.Records, ContentType.ApplicationData, "session"u8);
                break;
            case "data (epoch 0)":
                SendPlain(ContentType.ApplicationData, "plain"u8);
                break;
            case "data (epoch 2)":
                if (OfSession?.Records is { } records)
                {
                    byte[] record = Seal(records, ContentType.ApplicationData, "epoch 2"u8);
                    record[4] = 2;
                    Pass(record);
                }

                break;
            case "data (no Connection ID)":
                SendSealed(OfSession?.PlainRecords, ContentType.ApplicationData, "no ID"u8);
                break;
            case "data (keys of the handshake)":
                SendSealed(Current == OfSession ? null : Current.Records, ContentType.ApplicationData, "early"u8);
                break;
            case "data (keys before)":
                SendSealed(Before?.Records, ContentType.ApplicationData, "late"u8);
                break;
            case "close_notify":
                SendSealed(OfSession?.Records, ContentType.Alert, [Warning, (byte)AlertDescription.CloseNotify]);
                break;
            case "close_notify (epoch 0)":
                SendPlain(ContentType.Alert, [Warning, (byte)AlertDescription.CloseNotify]);
                break;
            case "fatal alert":
                SendSealed(Current.Records, ContentType.Alert, [Fatal, (byte)AlertDescription.HandshakeFailure]);
                break;
            case "fatal alert (epoch 0)":
                SendPlain(ContentType.Alert, [Fatal, (byte)AlertDescription.HandshakeFailure]);
                break;
            case "path_response":
                SendSealed(OfSession?.Records, ContentType.ReturnRoutabilityCheck, [1, 1, 2, 3, 4, 5, 6, 7, 8]);
                break;
            case "heartbeat":
                byte[] unknown = Wire.Record(ContentType.ApplicationData, [1, 0, 3], _plainSequence++);
                unknown[0] = 24;
                Pass(unknown);
                break;
            default:
                const string Suffix = " (epoch 1)";
                if (!input.EndsWith(Suffix, Ordinal) || !Enum.TryParse(input[..^Suffix.Length], out HandshakeType type))
                {
                    return TrySendForeign(input);
                }

                SendSealed((OfSession ?? Current).Records, ContentType.Handshake, new MessageWriter(type, Current.Number).Finish());
                break;
        }

        return true;
    }

    // A message that only the other role sends.
    private bool TrySendForeign(string input)
    {
        if (!Enum.TryParse(input, out HandshakeType type))
        {
            return false;
        }

        SendMessage(type, static writer => writer.Bytes([3]));
        return true;
    }

    private void SendFinished(RecordLayer records, byte[] proof)
    {
        byte[] message = new MessageWriter(HandshakeType.Finished, Current.Number).Bytes(proof).Finish();
        _unconfirmed = (HandshakeType.Finished, message);
        SendSealed(records, ContentType.Handshake, message);
    }

    private static byte[] Seal(RecordLayer records, ContentType type, ReadOnlySpan<byte> content)
    {
        byte[] record = new byte[records.RecordLength(content.Length)];
        Assert.Equal(record.Length, records.Seal(type, content, record));
        return record;
    }

    private void OnRecord(byte[] record)
    {
        Assert.True(RecordHeader.TryRead(record, CidLength, out RecordHeader header));
        ContentType type = header.Type;
        Range content = header.HeaderLength..;
        byte[] opened = record;
        if (header.Epoch > 0 && !TryOpen(header, record, out type, out opened, out content))
        {
            Note("?");
            return;
        }

        ReadOnlySpan<byte> bytes = opened.AsSpan()[content];
        string suffix = header.Epoch > 0 ? "" : " (epoch 0)";
        switch (type)
        {
            case ContentType.Alert:
                Note(((AlertDescription)bytes[1]).ToText().Split(' ')[0] + suffix);
                break;
            case ContentType.Handshake:
                Assert.True(MessageHeader.TryRead(bytes, out MessageHeader message) && message.IsWhole);
                Note(message.Type + (message.Type == HandshakeType.Finished ? suffix : ""));
                if (message.Type == HandshakeType.Finished)
                {
                    Current.Transcript.AddRange(bytes);
                }
                else
                {
                    OnMessage(message.Type, bytes[MessageHeader.Size..], bytes.ToArray());
                }

                break;
            default:
                Note(type.ToString());
                break;
        }
    }

    private bool TryOpen(in RecordHeader header, byte[] record, out ContentType type, out byte[] opened, out Range content)
    {
        foreach (RecordLayer? records in new[] { Current.Records, OfSession?.Records, Before?.Records })
        {
            opened = [.. record];
            if (records?.Open(header, opened, out type, out content, out _) == RecordOpenResult.Opened)
            {
                return true;
            }
        }

        (type, opened, content) = (default, [], default);
        return false;
    }

    private RecordLayer RecordsOf(byte[] master, bool hasCid = true)
    {
        byte[] client = _isServer ? Current.PeerRandom : Current.OwnRandom;
        byte[] server = _isServer ? Current.OwnRandom : Current.PeerRandom;
        byte[] keys = KeyBlock.Derive(Suite, master, Padded(client), Padded(server));
        hasCid &= Current.PeerCid.Length > 0;
        return new RecordLayer(Suite, keys, _isServer, hasCid ? OwnCid : [], hasCid ? Current.PeerCid : []);
    }

    /// <summary>The Connection ID that this end assigns, if the handshake has them.</summary>
    protected byte[] OwnCid => _isServer ? [8, 7, 6, 5, 4, 3, 2, 1] : LearnedHandshake.ClientCid;

    // Before both ends have it, what an attacker derives who leaves messages out.
    private byte[] Master() => Current.Master.Length > 0 ? Current.Master : DeriveMaster();

    private byte[] DeriveMaster()
    {
        byte[] agreed = Suite.KeyExchange == KeyExchange.Psk || Current.PeerPoint.Length == 0 ? [] : s_ephemeral.Agree(Current.PeerPoint);
        byte[] key = HandshakeScene.Key;
        byte[] other = Suite.KeyExchange == KeyExchange.Psk ? new byte[key.Length] : agreed;
        byte[] premaster = Suite.UsesPreSharedKey ? [0, (byte)other.Length, .. other, 0, (byte)key.Length, .. key] : agreed;
        byte[] master = new byte[48];
        if (Current.HasExtendedMasterSecret)
        {
            Prf.Expand(PrfHash.Sha256, premaster, "extended master secret"u8, Current.Hash(), master);
        }
        else
        {
            byte[] randoms = _isServer ? [.. Current.PeerRandom, .. Current.OwnRandom] : [.. Current.OwnRandom, .. Current.PeerRandom];
            Prf.Expand(PrfHash.Sha256, premaster, "master secret"u8, randoms, master);
        }

        return master;
    }

    private byte[] Proof(byte[] master)
    {
        byte[] proof = new byte[ProofLength];
        Prf.Expand(PrfHash.Sha256, master, _isServer ? "server finished"u8 : "client finished"u8, Current.Hash(), proof);
        return proof;
    }

    private static byte[] Padded(byte[] random) => random.Length == 32 ? random : new byte[32];
}
