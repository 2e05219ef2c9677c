using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Unicode;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A server's end of a handshake, for a client that proved its address with a cookie.</summary>
/// <param name="context">The settings and secrets that the handshakes of its endpoint share.</param>
/// <param name="makeCid">Creates a Connection ID if the client supports them; null: assign none.</param>
internal sealed class ServerHandshake(SharedHandshakeContext context, Func<byte[]>? makeCid)
    : Handshake(context, ownCid: null, ServerHandshakeInputFilter.MaxCertificates)
{
    private const byte RsaSign = 1;
    private const int SessionIdLength = 16;

    private readonly Func<byte[]>? _makeCid = context.HasCid ? makeCid : null;
    private readonly ServerHandshakeInputFilter _filter = new();
    private byte[]? _foundId;
    private SavedResumption? _found;
    private byte[]? _kept;
    private byte[]? _resumable;
    private DateTimeOffset _keptUntil;
    private byte[] _clientPoint = [];
    private byte[] _clientSchemes = [];
    private byte[] _clientGroups = [];
    private ushort _scheme;
    private ExpectedMessage _next;
    private byte _clientType;
    private byte _ownType;
    private bool _hasRenegotiationInfo;
    private bool _hasClientTypes;
    private bool _hasServerTypes;
    private bool _hasPointFormats;
    private bool _hasRecordLimit;

    private enum ExpectedMessage
    {
        Certificate,
        ClientKeyExchange,
        CertificateVerify,
        Finished,
    }

    /// <summary>Whether it has received its ClientHello.</summary>
    public bool IsStarted { get; private set; }

    /// <summary>Number of required messages that have begun to arrive.</summary>
    public int Progress => _filter.Progress;

    /// <summary>
    /// Whether the session outlives this handshake in a store or with a backup, so that <see cref="HandshakeResult.ClientCredentials"/> is
    /// necessary.
    /// </summary>
    public bool KeepsClientCredentials { get; init; }

    /// <summary>The host name that the client requested, if the rules of the server depend on it.</summary>
    public string? ServerName { get; init; }

    /// <summary>Creates the IDs of sessions that several servers may resume.</summary>
    public SessionIdGenerator SessionIds { get; init; }

    protected override bool ExpectsFinished => _next == ExpectedMessage.Finished;

    // A server does not ask clients with pre-shared keys.
    private bool AsksForCertificate =>
        (Settings.RequiresClientCertificate || Settings.RequestsClientCertificate) && Suite is { UsesPreSharedKey: false };

    private bool Resumes => Settings.SessionStore is not null || Settings.SharesSessions;

    /// <summary>Processes the ClientHello after the check of its cookie.</summary>
    /// <param name="clientHello">The datagram.</param>
    public void Start(ReadOnlySpan<byte> clientHello)
    {
        IsStarted = true;
        if (!ClientHello.TryRead(clientHello, out ClientHello hello))
        {
            Fail(new HandshakeFailureReason("The datagram is not a ClientHello with a cookie."));
            return;
        }

        // A server that asked for a cookie has no state before: it continues with the numbers of the client (RFC 6347 section 4.2.1).
        ReadOnlySpan<byte> content = hello.Record[RecordHeader.Size..];
        _ = MessageHeader.TryRead(content, out MessageHeader header);
        StartAt(header.Number, hello.Sequence);
        Messages.Restart(header.Number);
        _ = Messages.TryAdd(header, content[MessageHeader.Size..]);
        Continue();
    }

    /// <summary>Keeps the keyed hash of the client's key with the session.</summary>
    /// <param name="keyHash">The keyed hash of the client's key (<see cref="ClientCredentialRecord.OfKey"/>).</param>
    public void Keep(byte[] keyHash) => ClientCredentials = keyHash;

    /// <summary>Supplies the requested key.</summary>
    /// <param name="key">
    /// The key of <see cref="Handshake.PskIdentity"/>. For an unknown identity supply a random one, so that a client cannot find out which
    /// identities exist.
    /// </param>
    public void GiveKey(ReadOnlySpan<byte> key)
    {
        if (Status != HandshakeStatus.WantsKey)
        {
            return;
        }

        SetPreSharedKey(key);
        Status = HandshakeStatus.Running;
        Continue(() => DeriveMaster(_clientPoint));
    }

    /// <summary>Sets the stored session that the client wants to resume. Call it before the start.</summary>
    /// <param name="id">The session ID.</param>
    /// <param name="session">The session, which the handshake disposes; null for none.</param>
    public void Found(byte[] id, SavedResumption? session) => (_foundId, _found) = (id, session);

    /// <summary>Stores the new session for other servers too. Call it when the handshake is done.</summary>
    /// <param name="resumption">The shared store; null for none.</param>
    public void KeepBy(ResumptionStoreGuard? resumption)
    {
        if (_kept is { } state && resumption is not null)
        {
            _kept = null;
            resumption.Add(ResumptionId!, state, _keptUntil);
        }
    }

    protected override bool TakesRecord(ReadOnlySpan<byte> content) => _filter.Takes(content, AsksForCertificate);

    protected override bool Takes(in MessageHeader header, ReadOnlySpan<byte> fragment)
    {
        if (header.Type == HandshakeType.ClientHello && header.Number < Messages.Next)
        {
            SendFlightAgain();
            return false;
        }

        return true;
    }

    protected override bool Expects(HandshakeType type) => Suite is null ? type == HandshakeType.ClientHello : _next switch
    {
        ExpectedMessage.Certificate => type == HandshakeType.Certificate,
        ExpectedMessage.ClientKeyExchange => type == HandshakeType.ClientKeyExchange,
        ExpectedMessage.CertificateVerify => type == HandshakeType.CertificateVerify,
        _ => type == HandshakeType.Finished,
    };

    protected override void OnMessage(HandshakeType type, ReadOnlySpan<byte> message, ReadOnlySpan<byte> body)
    {
        switch (type)
        {
            case HandshakeType.ClientHello:
                OnClientHello(message, body);
                break;
            case HandshakeType.Certificate:
                Transcript.Add(message);
                OnCertificate(body);
                break;
            case HandshakeType.ClientKeyExchange:
                Transcript.Add(message);
                OnClientKeyExchange(body);
                break;
            default:
                OnCertificateVerify(body);
                Transcript.Add(message);
                _next = ExpectedMessage.Finished;
                break;
        }
    }

    protected override void OnFinished()
    {
        if (!IsResumed)
        {
            BeginFlight();
            AddFinished();
            Flush(isLast: true);
            if (KeepsClientCredentials && PeerCertificate is { } certificate)
            {
                ClientCredentials = ClientCredentialRecord.OfCertificate(ServerName, certificate, PeerChain);
            }

            if (ResumptionId is not null)
            {
                KeepSession();
            }
        }

        Complete();
    }

    protected override void OnDisposed()
    {
        _found?.Dispose();
        CryptographicOperations.ZeroMemory(_kept);
        CryptographicOperations.ZeroMemory(_resumable);
    }

    private void OnClientHello(ReadOnlySpan<byte> message, ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        ushort version = reader.ReadUInt16();
        ClientRandom = reader.Read(RandomLength).ToArray();
        byte[] sessionId = reader.ReadSessionId().ToArray();
        _ = reader.ReadVector(1);
        byte[] suites = reader.ReadNumbers().ToArray();
        ReadOnlySpan<byte> compressions = reader.ReadVector(1);
        ReadOnlySpan<byte> extensions = reader.IsEmpty ? default : reader.ReadVector(2);
        reader.End();

        // Versions of DTLS count down.
        if (version > RecordHeader.Version || !compressions.Contains((byte)0))
        {
            throw new AlertException(
                AlertDescription.ProtocolVersion, "The client and this server have no version in common: this server speaks DTLS 1.2.",
                HandshakeFault.NothingInCommon);
        }

        _hasRenegotiationInfo = NumberList.Contains(suites, RenegotiationSuite);
        ReadExtensions(extensions);
        ServerRandom = RandomBytes(RandomLength);
        if (Settings.RequiresExtendedMasterSecret && !HasExtendedMasterSecret)
        {
            throw new AlertException(AlertDescription.HandshakeFailure, NoExtendedMasterSecret, HandshakeFault.NothingInCommon);
        }

        byte[] hello = message.ToArray();
        if (ReadResumption(sessionId, suites) is not { } state)
        {
            BeginSession(suites, hello);
            return;
        }

        SavedResumption saved = _found!;
        X509Certificate2? leaf = saved.Certificate.Length == 0 ? null : X509CertificateLoader.LoadCertificate(saved.Certificate);
        if (leaf is null && saved.PublicKey.Length == 0)
        {
            Resume(state, leaf, sessionId, hello);
            return;
        }

        _resumable = state.Master;
        Ask(async token =>
        {
            bool isAccepted = await AcceptsAgainAsync(leaf, saved.PublicKey, saved.ClientCredentials, token).ConfigureAwait(false);
            return () =>
            {
                if (isAccepted)
                {
                    _resumable = null;
                    Resume(state, leaf, sessionId, hello);
                }
                else
                {
                    CryptographicOperations.ZeroMemory(state.Master);
                    BeginSession(suites, hello);
                }
            };
        });
    }

    private void BeginSession(byte[] suites, byte[] message)
    {
        ChooseSuite(suites);
        BeginTranscript(AsksForCertificate);
        Transcript.Use(Suite!.Hash);
        Transcript.Add(message);
        BeginFlight();
        byte[] newId = Resumes && HasExtendedMasterSecret ? NewSessionId() : [];
        ResumptionId = newId.Length > 0 ? newId : null;
        AddServerHello(newId);
        if (!Suite!.UsesPreSharedKey)
        {
            Add(WriteCertificate(Begin(HandshakeType.Certificate), isEmpty: false));
        }

        AddServerKeyExchange();
    }

    private void EndHelloFlight()
    {
        if (AsksForCertificate)
        {
            Add(Begin(HandshakeType.CertificateRequest).Vector(1, [EcdsaSign, RsaSign]).Vector(2, SignatureScheme.Accepted).UInt16(0));
        }

        Add(Begin(HandshakeType.ServerHelloDone));
        _next = AsksForCertificate ? ExpectedMessage.Certificate : ExpectedMessage.ClientKeyExchange;
        Flush();
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
                    _hasRenegotiationInfo = true;
                    if (content.ReadVector(1).Length > 0)
                    {
                        throw new AlertException(
                            AlertDescription.HandshakeFailure, "The client continues a handshake that this end does not know.");
                    }

                    break;
                case GroupsExtension:
                    _clientGroups = content.ReadNumbers().ToArray();
                    break;
                case PointFormatsExtension:
                    ReadPointFormats(ref content);
                    _hasPointFormats = true;
                    break;
                case SignaturesExtension:
                    _clientSchemes = content.ReadNumbers().ToArray();
                    break;
                case ClientCertificateTypeExtension:
                    ReadOnlySpan<byte> shown = content.ReadVector(1);
                    _hasClientTypes = true;
                    _clientType = Settings.TakesRawPublicKeys && shown.Contains(RawPublicKeyType) ? RawPublicKeyType
                        : shown.Contains(X509Type) ? X509Type : byte.MaxValue;
                    break;
                case RecordSizeLimitExtension:
                    ReadRecordLimit(ref content);
                    _hasRecordLimit = true;
                    break;
                case ServerCertificateTypeExtension:
                    ReadOnlySpan<byte> taken = content.ReadVector(1);
                    _hasServerTypes = true;
                    byte own = Context.PublicKey.Length > 0 ? RawPublicKeyType : X509Type;
                    _ownType = taken.Contains(own) ? own : byte.MaxValue;
                    break;
                case ConnectionIdExtension when _makeCid is not null:
                    PeerCid = content.ReadVector(1).ToArray();
                    OwnCid = _makeCid();
                    break;
                case ReturnRoutabilityExtension when _makeCid is not null && Settings.OffersPathChecks:
                    ChecksPaths = true;
                    break;
                default:
                    continue;
            }

            content.End();
        }

        // RFC 9853 section 3: only with Connection IDs.
        ChecksPaths &= PeerCid is not null;
        if (!_hasServerTypes && Context.PublicKey.Length > 0)
        {
            // Without the extension the client takes certificates only.
            _ownType = byte.MaxValue;
        }
    }

    private ResumptionState? ReadResumption(byte[] sessionId, ReadOnlySpan<byte> suites)
    {
        if (_found is not { } saved || sessionId.Length == 0 || !sessionId.AsSpan().SequenceEqual(_foundId)
            || saved.Expires <= Settings.Time.GetUtcNow()

            // RFC 6066 section 3: never under another name than the handshake had.
            || saved.ServerName != ServerName || ResumptionState.Read(saved.Session) is not { } state)
        {
            return null;
        }

        if (!state.SessionId.AsSpan().SequenceEqual(Context.Rules)
            || !Settings.Suites.Contains(state.Suite) || !NumberList.Contains(suites, state.Suite.Id))
        {
            CryptographicOperations.ZeroMemory(state.Master);
            return null;
        }

        if (!HasExtendedMasterSecret)
        {
            CryptographicOperations.ZeroMemory(state.Master);
            throw new AlertException(
                AlertDescription.HandshakeFailure, "The client resumes a session without the extended master secret it had.");
        }

        return state;
    }

    private void Resume(in ResumptionState state, X509Certificate2? leaf, byte[] sessionId, byte[] hello)
    {
        SavedResumption saved = _found!;
        IsResumed = true;
        Suite = state.Suite;
        (PskIdentity, PeerCertificate, PeerPublicKey, ClientCredentials) =
            (saved.PskIdentity, leaf, saved.PublicKey, saved.ClientCredentials);
        ResumptionId = sessionId;
        BeginTranscript(keepsBytes: false);
        Transcript.Use(Suite.Hash);
        Transcript.Add(hello);
        BeginFlight();
        AddServerHello(sessionId);
        UseMaster(state.Master);
        AddFinished();
        _next = ExpectedMessage.Finished;
        Flush();
    }

    // A client that the rules no longer admit must not return by an earlier validation. The key of an identity was compared before.
    private async ValueTask<bool> AcceptsAgainAsync(X509Certificate2? leaf, byte[] publicKey, byte[] credentials, CancellationToken token)
    {
        try
        {
            return leaf is null
                ? ValidateRawPublicKey is { } accepts && await accepts(publicKey, token).ConfigureAwait(false)
                : Validate is { } validate
                    && await validate(leaf, ClientCredentialRecord.ReadCertificates(credentials).Sent, token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the client makes a full handshake, which validates again and reports the reason
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }

    private void ChooseSuite(ReadOnlySpan<byte> offered)
    {
        bool hasSuite = false;
        foreach (CipherSuite suite in Settings.Suites)
        {
            if (!NumberList.Contains(offered, suite.Id))
            {
                continue;
            }

            hasSuite = true;
            if (!suite.UsesPreSharedKey)
            {
                if (_ownType == byte.MaxValue || !Context.HasKeyIn(_clientGroups)
                    || Context.ChooseScheme(_clientSchemes) is not { } scheme)
                {
                    continue;
                }

                _scheme = scheme;
            }

            if (suite.KeyExchange != KeyExchange.Psk)
            {
                Ephemeral = EphemeralKey.TryCreate(_clientGroups);
                if (Ephemeral is null)
                {
                    continue;
                }
            }

            Suite = suite;
            return;
        }

        throw new AlertException(
            AlertDescription.HandshakeFailure,
            hasSuite
                ? "The client and this server have no curve, signature algorithm or type of certificate in common."
                : "The client and this server have no cipher suite in common (no shared cipher). Compare the suites and the credentials of "
                    + $"both: this server offers {string.Join(", ", Settings.Suites)}.",
            HandshakeFault.NothingInCommon);
    }

    private void AddServerHello(byte[] sessionId)
    {
        MessageWriter hello = Begin(HandshakeType.ServerHello)
            .UInt16(RecordHeader.Version).Bytes(ServerRandom).Vector(1, sessionId).UInt16(Suite!.Id).Byte(0);
        int extensions = hello.BeginVector(2);
        if (_hasRenegotiationInfo)
        {
            hello.UInt16(RenegotiationExtension).Vector(2, [0]);
        }

        if (HasExtendedMasterSecret)
        {
            hello.UInt16(ExtendedMasterSecretExtension).Vector(2, []);
        }

        if (Suite.KeyExchange != KeyExchange.Psk && _hasPointFormats && !IsResumed)
        {
            hello.UInt16(PointFormatsExtension).Vector(2, [1, 0]);
        }

        if (!Suite.UsesPreSharedKey && !IsResumed)
        {
            if (_hasServerTypes)
            {
                hello.UInt16(ServerCertificateTypeExtension).Vector(2, [_ownType]);
            }

            if (_hasClientTypes && AsksForCertificate && _clientType != byte.MaxValue)
            {
                hello.UInt16(ClientCertificateTypeExtension).Vector(2, [_clientType]);
            }
        }

        if (_hasRecordLimit)
        {
            hello.UInt16(RecordSizeLimitExtension).UInt16(sizeof(ushort)).UInt16((ushort)Settings.RecordSizeLimit);
        }

        if (PeerCid is not null)
        {
            hello.UInt16(ConnectionIdExtension).Vector(2, [(byte)OwnCid!.Length, .. OwnCid]);
        }

        if (ChecksPaths)
        {
            hello.UInt16(ReturnRoutabilityExtension).Vector(2, []);
        }

        Add(hello.EndExtensions(extensions));
        TraceSuite();
    }

    private void AddServerKeyExchange()
    {
        if (Suite!.KeyExchange == KeyExchange.Psk && Settings.PskIdentityHint is null)
        {
            EndHelloFlight();
            return;
        }

        MessageWriter exchange = Begin(HandshakeType.ServerKeyExchange);
        if (Suite.UsesPreSharedKey)
        {
            exchange.Vector(2, Encoding.UTF8.GetBytes(Settings.PskIdentityHint ?? ""));
        }

        if (Ephemeral is not null)
        {
            int mark = WriteEphemeral(exchange);
            if (!Suite.UsesPreSharedKey)
            {
                byte[] signed = [.. ClientRandom, .. ServerRandom, .. exchange.Since(mark)];
                Sign(_scheme, CryptographicOperations.HashData(SignatureScheme.HashOf(_scheme)!.Value, signed), signature =>
                {
                    Add(exchange.UInt16(_scheme).Vector(2, signature));
                    EndHelloFlight();
                });
                return;
            }
        }

        Add(exchange);
        EndHelloFlight();
    }

    private void OnCertificate(ReadOnlySpan<byte> body)
    {
        _next = ExpectedMessage.ClientKeyExchange;
        if (ReadCertificate(body, _clientType == RawPublicKeyType ? RawPublicKeyType : X509Type))
        {
            return;
        }

        if (Settings.RequiresClientCertificate)
        {
            throw new AlertException(
                AlertDescription.HandshakeFailure,
                $"The client presented no certificate{(Settings.TakesRawPublicKeys ? " and no raw public key" : null)}, which this server "
                    + "requires. Give the client one, or require none.",
                HandshakeFault.NoCertificate);
        }

        Transcript.ForgetBytes();
    }

    private void OnClientKeyExchange(ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        ReadOnlySpan<byte> identity = Suite!.UsesPreSharedKey ? reader.ReadVector(2) : default;
        if (identity.Length > PskRules.MaxIdentity)
        {
            throw new AlertException(
                AlertDescription.DecodeError, "The identity of the client has more than 128 bytes (RFC 4279 section 5.3).");
        }

        _clientPoint = Suite.KeyExchange == KeyExchange.Psk ? [] : reader.ReadVector(1).ToArray();
        reader.End();
        _next = PeerCertificate is null && PeerPublicKey.IsEmpty ? ExpectedMessage.Finished : ExpectedMessage.CertificateVerify;
        if (Suite.UsesPreSharedKey)
        {
            // RFC 4279 section 5.1: UTF-8. With a replacement character in place of other bytes, several identities would be one.
            PskIdentity = Utf8.IsValid(identity) ? Encoding.UTF8.GetString(identity) : "";
            Status = HandshakeStatus.WantsKey;
        }
        else
        {
            DeriveMaster(_clientPoint);
        }
    }

    private void OnCertificateVerify(ReadOnlySpan<byte> body)
    {
        MessageReader reader = new(body);
        ushort scheme = reader.ReadUInt16();
        ReadOnlySpan<byte> signature = reader.ReadVector(2);
        reader.End();
        if (!IsSignedByPeer(scheme, Transcript.Hash, signature))
        {
            throw new AlertException(
                AlertDescription.DecryptError, "The client did not prove that it has the key of its certificate.",
                    HandshakeFault.CertificateRefused);
        }
    }

    private byte[] NewSessionId()
    {
        byte[] id = new byte[SessionIdLength];
        if (Settings.SharesSessions)
        {
            SessionIds.Fill(id);
        }
        else
        {
            CoapRandomSource.Secure.Fill(id);
        }

        return id;
    }

    private void KeepSession()
    {
        using SavedResumption saved = new()
        {
            Expires = Settings.Time.GetUtcNow() + Settings.ResumptionLifetime,
            Session = new ResumptionState(Suite!, Master, Context.Rules, []).ToBytes(),
            PskIdentity = PskIdentity,
            Certificate = PeerCertificate?.RawData ?? [],
            PublicKey = PeerPublicKey.ToArray(),
            ClientCredentials = ClientCredentials,
            ServerName = ServerName,
        };
        if (Settings.SessionStore is not null)
        {
            Settings.Store(ResumptionId!, saved.ToBytes(), saved.Expires);
        }
        else
        {
            (_kept, _keptUntil) = (saved.ToBytes(), saved.Expires);
        }
    }
}
