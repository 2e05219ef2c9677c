using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// A handshake (RFC 6347 section 4.2): a state machine of datagrams. It owns no socket, thread or timer; the session layer carries what
/// <see cref="TakeOutput"/> returns, and calls <see cref="OnTimeout"/>. Messages that do not come next are ignored, because anybody can
/// send them: only what the peer proved ends a handshake. Not thread-safe.
/// </summary>
internal abstract class Handshake : IDisposable
{
    /// <summary>The error for a peer without a required extended master secret.</summary>
    public const string NoExtendedMasterSecret =
        "The other end has no extended master secret (RFC 7627), which CoapDtlsOptions.RequireExtendedMasterSecret requires. Update it, or "
            + "do not require it for old peers.";

    protected const int MasterLength = 48;
    protected const int RandomLength = 32;

    // Numbers of extensions in the registry of TLS.
    protected const ushort ServerNameExtension = 0;
    protected const ushort GroupsExtension = 10;
    protected const ushort PointFormatsExtension = 11;
    protected const ushort SignaturesExtension = 13;
    protected const ushort ClientCertificateTypeExtension = 19;
    protected const ushort ServerCertificateTypeExtension = 20;
    protected const ushort ExtendedMasterSecretExtension = 23;
    protected const ushort RecordSizeLimitExtension = 28;
    protected const ushort TicketExtension = 35;
    protected const ushort ConnectionIdExtension = 54;
    protected const ushort ReturnRoutabilityExtension = 61;
    protected const ushort RenegotiationExtension = 0xFF01;

    /// <summary>The number by which a client says, among its suites, that it knows of RFC 5746.</summary>
    protected const ushort RenegotiationSuite = 0x00FF;

    /// <summary>The types of a certificate message (RFC 7250 section 3).</summary>
    protected const byte X509Type = 0;
    protected const byte RawPublicKeyType = 2;

    /// <summary>The type of the keys that ends sign with (RFC 8422 section 5.5).</summary>
    protected const byte EcdsaSign = 64;

    /// <summary>The form of points that this library uses, and that each list of forms has.</summary>
    protected const byte UncompressedPoints = 0;

    private const int VerifyLength = 12;

    // RFC 8449 section 4
    private const int MinRecordLimit = 64;
    private const byte FatalLevel = 2;
    private const int AlertLength = 2;
    private const byte NamedCurve = 3;

    // A fragment shorter than this is not worth its header.
    private const int MinFragment = 64;

    // A Finished that overtakes, and a few records of an attacker; with a Connection ID of any length.
    private const int MaxHeld = 4;
    private const int MaxHeldLength = 384;

    // RFC 6347 section 4.2.4.1
    private static readonly TimeSpan s_longestTimeout = TimeSpan.FromSeconds(60);

    private readonly SharedHandshakeContext _context;
    private readonly List<byte[]> _output = [];
    private readonly List<byte[]> _flight = [];
    private readonly List<(RecordHeader Header, byte[] Record)> _held = [];
    private byte[] _preSharedKey = [];
    private int _peerRecordLimit = RecordLayer.MaxPlaintext;
    private byte[] _master = [];
    private byte[] _lastFlight = [];
    private RecordLayer? _records;
    private TimeSpan _timeout;
    private long? _sentAt;
    private int _changeAt = -1;
    private ushort _nextNumber;
    private ulong _plainSequence;
    private Func<CancellationToken, ValueTask<Action>>? _question;
    private bool _isDistrusted;
    private bool _isDisposed;

    /// <summary>Creates a handshake.</summary>
    /// <param name="context">The settings and secrets that the handshakes of its endpoint share.</param>
    /// <param name="ownCid">The Connection ID that the peer puts into records; null: offer none.</param>
    /// <param name="maxBytes">Maximum bytes of messages of the peer that are not complete, or not due yet.</param>
    protected Handshake(SharedHandshakeContext context, byte[]? ownCid, int maxBytes)
    {
        _context = context;
        OwnCid = context.HasCid ? ownCid : null;
        Messages = new MessageAssembler(0, maxBytes);
        _timeout = context.Settings.RetransmitTimeout;
    }

    /// <summary>The settings that the handshakes of its endpoint share.</summary>
    public HandshakeSettings Settings => _context.Settings;

    /// <summary>The state of the handshake.</summary>
    public HandshakeStatus Status { get; protected set; }

    /// <summary>Why it failed; null if it did not.</summary>
    public HandshakeFailureReason? Failure { get; private set; }

    /// <summary>The subject of the certificate, or the hash of the raw public key, that the peer claims; null if it showed none.</summary>
    public string? ClaimedName { get; private set; }

    /// <summary>The identity that the client claims, with a pre-shared key.</summary>
    public string? PskIdentity { get; protected set; }

    /// <summary>The certificate that the peer showed, if any.</summary>
    public X509Certificate2? PeerCertificate { get; protected set; }

    /// <summary>The certificates that came with it.</summary>
    public X509Certificate2Collection PeerChain { get; protected set; } = [];

    /// <summary>Validates a certificate and those that came with it. Null: trust none.</summary>
    public Func<X509Certificate2, X509Certificate2Collection, CancellationToken, ValueTask<bool>>? Validate { get; init; }

    /// <summary>Validates a raw public key, given as SubjectPublicKeyInfo in DER. Null: trust none.</summary>
    public Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ValidateRawPublicKey { get; init; }

    /// <summary>Gets each message that this end sends or processes, for logs. Null: nothing does.</summary>
    public Action<HandshakeMessageLogEntry>? Trace { get; init; }

    /// <summary>The raw public key that the peer showed, as SubjectPublicKeyInfo in DER (RFC 7250); empty without one.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey { get; protected set; }

    /// <summary>The key of <see cref="PskIdentity"/>.</summary>
    public ReadOnlySpan<byte> PreSharedKey => _preSharedKey;

    /// <summary>
    /// Number of encrypted records of the peer that failed to open: an attacker forged them, or the pre-shared keys differ.
    /// </summary>
    public long Forgeries { get; private set; }

    /// <summary>Whether it resumed an earlier session (RFC 5246 section 7.3).</summary>
    public bool IsResumed { get; protected set; }

    /// <summary>
    /// Whether it binds the master secret to the whole handshake (RFC 7627). Sessions without it must not resume (RFC 7627 section 5.4).
    /// </summary>
    public bool HasExtendedMasterSecret { get; protected set; }

    /// <summary>Whether both ends check paths (RFC 9853).</summary>
    protected bool ChecksPaths { get; set; }

    /// <summary>
    /// The name by which a client may ask this server to resume the session (RFC 5246 section 7.3); null for none. Valid when it is done.
    /// </summary>
    protected byte[]? ResumptionId { get; set; }

    /// <summary>
    /// What the server keeps about the credentials of the client (<see cref="ClientCredentialRecord"/>); empty for nothing.
    /// </summary>
    protected byte[] ClientCredentials { get; set; } = [];

    /// <summary>The Connection ID that records to this end carry.</summary>
    protected byte[]? OwnCid { get; set; }

    /// <summary>The Connection ID that the peer wants in records to it; null if it does not support Connection IDs.</summary>
    protected byte[]? PeerCid { get; set; }

    protected SharedHandshakeContext Context => _context;

    /// <summary>The messages of the peer.</summary>
    protected MessageAssembler Messages { get; }

    protected Transcript Transcript { get; private set; } = new(keepsBytes: false);

    protected byte[] ClientRandom { get; set; } = [];

    protected byte[] ServerRandom { get; set; } = [];

    /// <summary>The agreed cipher suite; null before.</summary>
    protected CipherSuite? Suite { get; set; }

    /// <summary>The own ephemeral key, if the suite has one.</summary>
    protected EphemeralKey? Ephemeral { get; set; }

    /// <summary>The secret of the session, 48 bytes; empty before.</summary>
    protected byte[] Master => _master;

    /// <summary>Whether the next message is Finished of the peer.</summary>
    protected abstract bool ExpectsFinished { get; }

    /// <summary>Processes a datagram of the peer.</summary>
    /// <param name="datagram">Its bytes.</param>
    public void Receive(ReadOnlySpan<byte> datagram)
    {
        if (Status is HandshakeStatus.Done or HandshakeStatus.Failed)
        {
            return;
        }

        // Read for each record: the first of a datagram may negotiate Connection IDs.
        while (RecordHeader.TryRead(datagram, OwnCid?.Length ?? 0, out RecordHeader header))
        {
            int length = header.HeaderLength + header.Length;
            OnRecord(header, datagram[..length]);
            datagram = datagram[length..];
            if (Status == HandshakeStatus.Done)
            {
                Rest = datagram.ToArray();
                return;
            }
        }
    }

    /// <summary>The records behind the end of the handshake in its last datagram: they are for the session.</summary>
    public byte[] Rest { get; private set; } = [];

    /// <summary>Returns the datagrams to send now, in order.</summary>
    /// <returns>Datagrams.</returns>
    public IReadOnlyList<byte[]> TakeOutput()
    {
        if (_output.Count == 0)
        {
            return [];
        }

        byte[][] output = [.. _output];
        _output.Clear();
        return output;
    }

    /// <summary>Returns when <see cref="OnTimeout"/> is due; null if nothing is waiting.</summary>
    /// <returns>The time from now.</returns>
    public TimeSpan? NextTimeout()
    {
        if (_isDisposed || Status != HandshakeStatus.Running || _sentAt is not { } sent)
        {
            return null;
        }

        TimeSpan left = _timeout - Settings.Time.GetElapsedTime(sent);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    /// <summary>Sends the last flight again, if it is due.</summary>
    public void OnTimeout()
    {
        if (NextTimeout() == TimeSpan.Zero)
        {
            _timeout = _timeout * 2 < s_longestTimeout ? _timeout * 2 : s_longestTimeout;
            SendCopy();
        }
    }

    /// <summary>Asks the application for the answers that the status wants, and continues with them.</summary>
    /// <param name="cancellationToken">Cancels a question, which ends the handshake.</param>
    public async ValueTask AskAsync(CancellationToken cancellationToken)
    {
        while (Status == HandshakeStatus.WantsAnswer)
        {
            Action then;
            try
            {
                then = await _question!(cancellationToken).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // code of the application may throw anything; it ends this handshake and nothing else
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Fail(exception);
                return;
            }

            if (Status == HandshakeStatus.WantsAnswer)
            {
                Status = HandshakeStatus.Running;
                Continue(then);
            }
        }
    }

    /// <summary>Ends a handshake because code of the application failed, and tells the peer.</summary>
    /// <param name="exception">The exception.</param>
    public void Fail(Exception exception) =>
        Refuse(
            _isDistrusted ? AlertDescription.BadCertificate : AlertDescription.InternalError,
            HandshakeFailureReason.Of(exception, _isDistrusted));

    /// <summary>Ends a handshake that takes too long or that its owner no longer wants.</summary>
    /// <param name="why">The reason.</param>
    public void Fail(HandshakeFailureReason why)
    {
        if (Status is not (HandshakeStatus.Done or HandshakeStatus.Failed))
        {
            Status = HandshakeStatus.Failed;
            Failure = why;
        }
    }

    /// <summary>Returns the session. Call it once, when the handshake is done.</summary>
    /// <returns>The session's records, and the last flight in case it was lost.</returns>
    public HandshakeResult Establish()
    {
        if (Status != HandshakeStatus.Done || _records is not { } records)
        {
            throw new InvalidOperationException("The handshake is not done.");
        }

        if (!Settings.IsServer && !IsResumed && !records.Suite.UsesPreSharedKey && PeerCertificate is null && PeerPublicKey.IsEmpty)
        {
            throw new InvalidOperationException("The server presented no credentials that this end trusts.");
        }

        // The end that speaks last repeats its flight on request. If both did, each would take the other's answer for a request.
        byte[] lastFlight = IsResumed != Settings.IsServer ? _lastFlight : [];
        return new HandshakeResult(
            records, lastFlight, _plainSequence, records.Suite.UsesPreSharedKey ? PskIdentity : null, PeerCertificate)
        {
            PeerPublicKey = PeerPublicKey,
            ChecksPaths = ChecksPaths,

            // The type inside of a record with a Connection ID counts too (RFC 8449 section 4, RFC 9146 section 4).
            MaxContent = _peerRecordLimit - (records.PeerCid.Length > 0 ? 1 : 0),
            ResumptionId = ResumptionId,
            ClientCredentials = ClientCredentials,
        };
    }

    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        CryptographicOperations.ZeroMemory(_preSharedKey);
        CryptographicOperations.ZeroMemory(_master);
        Ephemeral?.Dispose();
        Transcript.Dispose();
        OnDisposed();
        if (Status != HandshakeStatus.Done)
        {
            _records?.Clear();
        }
    }

    /// <summary>Whether the message with the next number may be of a type. Others are ignored.</summary>
    /// <param name="type">The type.</param>
    protected abstract bool Expects(HandshakeType type);

    /// <summary>Processes the next message, except Finished.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="body">The message without its header.</param>
    /// <exception cref="AlertException">It ends the handshake.</exception>
    protected abstract void OnMessage(HandshakeType type, ReadOnlySpan<byte> message, ReadOnlySpan<byte> body);

    /// <summary>Runs when Finished of the peer proved the handshake.</summary>
    protected abstract void OnFinished();

    /// <summary>Whether a message or fragment may be added. Runs before anything is held of it.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="fragment">Its bytes.</param>
    protected abstract bool Takes(in MessageHeader header, ReadOnlySpan<byte> fragment);

    /// <summary>Whether an unprotected record of handshake messages may be read.</summary>
    /// <param name="content">Its content.</param>
    protected virtual bool TakesRecord(ReadOnlySpan<byte> content) => true;

    /// <summary>Runs for an unprotected fatal alert, which anybody may have sent.</summary>
    /// <param name="alert">The alert.</param>
    protected virtual void OnPlainAlert(AlertDescription alert)
    {
    }

    /// <summary>Wipes the secrets of the handshake when it is disposed.</summary>
    protected virtual void OnDisposed()
    {
    }

    /// <summary>Begins with the numbers that follow a cookie (RFC 6347 section 4.2.1).</summary>
    /// <param name="message">The number of the own next message.</param>
    /// <param name="record">The number of the own next unprotected record.</param>
    protected void StartAt(ushort message, ulong record) => (_nextNumber, _plainSequence) = (message, record);

    /// <summary>Begins the transcript.</summary>
    /// <param name="keepsBytes">Whether a CertificateVerify may need its bytes.</param>
    protected void BeginTranscript(bool keepsBytes)
    {
        Transcript.Dispose();
        Transcript = new Transcript(keepsBytes);
    }

    /// <summary>Begins a flight: the one before has arrived.</summary>
    protected void BeginFlight()
    {
        _flight.Clear();
        _timeout = Settings.RetransmitTimeout;
    }

    /// <summary>Begins a message of the flight.</summary>
    /// <param name="type">Its type.</param>
    protected MessageWriter Begin(HandshakeType type) => new(type, _nextNumber++);

    /// <summary>Adds a message to the flight and to the transcript.</summary>
    /// <param name="writer">The message.</param>
    protected byte[] Add(MessageWriter writer)
    {
        byte[] message = writer.Finish();
        _flight.Add(message);
        Transcript.Add(message);
        Trace?.Invoke(new HandshakeMessageLogEntry(true, NameOf(message), message.Length, ""));
        return message;
    }

    /// <summary>Adds ChangeCipherSpec and Finished to the flight.</summary>
    protected void AddFinished()
    {
        Span<byte> proof = stackalloc byte[VerifyLength];
        ComputeProof(Settings.IsServer, proof);
        _changeAt = _flight.Count;
        _lastFlight = Add(Begin(HandshakeType.Finished).Bytes(proof));
    }

    /// <summary>Sends the flight, and again until the peer answers it.</summary>
    /// <param name="isLast">Whether the peer answers it no more.</param>
    protected void Flush(bool isLast = false)
    {
        SendFlight();
        if (isLast)
        {
            _sentAt = null;
        }
    }

    /// <summary>The peer has sent the end of its flight again: it misses this end's answer.</summary>
    protected void SendFlightAgain()
    {
        // Not for each copy: the path may double datagrams, and others may send them.
        if (_sentAt is { } sent && Settings.Time.GetElapsedTime(sent) >= Settings.RetransmitTimeout / 2)
        {
            SendCopy();
        }
    }

    /// <summary>Logs what both ends agreed on.</summary>
    protected void TraceSuite() => Trace?.Invoke(new HandshakeMessageLogEntry(
        Settings.IsServer, nameof(HandshakeType.ServerHello), 0,
        $"{Suite}{(IsResumed ? ", resumed" : null)}{(HasExtendedMasterSecret ? ", extended master secret" : null)}"
            + $"{(PeerCid is null ? null : ", Connection IDs")}{(ChecksPaths ? ", path checks" : null)}"));

    /// <summary>The handshake is done.</summary>
    protected void Complete()
    {
        _sentAt = null;
        Status = HandshakeStatus.Done;
    }

    /// <summary>Waits for an answer of the application.</summary>
    /// <param name="question">Asks, and returns what continues with the answer.</param>
    protected void Ask(Func<CancellationToken, ValueTask<Action>> question)
    {
        _question = question;
        Status = HandshakeStatus.WantsAnswer;
    }

    /// <summary>
    /// Reads a Certificate message (RFC 5246 section 7.4.2, RFC 7250 section 3), and asks whether to trust what it shows.
    /// </summary>
    /// <param name="body">The message.</param>
    /// <param name="type">The agreed type of certificates.</param>
    /// <returns>Whether it shows anything.</returns>
    /// <exception cref="AlertException">It ends the handshake.</exception>
    protected bool ReadCertificate(ReadOnlySpan<byte> body, byte type)
    {
        MessageReader reader = new(body);
        MessageReader list = new(reader.ReadVector(3));
        reader.End();
        if (list.IsEmpty)
        {
            return false;
        }

        if (type == RawPublicKeyType)
        {
            byte[] key = list.Rest.ToArray();
            CheckRawPublicKey(key);
            AskTrust(NameOf(key), token => ValidateRawPublicKey?.Invoke(key, token) ?? default, () => PeerPublicKey = key);
            return true;
        }

        X509Certificate2? leaf = null;
        X509Certificate2Collection sent = [];
        while (!list.IsEmpty)
        {
            X509Certificate2 certificate = LoadCertificate(list.ReadVector(3));
            if (leaf is null)
            {
                leaf = certificate;
            }
            else
            {
                sent.Add(certificate);
            }
        }

        AskTrust(
            leaf!.Subject.Length > 0 ? leaf.Subject : NameOf(leaf.RawDataMemory),
            token => Validate?.Invoke(leaf, sent, token) ?? default,
            () => (PeerCertificate, PeerChain) = (leaf, sent));
        return true;
    }

    /// <summary>Writes the own certificates or raw public key.</summary>
    /// <param name="writer">The message.</param>
    /// <param name="isEmpty">Whether this end shows none.</param>
    protected MessageWriter WriteCertificate(MessageWriter writer, bool isEmpty)
    {
        if (!isEmpty && Context.PublicKey.Length > 0)
        {
            return writer.Vector(3, Context.PublicKey);
        }

        int list = writer.BeginVector(3);
        if (!isEmpty && Settings.Certificate is { } own)
        {
            writer.Vector(3, own.RawDataMemory.Span);
            foreach (X509Certificate2 intermediate in Settings.Intermediates)
            {
                writer.Vector(3, intermediate.RawDataMemory.Span);
            }
        }

        return writer.EndVector(list, 3);
    }

    /// <summary>Writes the own ephemeral key (RFC 8422 section 5.4).</summary>
    /// <param name="writer">The message.</param>
    /// <returns>The mark before it.</returns>
    protected int WriteEphemeral(MessageWriter writer)
    {
        int mark = writer.BeginVector(0);
        writer.Byte(NamedCurve).UInt16(Ephemeral!.Group).Vector(1, Ephemeral.Point);
        return mark;
    }

    /// <summary>Reads the ephemeral key of the server.</summary>
    /// <param name="reader">The message.</param>
    /// <param name="group">The group.</param>
    /// <exception cref="AlertException">It is not a named curve.</exception>
    protected static ReadOnlySpan<byte> ReadEphemeral(ref MessageReader reader, out ushort group)
    {
        if (reader.ReadByte() != NamedCurve)
        {
            throw new AlertException(
                AlertDescription.IllegalParameter, "The server named no curve for its key.", HandshakeFault.NothingInCommon);
        }

        group = reader.ReadUInt16();
        return reader.ReadVector(1);
    }

    /// <summary>Reads the forms of points that the peer knows (RFC 8422 section 5.1.2).</summary>
    /// <param name="content">The extension.</param>
    /// <exception cref="AlertException">It does not know the uncompressed form, which each end must.</exception>
    protected static void ReadPointFormats(ref MessageReader content)
    {
        if (!content.ReadVector(1).Contains(UncompressedPoints))
        {
            throw new AlertException(
                AlertDescription.IllegalParameter, "The other end does not know uncompressed points (RFC 8422 section 5.1.2).");
        }
    }

    /// <summary>Reads the maximum size of records that the peer accepts (RFC 8449).</summary>
    /// <param name="content">The extension.</param>
    /// <exception cref="AlertException">It is below 64.</exception>
    protected void ReadRecordLimit(ref MessageReader content)
    {
        int limit = content.ReadUInt16();
        if (limit < MinRecordLimit)
        {
            throw new AlertException(
                AlertDescription.IllegalParameter, $"The other end accepts records of {limit} bytes; the minimum is 64 (RFC 8449).");
        }

        _peerRecordLimit = Math.Min(limit, RecordLayer.MaxPlaintext);
    }

    /// <summary>Whether a signature is that of the peer's certificate or raw public key.</summary>
    /// <param name="scheme">The pair of algorithms that the peer named.</param>
    /// <param name="hash">Computes the hash.</param>
    /// <param name="signature">The signature.</param>
    protected bool IsSignedByPeer(ushort scheme, Func<HashAlgorithmName, byte[]> hash, ReadOnlySpan<byte> signature)
    {
        if (SignatureScheme.HashOf(scheme) is not { } algorithm)
        {
            return false;
        }

        try
        {
            using AsymmetricAlgorithm? key = KeyOfPeer();
            return key is not null && SignatureScheme.Verify(key, scheme, hash(algorithm), signature);
        }
        catch (Exception exception) when (exception is CryptographicException or PlatformNotSupportedException)
        {
            // The second is thrown for a curve that the platform does not have.
            return false;
        }
    }

    /// <summary>Signs with the own key, immediately or when the signer has answered.</summary>
    /// <param name="scheme">The pair of algorithms.</param>
    /// <param name="hash">The hash by the algorithm of the pair.</param>
    /// <param name="then">Continues with the signature.</param>
    protected void Sign(ushort scheme, byte[] hash, Action<byte[]> then)
    {
        if (Settings.Signer is null)
        {
            then(Context.Sign(hash));
            return;
        }

        HashAlgorithmName algorithm = SignatureScheme.HashOf(scheme)!.Value;
        Ask(async token =>
        {
            byte[] signature = await Settings.Signer.SignAsync(hash, algorithm, token).ConfigureAwait(false);
            return () => then(signature);
        });
    }

    /// <summary>Derives the secret of the session and its keys (RFC 5246 section 8.1, RFC 7627 section 4).</summary>
    /// <param name="point">The ephemeral key of the peer; empty if the suite has none.</param>
    protected void DeriveMaster(ReadOnlySpan<byte> point)
    {
        byte[] agreed = Ephemeral is null ? [] : Ephemeral.Agree(point);
        byte[] premaster = PremasterOf(agreed);
        byte[] master = new byte[MasterLength];
        if (HasExtendedMasterSecret)
        {
            Span<byte> hash = stackalloc byte[(int)Suite!.Hash];
            Transcript.Hash(hash);
            Prf.Expand(Suite.Hash, premaster, "extended master secret"u8, hash, master);
        }
        else
        {
            Prf.Expand(Suite!.Hash, premaster, "master secret"u8, [.. ClientRandom, .. ServerRandom], master);
        }

        CryptographicOperations.ZeroMemory(agreed);
        CryptographicOperations.ZeroMemory(premaster);
        UseMaster(master);
    }

    /// <summary>Sets the secret of the session, and derives its keys.</summary>
    /// <param name="master">The secret, which the handshake overwrites at its end.</param>
    protected void UseMaster(byte[] master)
    {
        _master = master;
        Settings.KeyLog?.Invoke($"CLIENT_RANDOM {Convert.ToHexStringLower(ClientRandom)} {Convert.ToHexStringLower(master)}");
        byte[] keys = KeyBlock.Derive(Suite!, master, ClientRandom, ServerRandom);
        bool hasCids = OwnCid is not null && PeerCid is not null;
        _records = new RecordLayer(Suite!, keys, Settings.IsServer, hasCids ? OwnCid! : [], hasCids ? PeerCid! : []);
        CryptographicOperations.ZeroMemory(keys);
    }

    /// <summary>Sets the pre-shared key.</summary>
    /// <param name="key">The key; copied, and overwritten at the end.</param>
    protected void SetPreSharedKey(ReadOnlySpan<byte> key)
    {
        CryptographicOperations.ZeroMemory(_preSharedKey);
        _preSharedKey = key.ToArray();
    }

    /// <summary>Processes what arrived and may be due now.</summary>
    /// <param name="first">Runs before; null for nothing.</param>
    protected void Continue(Action? first = null)
    {
        try
        {
            first?.Invoke();
            while (Status == HandshakeStatus.Running && Messages.TryPeek(out HandshakeType type, out ReadOnlyMemory<byte> message))
            {
                if (!Expects(type))
                {
                    Messages.Drop();
                    continue;
                }

                Messages.Accept();
                ReadOnlySpan<byte> body = message.Span[MessageHeader.Size..];
                if (type == HandshakeType.Finished)
                {
                    CheckProof(body);
                    Transcript.Add(message.Span);
                    TraceReceived(message.Span);
                    OnFinished();
                }
                else
                {
                    TraceReceived(message.Span);
                    OnMessage(type, message.Span, body);
                    if (type == HandshakeType.ServerHello)
                    {
                        TraceSuite();
                    }
                }
            }
        }
        catch (AlertException exception)
        {
            Refuse(exception.Alert, new HandshakeFailureReason(exception.Message, exception.Fault));
        }
#pragma warning disable CA1031 // code of the application may throw anything; it ends this handshake and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(exception);
        }

        OpenHeld();
    }

    /// <summary>Creates random bytes.</summary>
    /// <param name="length">How many.</param>
    protected static byte[] RandomBytes(int length)
    {
        byte[] bytes = new byte[length];
        CoapRandomSource.Secure.Fill(bytes);
        return bytes;
    }

    private static string NameOf(ReadOnlyMemory<byte> bytes) => $"sha256:{Convert.ToHexStringLower(Sha256.HashData(bytes.Span))}";

    private static X509Certificate2 LoadCertificate(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return CertificateDer.Load(bytes);
        }
        catch (CryptographicException)
        {
            throw new AlertException(
                AlertDescription.BadCertificate, "The other end sent bytes that are not a certificate in DER.",
                HandshakeFault.CertificateRefused);
        }
    }

    private static void CheckRawPublicKey(ReadOnlySpan<byte> bytes)
    {
        try
        {
            RawPublicKey.Read(bytes).Dispose();
        }
        catch (CryptographicException)
        {
            throw new AlertException(
                AlertDescription.BadCertificate, "The other end sent bytes that are not an ECDSA key in DER (SubjectPublicKeyInfo).",
                HandshakeFault.CertificateRefused);
        }
    }

    private void AskTrust(string claimedName, Func<CancellationToken, ValueTask<bool>> validate, Action accept)
    {
        ClaimedName = claimedName;
        _isDistrusted = true;
        Ask(async token =>
        {
            bool isTrusted = await validate(token).ConfigureAwait(false);
            return () =>
            {
                if (!isTrusted)
                {
                    throw new AlertException(
                        AlertDescription.BadCertificate,
                        Settings.IsServer
                            ? "This server does not trust the certificate of the client."
                            : "This end does not trust the peer.",
                        HandshakeFault.CertificateRefused);
                }

                _isDistrusted = false;
                accept();
            };
        });
    }

    private AsymmetricAlgorithm? KeyOfPeer()
    {
        if (PeerCertificate is { } certificate)
        {
            return (AsymmetricAlgorithm?)certificate.GetECDsaPublicKey() ?? certificate.GetRSAPublicKey();
        }

        return RawPublicKey.Read(PeerPublicKey.Span);
    }

    // RFC 4279 section 2, RFC 5489 section 2
    private byte[] PremasterOf(byte[] agreed)
    {
        if (!Suite!.UsesPreSharedKey)
        {
            return [.. agreed];
        }

        int other = agreed.Length > 0 ? agreed.Length : _preSharedKey.Length;
        byte[] premaster = new byte[sizeof(ushort) + other + sizeof(ushort) + _preSharedKey.Length];
        (premaster[0], premaster[1]) = ((byte)(other >> 8), (byte)other);
        agreed.CopyTo(premaster, sizeof(ushort));
        int at = sizeof(ushort) + other;
        (premaster[at], premaster[at + 1]) = ((byte)(_preSharedKey.Length >> 8), (byte)_preSharedKey.Length);
        _preSharedKey.CopyTo(premaster, at + sizeof(ushort));
        return premaster;
    }

    private void ComputeProof(bool ofServer, Span<byte> proof)
    {
        Span<byte> hash = stackalloc byte[(int)Suite!.Hash];
        Transcript.Hash(hash);
        Prf.Expand(Suite.Hash, _master, ofServer ? "server finished"u8 : "client finished"u8, hash, proof);
    }

    private void CheckProof(ReadOnlySpan<byte> body)
    {
        Span<byte> proof = stackalloc byte[VerifyLength];
        ComputeProof(!Settings.IsServer, proof);
        if (!CryptographicOperations.FixedTimeEquals(proof, body))
        {
            throw new AlertException(
                AlertDescription.DecryptError,
                    "Both ends saw different handshakes: it was changed on the path, or one end has a defect.");
        }
    }

    private void OnRecord(in RecordHeader header, ReadOnlySpan<byte> record)
    {
        if (header.Epoch == 0)
        {
            ReadOnlySpan<byte> content = record[header.HeaderLength..];
            if (header.Type == ContentType.Handshake && TakesRecord(content))
            {
                AddMessages(content, isProtected: false);
            }
            else if (header.Type == ContentType.Alert && content is [FatalLevel, byte number])
            {
                AlertDescription alert = (AlertDescription)number;
                Trace?.Invoke(new HandshakeMessageLogEntry(false, alert.ToText(), AlertLength, "It was not protected, so any "
                    + "host could have sent it."));
                OnPlainAlert(alert);
            }
        }
        else if (header.Type is (ContentType.Handshake or ContentType.Alert or ContentType.Tls12Cid) && record.Length <= MaxHeldLength
            && _held.Count < MaxHeld)
        {
            _held.Add((header, record.ToArray()));
        }

        Continue();
    }

    private void AddMessages(ReadOnlySpan<byte> content, bool isProtected)
    {
        while (MessageHeader.TryRead(content, out MessageHeader header))
        {
            ReadOnlySpan<byte> fragment = content.Slice(MessageHeader.Size, header.FragmentLength);
            content = content[(MessageHeader.Size + header.FragmentLength)..];
            if (isProtected == (header.Type == HandshakeType.Finished) && Takes(header, fragment))
            {
                _ = Messages.TryAdd(header, fragment);
            }
        }
    }

    // Only when Finished comes next: a record opens once.
    private void OpenHeld()
    {
        while (_held.Count > 0 && Status == HandshakeStatus.Running && ExpectsFinished && _records is { } records)
        {
            (RecordHeader header, byte[] record) = _held[0];
            _held.RemoveAt(0);
            RecordOpenResult result = records.Open(header, record, out ContentType type, out Range content, out _);
            Forgeries += result == RecordOpenResult.Forged ? 1 : 0;
            if (result != RecordOpenResult.Opened)
            {
                continue;
            }

            if (type == ContentType.Handshake)
            {
                AddMessages(record.AsSpan()[content], isProtected: true);
                Continue();
            }
            else if (type == ContentType.Alert && record.AsSpan()[content] is [FatalLevel, byte number])
            {
                AlertDescription alert = (AlertDescription)number;
                Trace?.Invoke(new HandshakeMessageLogEntry(false, alert.ToText(), AlertLength, ""));
                Fail(new HandshakeFailureReason("The other end refused the handshake.") { Alert = alert });
            }
        }
    }

    private void Refuse(AlertDescription alert, HandshakeFailureReason why)
    {
        if (Status is HandshakeStatus.Done or HandshakeStatus.Failed)
        {
            return;
        }

        Fail(why);
        byte[] content = [FatalLevel, (byte)alert];
        Trace?.Invoke(new HandshakeMessageLogEntry(true, alert.ToText(), AlertLength, why.Why));
        if (_changeAt >= 0 && _records is { } records)
        {
            byte[] record = new byte[records.RecordLength(AlertLength)];
            _ = records.Seal(ContentType.Alert, content, record);
            _output.Add(record);
        }
        else
        {
            List<byte> record = [];
            AddPlain(record, ContentType.Alert, content);
            _output.Add([.. record]);
        }
    }

    private void SendCopy()
    {
        if (Trace is not null)
        {
            foreach (byte[] message in _flight)
            {
                Trace(new HandshakeMessageLogEntry(true, NameOf(message), message.Length, "Again, because no answer arrived."));
            }
        }

        SendFlight();
    }

    private void TraceReceived(ReadOnlySpan<byte> message) =>
        Trace?.Invoke(new HandshakeMessageLogEntry(false, NameOf(message), message.Length, ""));

    private static string NameOf(ReadOnlySpan<byte> message) => ((HandshakeType)message[0]).ToString();

    private void SendFlight()
    {
        _sentAt = Settings.Time.GetTimestamp();
        List<byte> datagram = [];
        for (int i = 0; i < _flight.Count; i++)
        {
            if (i == _changeAt)
            {
                MakeRoom(datagram, RecordHeader.Size + 1);
                AddPlain(datagram, ContentType.ChangeCipherSpec, [1]);
            }

            if (_changeAt >= 0 && i >= _changeAt)
            {
                AddSealed(datagram, _flight[i]);
            }
            else
            {
                AddFragments(datagram, _flight[i]);
            }
        }

        Cut(datagram);
    }

    private void AddFragments(List<byte> datagram, byte[] message)
    {
        const int Overhead = RecordHeader.Size + MessageHeader.Size;
        ReadOnlySpan<byte> rest = message.AsSpan(MessageHeader.Size);
        int offset = 0;
        do
        {
            MakeRoom(datagram, Overhead + Math.Min(rest.Length, MinFragment));
            int length = Math.Min(rest.Length, Settings.Mtu - datagram.Count - Overhead);
            byte[] fragment = new byte[MessageHeader.Size + length];
            message.AsSpan(0, 6).CopyTo(fragment);
            (fragment[6], fragment[7], fragment[8]) = ((byte)(offset >> 16), (byte)(offset >> 8), (byte)offset);
            (fragment[9], fragment[10], fragment[11]) = ((byte)(length >> 16), (byte)(length >> 8), (byte)length);
            rest[..length].CopyTo(fragment.AsSpan(MessageHeader.Size));
            AddPlain(datagram, ContentType.Handshake, fragment);
            rest = rest[length..];
            offset += length;
        }
        while (!rest.IsEmpty);
    }

    private void AddPlain(List<byte> datagram, ContentType type, ReadOnlySpan<byte> content)
    {
        Span<byte> header = stackalloc byte[RecordHeader.Size];
        new RecordHeader(type, 0, _plainSequence++, 0, content.Length).Write(header, []);
        datagram.AddRange(header);
        datagram.AddRange(content);
    }

    private void AddSealed(List<byte> datagram, byte[] message)
    {
        byte[] record = new byte[_records!.RecordLength(message.Length)];
        _ = _records.Seal(ContentType.Handshake, message, record);
        MakeRoom(datagram, record.Length);
        datagram.AddRange(record);
    }

    private void MakeRoom(List<byte> datagram, int length)
    {
        if (datagram.Count + length > Settings.Mtu)
        {
            Cut(datagram);
        }
    }

    private void Cut(List<byte> datagram)
    {
        if (datagram.Count > 0)
        {
            _output.Add([.. datagram]);
            datagram.Clear();
        }
    }
}
