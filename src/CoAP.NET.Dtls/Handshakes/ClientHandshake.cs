using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Unicode;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A client's end of a handshake.</summary>
internal sealed class ClientHandshake : Handshake
{
    private const int MessageBits = 32;
    private const int TicketSessionIdLength = 32;

    // For a server that this end chose: more than any chain of the web needs.
    private const int MaxServerCertificates = 32_768;
    private const int MaxMessage = 4_096;

    /// <summary>Maximum bytes of a flight of the server that this end reads.</summary>
    public const int MaxFlight = MaxServerCertificates + MaxMessage;

    // RFC 5246 section 7.4
    private const uint ServerMessages = (1u << 2) | (1u << 3) | (1u << 4) | (1u << 11) | (1u << 12) | (1u << 13) | (1u << 14) | (1u << 22);

    private readonly byte[] _ownRandom = RandomBytes(RandomLength);
    private ResumableSession? _resumed;
    private ResumptionState _offered;
    private byte[] _sessionId = [];
    private byte[] _ticket = [];
    private byte[] _cookie = [];
    private byte[] _serverPoint = [];
    private byte[] _serverSchemes = [];
    private string? _serverName;
    private ExpectedMessage _next;
    private ushort _serverGroup;
    private bool _isAskedForCertificate;
    private bool _isAskedForEcdsa;
    private bool _getsTicket;
    private bool _hasCookie;
    private byte _ownType;
    private byte _serverType;

    /// <summary>Creates a handshake; <see cref="Start"/> begins it.</summary>
    /// <param name="context">The settings and secrets that the handshakes of its endpoint share.</param>
    /// <param name="ownCid">
    /// The Connection ID for records to this end: often empty, because a client has one socket per server; null: offer none.
    /// </param>
    /// <param name="pskIdentity">The client's identity; null: <see cref="SelectPsk"/> supplies it.</param>
    /// <param name="pskKey">The key of that identity.</param>
    public ClientHandshake(SharedHandshakeContext context, byte[]? ownCid, string? pskIdentity, ReadOnlySpan<byte> pskKey)
        : base(context, ownCid, MaxFlight)
    {
        PskIdentity = pskIdentity;
        SetPreSharedKey(pskKey);
    }

    private enum ExpectedMessage
    {
        ServerHello,
        Certificate,
        ServerKeyExchange,
        CertificateRequest,
        ServerHelloDone,
        Finished,
    }

    /// <summary>Chooses identity and key when the server wants a pre-shared key, by its hint (RFC 4279 section 5).</summary>
    public Func<string?, CancellationToken, ValueTask<CoapPskCredential?>>? SelectPsk { get; init; }

    /// <summary>The hint of the server for the choice of the pre-shared key, or null.</summary>
    public string? PskHint { get; private set; }

    /// <summary>Whether the server required a pre-shared key and the client had none.</summary>
    public bool LacksPreSharedKey { get; private set; }

    /// <summary>
    /// The last fatal alert that arrived unprotected (RFC 5246 section 7.2). Any sender can forge it, so it ends nothing by itself.
    /// </summary>
    public AlertDescription? Refusal { get; private set; }

    /// <summary>Number of unprotected fatal alerts.</summary>
    public int Refusals { get; private set; }

    /// <summary>Number of accepted records of the server, without alerts.</summary>
    public int Progress { get; private set; }

    /// <summary>The unprotected messages received, one bit per type (RFC 5246 section 7.4).</summary>
    public uint Heard { get; private set; }

    /// <summary>
    /// How often the server asked for another cookie than at first: it has forgotten the handshake, or the first question was forged. Any
    /// sender can forge one.
    /// </summary>
    public int LaterQuestions { get; private set; }

    protected override bool ExpectsFinished => _next == ExpectedMessage.Finished;

    private bool OffersGroups => Settings.Suites.Any(static suite => suite.KeyExchange != KeyExchange.Psk);

    /// <summary>Offers to resume a session. Before <see cref="Start"/>.</summary>
    /// <param name="session">
    /// The session, with the bytes that <see cref="SaveSession"/> returned; the handshake does not need them afterwards.
    /// </param>
    /// <returns>Whether its state is readable and its cipher suite still allowed.</returns>
    public bool Resume(ResumableSession session)
    {
        if (ResumptionState.Read(session.Bytes) is not { } state || !Settings.Suites.Contains(state.Suite))
        {
            return false;
        }

        _resumed = session;
        _offered = state;
        SetPreSharedKey(session.PskKey);
        return true;
    }

    /// <summary>Returns the state for resuming the session, including its master secret. Call it when the handshake is done.</summary>
    /// <returns>Bytes that the caller overwrites after use; null if the server does not resume sessions.</returns>
    public byte[]? SaveSession() =>
        Status != HandshakeStatus.Done || !HasExtendedMasterSecret || (_sessionId.Length == 0 && _ticket.Length == 0)
            ? null
            : new ResumptionState(Suite!, Master, _sessionId, _ticket).ToBytes();

    /// <summary>Sends the ClientHello.</summary>
    /// <param name="serverName">
    /// The name of the server, for its choice of certificate (RFC 6066 section 3); it sends none for an address or null.
    /// </param>
    public void Start(string? serverName)
    {
        _serverName = serverName is null || IPAddress.TryParse(serverName, out _) ? null : serverName;
        _sessionId = _offered.Ticket is { Length: > 0 } && _offered.SessionId is not { Length: > 0 }
            ? RandomBytes(TicketSessionIdLength)
            : _offered.SessionId ?? [];
        SendHello();
    }

    protected override bool Takes(in MessageHeader header, ReadOnlySpan<byte> fragment)
    {
        // Any sender can forge a message of another type.
        if ((int)header.Type >= MessageBits || (ServerMessages & (1u << (int)header.Type)) == 0)
        {
            return header.Type == HandshakeType.Finished;
        }

        if (header.Type == HandshakeType.HelloVerifyRequest && _hasCookie)
        {
            CountQuestion(header, fragment);
            return false;
        }

        Heard |= 1u << (int)header.Type;
        Progress++;
        if (header.Number < Messages.Next)
        {
            if (header.Type == HandshakeType.ServerHelloDone && _next == ExpectedMessage.Finished)
            {
                SendFlightAgain();
            }

            return false;
        }

        return header.Length <= (header.Type == HandshakeType.Certificate ? MaxServerCertificates : MaxMessage);
    }

    protected override void OnPlainAlert(AlertDescription alert)
    {
        Refusal = alert;
        Refusals++;
    }

    protected override bool Expects(HandshakeType type) => _next switch
    {
        ExpectedMessage.ServerHello => type == HandshakeType.ServerHello || (type == HandshakeType.HelloVerifyRequest && !_hasCookie),
        ExpectedMessage.Certificate => type == HandshakeType.Certificate,
        ExpectedMessage.ServerKeyExchange => type == HandshakeType.ServerKeyExchange
            || (type == HandshakeType.ServerHelloDone && Suite!.KeyExchange == KeyExchange.Psk),
        ExpectedMessage.CertificateRequest => type is HandshakeType.CertificateRequest or HandshakeType.ServerHelloDone,
        ExpectedMessage.ServerHelloDone => type == HandshakeType.ServerHelloDone,
        _ => type == HandshakeType.Finished || (type == HandshakeType.NewSessionTicket && _getsTicket),
    };

    protected override void OnMessage(HandshakeType type, ReadOnlySpan<byte> message, ReadOnlySpan<byte> body)
    {
        switch (type)
        {
            case HandshakeType.HelloVerifyRequest:
                OnHelloVerifyRequest(body);
                break;
            case HandshakeType.ServerHello:
                Transcript.Add(message);
                OnServerHello(body);
                break;
            case HandshakeType.Certificate:
                Transcript.Add(message);
                if (!ReadCertificate(body, _serverType))
                {
                    throw new AlertException(
                        AlertDescription.BadCertificate, "The server presented no certificate.", HandshakeFault.CertificateRefused);
                }

                _next = ExpectedMessage.ServerKeyExchange;
                break;
            case HandshakeType.ServerKeyExchange:
                Transcript.Add(message);
                OnServerKeyExchange(body);
                _next = Suite!.UsesPreSharedKey ? ExpectedMessage.ServerHelloDone : ExpectedMessage.CertificateRequest;
                break;
            case HandshakeType.CertificateRequest:
                Transcript.Add(message);
                OnCertificateRequest(body);
                _next = ExpectedMessage.ServerHelloDone;
                break;
            case HandshakeType.ServerHelloDone:
                Transcript.Add(message);
                new MessageReader(body).End();
                SelectKey();
                break;
            default:
                Transcript.Add(message);
                MessageReader reader = new(body);
                _ = reader.Read(sizeof(uint));
                _ticket = reader.ReadVector(2).ToArray();
                reader.End();
                _getsTicket = false;
                break;
        }
    }

    protected override void OnFinished()
    {
        if (IsResumed)
        {
            // A short handshake shows neither of them again.
            ResumableSession session = _resumed!;
            (PskIdentity, PeerCertificate, PeerPublicKey) = (session.PskIdentity, session.PeerCertificate, session.PeerPublicKey);
            PeerChain = session.PeerChain;
            PskHint = session.PskHint;
            BeginFlight();
            AddFinished();
            Flush(isLast: true);
        }

        Complete();
    }

    protected override void OnDisposed() => CryptographicOperations.ZeroMemory(_offered.Master);

    private void CountQuestion(in MessageHeader header, ReadOnlySpan<byte> fragment)
    {
        if (header.IsWhole)
        {
            try
            {
                MessageReader reader = new(fragment);
                _ = reader.ReadUInt16();
                LaterQuestions += reader.ReadVector(1).SequenceEqual(_cookie) ? 0 : 1;
            }
            catch (AlertException)
            {
                // Malformed, so it is not from a server that forgot the handshake.
            }
        }
    }

    /// <summary>Whether a datagram may be one of this handshake, as far as its first bytes show.</summary>
    /// <param name="start">The first bytes of a datagram that this end sent, at least one.</param>
    public bool MayHaveSent(ReadOnlySpan<byte> start)
    {
        const int EpochOffset = 3;
        const int FragmentOffset = RecordHeader.Size + 6;
        const int RandomOffset = RecordHeader.Size + MessageHeader.Size + 2;
        if (start[0] != (byte)ContentType.Handshake
            || (start.Length >= EpochOffset + 2 && start.Slice(EpochOffset, 2).ContainsAnyExcept((byte)0)))
        {
            return false;
        }

        bool hasRandom = start.Length >= RandomOffset + RandomLength && start[RecordHeader.Size] == (byte)HandshakeType.ClientHello
            && !start.Slice(FragmentOffset, 3).ContainsAnyExcept((byte)0);
        return !hasRandom || start.Slice(RandomOffset, RandomLength).SequenceEqual(_ownRandom);
    }

    private void SendHello()
    {
        BeginFlight();
        BeginTranscript(keepsBytes: Context.CanSign || Settings.Suites.Any(static suite => suite.Hash != PrfHash.Sha256));
        ClientRandom = _ownRandom;
        MessageWriter hello = Begin(HandshakeType.ClientHello)
            .UInt16(RecordHeader.Version).Bytes(_ownRandom).Vector(1, _sessionId).Vector(1, _cookie);
        int suites = hello.BeginVector(2);
        foreach (CipherSuite suite in Settings.Suites)
        {
            hello.UInt16(suite.Id);
        }

        hello.UInt16(RenegotiationSuite).EndVector(suites, 2).Vector(1, [0]);
        int extensions = hello.BeginVector(2);
        WriteExtensions(hello);
        Add(hello.EndExtensions(extensions));
        Flush();
    }

    private void WriteExtensions(MessageWriter hello)
    {
        if (_serverName is not null)
        {
            hello.UInt16(ServerNameExtension);
            int content = hello.BeginVector(2);
            int list = hello.BeginVector(2);
            hello.Byte(0).Vector(2, Encoding.ASCII.GetBytes(_serverName)).EndVector(list, 2).EndVector(content, 2);
        }

        if (Settings.OffersExtendedMasterSecret)
        {
            hello.UInt16(ExtendedMasterSecretExtension).Vector(2, []);
        }

        if (OffersGroups)
        {
            WriteList(hello, GroupsExtension, 2, EphemeralKey.Groups);
            WriteList(hello, PointFormatsExtension, 1, [UncompressedPoints]);
        }

        if (Settings.Suites.Any(static suite => !suite.UsesPreSharedKey))
        {
            WriteList(hello, SignaturesExtension, 2, SignatureScheme.Accepted);
            if (Context.PublicKey.Length > 0)
            {
                WriteList(hello, ClientCertificateTypeExtension, 1, [RawPublicKeyType]);
            }

            if (Settings.TakesRawPublicKeys)
            {
                WriteList(hello, ServerCertificateTypeExtension, 1, [RawPublicKeyType, X509Type]);
            }
        }

        hello.UInt16(RecordSizeLimitExtension).UInt16(sizeof(ushort)).UInt16((ushort)Settings.RecordSizeLimit);
        if (Settings.UsesTickets ?? true)
        {
            hello.UInt16(TicketExtension).Vector(2, _offered.Ticket);
        }

        if (OwnCid is not null)
        {
            WriteList(hello, ConnectionIdExtension, 1, OwnCid);
            if (Settings.OffersPathChecks)
            {
                hello.UInt16(ReturnRoutabilityExtension).Vector(2, []);
            }
        }
    }

    private static void WriteList(MessageWriter hello, ushort extension, int lengthSize, ReadOnlySpan<byte> list)
    {
        hello.UInt16(extension);
        int content = hello.BeginVector(2);
        hello.Vector(lengthSize, list).EndVector(content, 2);
    }

    private void OnHelloVerifyRequest(ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        _ = reader.ReadUInt16();
        _cookie = reader.ReadVector(1).ToArray();
        reader.End();
        _hasCookie = true;
        SendHello();
    }

    private void OnServerHello(ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        if (reader.ReadUInt16() != RecordHeader.Version)
        {
            throw new AlertException(
                AlertDescription.ProtocolVersion, "The server does not speak DTLS 1.2.", HandshakeFault.NothingInCommon);
        }

        ServerRandom = reader.Read(RandomLength).ToArray();
        byte[] sessionId = reader.ReadSessionId().ToArray();
        ushort number = reader.ReadUInt16();
        byte compression = reader.ReadByte();
        Suite = Settings.Suites.FirstOrDefault(suite => suite.Id == number);
        if (Suite is null || compression != 0)
        {
            throw new AlertException(
                AlertDescription.IllegalParameter, "The server chose a cipher suite that this end did not offer.",
                    HandshakeFault.NothingInCommon);
        }

        Transcript.Use(Suite.Hash);
        ReadExtensions(reader.IsEmpty ? default : reader.ReadVector(2));
        reader.End();
        if (Settings.RequiresExtendedMasterSecret && !HasExtendedMasterSecret)
        {
            throw new AlertException(AlertDescription.HandshakeFailure, NoExtendedMasterSecret, HandshakeFault.NothingInCommon);
        }

        IsResumed = _resumed is not null && sessionId.Length > 0 && sessionId.AsSpan().SequenceEqual(_sessionId);
        _sessionId = sessionId;
        if (IsResumed)
        {
            if (Suite != _offered.Suite || !HasExtendedMasterSecret)
            {
                throw new AlertException(
                    AlertDescription.IllegalParameter, "The server resumed a session with other parameters than at first.");
            }

            _sessionId = _offered.SessionId;
            _ticket = _offered.Ticket;
            UseMaster([.. _offered.Master]);
            _next = ExpectedMessage.Finished;
            return;
        }

        _next = Suite.UsesPreSharedKey ? ExpectedMessage.ServerKeyExchange : ExpectedMessage.Certificate;
        if (Suite.UsesPreSharedKey || !Context.CanSign)
        {
            Transcript.ForgetBytes();
        }
    }

    private void ReadExtensions(ReadOnlySpan<byte> bytes)
    {
        ExtensionReader extensions = new(bytes, stackalloc ushort[ExtensionReader.MaxCount]);
        while (extensions.TryRead(out ushort type, out MessageReader content))
        {
            switch (type)
            {
                case ExtendedMasterSecretExtension when Settings.OffersExtendedMasterSecret:
                    HasExtendedMasterSecret = true;
                    break;
                case RenegotiationExtension:
                    // RFC 5746 section 3.4: nothing was negotiated before.
                    if (content.ReadVector(1).Length > 0)
                    {
                        throw new AlertException(
                            AlertDescription.HandshakeFailure, "The server continues a handshake that this end does not know.");
                    }

                    break;
                case ConnectionIdExtension when OwnCid is not null:
                    PeerCid = content.ReadVector(1).ToArray();
                    break;
                case ReturnRoutabilityExtension when OwnCid is not null && Settings.OffersPathChecks:
                    ChecksPaths = true;
                    break;
                case RecordSizeLimitExtension:
                    ReadRecordLimit(ref content);
                    break;
                case TicketExtension when Settings.UsesTickets ?? true:
                    _getsTicket = true;
                    break;
                case ClientCertificateTypeExtension when Context.PublicKey.Length > 0:
                    _ownType = Offered(content.ReadByte(), [RawPublicKeyType]);
                    break;
                case ServerCertificateTypeExtension when Settings.TakesRawPublicKeys:
                    _serverType = Offered(content.ReadByte(), [RawPublicKeyType, X509Type]);
                    break;
                case PointFormatsExtension when OffersGroups:
                    ReadPointFormats(ref content);
                    break;
                case ServerNameExtension when _serverName is not null:
                    break;
                default:
                    throw new AlertException(
                        AlertDescription.UnsupportedExtension, $"The server answered an extension ({type}) that this end did not send.");
            }

            content.End();
        }

        if (ChecksPaths && PeerCid is null)
        {
            // RFC 9853 section 3
            throw new AlertException(
                AlertDescription.IllegalParameter, "The server wants to check paths (RFC 9853) without Connection IDs.");
        }
    }

    private static byte Offered(byte type, ReadOnlySpan<byte> offered) => offered.Contains(type)
        ? type
        : throw new AlertException(
            AlertDescription.IllegalParameter, "The server chose a type of certificate that this end did not offer.",
                HandshakeFault.NothingInCommon);

    private void OnServerKeyExchange(ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        if (Suite!.UsesPreSharedKey)
        {
            // A hint that is not UTF-8 (RFC 4279 section 5.1) is none.
            ReadOnlySpan<byte> hint = reader.ReadVector(2);
            PskHint = hint.Length > 0 && Utf8.IsValid(hint) ? Encoding.UTF8.GetString(hint) : null;
            if (Suite.KeyExchange == KeyExchange.EcdhePsk)
            {
                _serverPoint = ReadEphemeral(ref reader, out _serverGroup).ToArray();
            }

            reader.End();
            return;
        }

        _serverPoint = ReadEphemeral(ref reader, out _serverGroup).ToArray();
        byte[] signed = [.. ClientRandom, .. ServerRandom, .. body[..^reader.Rest.Length]];
        ushort scheme = reader.ReadUInt16();
        ReadOnlySpan<byte> signature = reader.ReadVector(2);
        reader.End();
        if (!SignatureScheme.IsEcdsa(scheme))
        {
            throw new AlertException(
                AlertDescription.IllegalParameter,
                    $"The server signed with an algorithm ({scheme:x4}) that the suite {Suite} does not have.",
                HandshakeFault.NothingInCommon);
        }

        if (!IsSignedByPeer(scheme, algorithm => CryptographicOperations.HashData(algorithm, signed), signature))
        {
            throw new AlertException(
                AlertDescription.DecryptError, "The server did not prove that it has the key of its certificate.",
                    HandshakeFault.CertificateRefused);
        }
    }

    private void OnCertificateRequest(ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        _isAskedForEcdsa = reader.ReadVector(1).Contains(EcdsaSign);
        _serverSchemes = reader.ReadNumbers().ToArray();
        _ = reader.ReadVector(2);
        reader.End();
        _isAskedForCertificate = true;
    }

    private void Answer()
    {
        CipherSuite suite = Suite!;
        if (suite.KeyExchange != KeyExchange.Psk)
        {
            Ephemeral = EphemeralKey.TryCreate([(byte)(_serverGroup >> 8), (byte)_serverGroup])
                ?? throw new AlertException(
                    AlertDescription.IllegalParameter, "The server chose a curve that this end did not offer.",
                        HandshakeFault.NothingInCommon);
        }

        BeginFlight();
        ushort? scheme = _isAskedForEcdsa && (Context.PublicKey.Length == 0 || _ownType == RawPublicKeyType)
            ? Context.ChooseScheme(_serverSchemes)
            : null;
        if (_isAskedForCertificate)
        {
            Add(WriteCertificate(Begin(HandshakeType.Certificate), isEmpty: scheme is null));
        }

        MessageWriter exchange = Begin(HandshakeType.ClientKeyExchange);
        if (suite.UsesPreSharedKey)
        {
            exchange.Vector(2, Encoding.UTF8.GetBytes(PskIdentity!));
        }

        if (Ephemeral is not null)
        {
            exchange.Vector(1, Ephemeral.Point);
        }

        Add(exchange);
        DeriveMaster(_serverPoint);
        if (scheme is { } chosen)
        {
            Sign(chosen, Transcript.Hash(SignatureScheme.HashOf(chosen)!.Value), signature =>
            {
                Add(Begin(HandshakeType.CertificateVerify).UInt16(chosen).Vector(2, signature));
                EndFlight();
            });
            return;
        }

        EndFlight();
    }

    private void EndFlight()
    {
        Transcript.ForgetBytes();
        AddFinished();
        _next = ExpectedMessage.Finished;
        Flush();
    }

    private void SelectKey()
    {
        if (!Suite!.UsesPreSharedKey)
        {
            Answer();
        }
        else if (SelectPsk is null)
        {
            CheckIdentity();
            Answer();
        }
        else
        {
            Ask(async token =>
            {
                CoapPskCredential? selected = await SelectPsk(PskHint, token).ConfigureAwait(false);
                return () =>
                {
                    if (selected is not null)
                    {
                        PskIdentity = selected.Identity;
                        SetPreSharedKey(selected.Key.Span);
                    }

                    CheckIdentity();
                    Answer();
                };
            });
        }
    }

    private void CheckIdentity()
    {
        LacksPreSharedKey = PskIdentity is null;
        if (LacksPreSharedKey)
        {
            throw new AlertException(AlertDescription.HandshakeFailure, "The server wants a pre-shared key, and this end has none.");
        }
    }
}
