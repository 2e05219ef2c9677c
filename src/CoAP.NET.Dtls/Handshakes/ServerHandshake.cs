using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A server's end of a handshake, for a client that proved its address with a cookie.</summary>
internal sealed class ServerHandshake : Handshake
{
    // Reasons of OpenSSL (sslerr.h).
    private const int NoSuitableSignatureAlgorithm = 118;
    private const int BadSignature = 123;
    private const int CertificateVerifyFailed = 134;
    private const int NoSharedCipher = 193;
    private const int NoCertificateReturned = 199;
    private const int UnsupportedProtocol = 258;
    private const int WrongVersionNumber = 267;
    private const int NoSharedSignatureAlgorithms = 376;
    private const int NoSharedGroups = 410;

    // Limit of a ClientKeyExchange that waits for its key: an identity in many fragments, with retransmissions.
    private const int MaxWaitingBytes = 1_024;

    private byte[]? _foundId;
    private SavedResumption? _found;
    private byte[]? _kept;
    private DateTimeOffset _keptUntil;
    private byte[]? _takenId;
    private (string? PskIdentity, X509Certificate2? PeerCertificate, byte[] PeerPublicKey, byte[] Shown) _taken;
    private readonly PskIdentityReader _identity = new();
    private readonly ClientMessageFilter _filter = new();
    private readonly List<ReadOnlyMemory<byte>> _waiting = [];
    private readonly Func<byte[]>? _makeCid;
    private ulong _nextPlain;
    private int _waitingBytes;

    /// <summary>Creates a handshake; <see cref="Start"/> begins it.</summary>
    /// <param name="context">The context that the handshakes of its endpoint share.</param>
    /// <param name="makeCid">Creates a Connection ID if the client supports them; null: assign none.</param>
    public ServerHandshake(HandshakeContext context, Func<byte[]>? makeCid)
        : base(context, ownCid: null)
    {
        _makeCid = context.HasCid ? makeCid : null;
        LibSsl.SSL_set_accept_state(Ssl);
    }

    /// <summary>Whether it has received its ClientHello.</summary>
    public bool IsStarted { get; private set; }

    /// <summary>Number of required messages that have begun to arrive.</summary>
    public int Progress => _filter.Progress;

    /// <summary>Processes the ClientHello after the check of its cookie.</summary>
    /// <param name="clientHello">The datagram.</param>
    public void Start(ReadOnlySpan<byte> clientHello)
    {
        IsStarted = true;
        _nextPlain = RecordHeader.TryRead(clientHello, 0, out RecordHeader header) ? header.Sequence + 1 : 0;

        // Only this way to begin makes OpenSSL expect the numbers of a handshake that had a cookie.
        LibCrypto.ERR_clear_error();
        nint address = LibCrypto.BIO_ADDR_new();
        int result = Listen(clientHello.ToArray(), address);
        LibCrypto.BIO_ADDR_free(address);
        if (result == 1)
        {
            Step();
        }
        else
        {
            Fail(Explain(LibCrypto.TakeError() is { Length: > 0 } error ? error : "The datagram is not a ClientHello with a cookie."));
        }
    }

    /// <summary>Keeps a keyed hash of the key of the client with the session.</summary>
    /// <param name="shown">The result of <see cref="ShownCredentials.OfKey"/>.</param>
    public void Keep(byte[] shown) => Shown = shown;

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
        ReadOnlyMemory<byte>[] waiting = [.. _waiting];
        _waiting.Clear();
        foreach (ReadOnlyMemory<byte> record in waiting)
        {
            Feed(record);
        }

        FeedHeld();
    }

    public override byte[]? CidToSend() => PeerCid is null || _makeCid is null ? null : OwnCid ??= _makeCid();

    protected override bool TakesPlain(in RecordHeader header, ReadOnlyMemory<byte> record)
    {
        // Any sender can forge unprotected alerts; the deadline notices a client that has given up. Other messages than those of a client
        // would end the handshake as well, or take memory.
        ReadOnlySpan<byte> content = record.Span.Slice(header.HeaderLength, header.Length);
        if (header.Type == ContentType.Handshake ? !_filter.Takes(content, AsksForCertificate) : !header.IsChange(content))
        {
            return false;
        }

        // An attacker can choose the numbers of unprotected records: a high one would make OpenSSL treat all later ones as old. The
        // messages in them have numbers of their own.
        RecordHeader renumbered = new(header.Type, 0, _nextPlain++, 0, header.Length);
        renumbered.Write(MemoryMarshal.AsMemory(record).Span, []);

        if (Status == HandshakeStatus.WantsKey)
        {
            Hold(record);
            return false;
        }

        if (header.Type != ContentType.Handshake || PreSharedKey.Length > 0 || !UsesPreSharedKey
            || !PskIdentityReader.IsClientKeyExchange(record.Span))
        {
            return true;
        }

        // The identity is unencrypted; OpenSSL gets the message when the key is available.
        Hold(record);
        if (_identity.TryRead(record.Span, out string? identity))
        {
            PskIdentity = identity;
            Status = HandshakeStatus.WantsKey;
        }

        return false;
    }

    protected override HandshakeEnd Explain(string error) => ConnectFailures.ReasonOf(error) switch
    {
        NoCertificateReturned =>
            new HandshakeEnd(
                $"The client showed no certificate{(Settings.TakesRawPublicKeys ? " and no raw public key" : null)}, which this server "
                    + "requires. Give the client one, or require none.", HandshakeFault.NoCertificate),
        NoSharedCipher =>
            new HandshakeEnd(
                "The client and this server have no cipher suite in common (no shared cipher). Compare the suites and the credentials of "
                    + $"both: this server offers {string.Join(", ", Settings.Suites)}.", HandshakeFault.NothingInCommon),
        NoSuitableSignatureAlgorithm or UnsupportedProtocol or WrongVersionNumber or NoSharedSignatureAlgorithms or NoSharedGroups =>
            new HandshakeEnd($"The client and this server have no version, curve or signature algorithm in common ({error}).",
                HandshakeFault.NothingInCommon),
        CertificateVerifyFailed =>
            new HandshakeEnd($"This server does not trust the certificate of the client ({error}).", HandshakeFault.CertificateRefused),
        BadSignature =>
            new HandshakeEnd(
                $"The client did not prove that it has the key of its certificate ({error}).", HandshakeFault.CertificateRefused),
        _ => new HandshakeEnd(error),
    };

    // A server does not ask clients with pre-shared keys.
    private bool AsksForCertificate => (Settings.RequiresClientCertificate || Settings.RequestsClientCertificate) && !UsesPreSharedKey;

    private bool UsesPreSharedKey =>
        LibSsl.SSL_get_pending_cipher(Ssl) is var cipher and not 0
            && CipherSuite.Find((ushort)LibSsl.SSL_CIPHER_get_id(cipher))?.UsesPreSharedKey == true;

    private void Hold(ReadOnlyMemory<byte> record)
    {
        // A copy: the record is part of a datagram that may be much longer.
        if (_waiting.Count < PskIdentityReader.MaxFragments && _waitingBytes + record.Length <= MaxWaitingBytes)
        {
            _waitingBytes += record.Length;
            _waiting.Add(record.ToArray());
        }
    }

    private int Listen(byte[] clientHello, nint address)
    {
        SetInput(clientHello);
        return LibSsl.DTLSv1_listen(Ssl, address);
    }

    /// <summary>
    /// Whether the session outlives this handshake in a store or with a keeper, so that <see cref="Established.Shown"/> is necessary.
    /// </summary>
    public bool KeepsShown { get; init; }

    /// <summary>The host name that the client requested, if the rules of the server depend on it.</summary>
    public string? ServerName { get; init; }

    /// <summary>The naming of sessions that several servers may resume.</summary>
    public SessionNaming SessionNames { get; init; }

    /// <summary>Names the session.</summary>
    /// <param name="id">Receives the name.</param>
    public void NameSession(Span<byte> id) => SessionNames.Fill(id);

    /// <summary>Sets what a store has of the session that the client wants to resume. Call it before the start.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="session">The session, which the handshake disposes; null for none.</param>
    public void Found(byte[] id, SavedResumption? session) => (_foundId, _found) = (id, session);

    /// <summary>Stores the new session for other servers too. Call it when the handshake is done.</summary>
    /// <param name="resumption">The shared store; null for none.</param>
    public void KeepBy(SharedResumption? resumption)
    {
        if (_kept is { } state && resumption is not null)
        {
            _kept = null;
            resumption.Add(ResumptionId!, state, _keptUntil);
        }
    }

    /// <summary>Finds the session that a client wants to resume; OpenSSL calls it.</summary>
    /// <param name="id">The session.</param>
    /// <returns>OpenSSL's object of it; 0 if it is unknown.</returns>
    public nint TakeSession(ReadOnlySpan<byte> id) => _found is { } session && id.SequenceEqual(_foundId) ? Open(id, session) : 0;

    protected override void OnDone()
    {
        if (IsResumed)
        {
            if (_takenId is not null)
            {
                // A short handshake shows none of them again.
                (PskIdentity, PeerCertificate, PeerPublicKey, Shown) = _taken;
                ResumptionId = _takenId;
            }

            return;
        }

        if (KeepsShown && PeerCertificate is { } certificate)
        {
            Shown = ShownCredentials.OfCertificate(ServerName, certificate, PeerChain);
        }

        if (HasExtendedMasterSecret && (Settings.SessionStore is not null || Settings.SharesSessions))
        {
            KeepSession();
        }
    }

    protected override void OnDisposed()
    {
        _found?.Dispose();
        CryptographicOperations.ZeroMemory(_kept);
    }

    private unsafe nint Open(ReadOnlySpan<byte> id, SavedResumption saved)
    {
        nint session = 0;
        X509Certificate2? leaf = saved.Certificate.Length == 0 ? null : X509CertificateLoader.LoadCertificate(saved.Certificate);
        if (saved.Expires > Settings.Time.GetUtcNow() && AcceptsAgain(leaf, saved.PublicKey, saved.Shown))
        {
            _taken = (saved.PskIdentity, leaf, saved.PublicKey, saved.Shown);
            _takenId = id.ToArray();
            fixed (byte* start = saved.Session)
            {
                byte* cursor = start;
                session = LibSsl.d2i_SSL_SESSION(0, &cursor, new CLong(saved.Session.Length));
                LibCrypto.ERR_clear_error();
            }
        }

        return session;
    }

    // A client that the rules no longer admit must not return by an earlier validation. The key of an identity was compared before.
    private bool AcceptsAgain(X509Certificate2? leaf, byte[] publicKey, byte[] shown)
    {
        try
        {
            return (leaf is null || Validate?.Invoke(leaf, ShownCredentials.ReadCertificates(shown).Sent) == true)
                && (publicKey.Length == 0 || ValidateRawPublicKey?.Invoke(publicKey) == true);
        }
#pragma warning disable CA1031 // the client makes a full handshake, which validates again and reports the reason
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }

    private unsafe void KeepSession()
    {
        nint session = LibSsl.SSL_get_session(Ssl);
        uint length = 0;
        byte* id = session == 0 ? null : LibSsl.SSL_SESSION_get_id(session, &length);
        if (length == 0)
        {
            return;
        }

        byte[] bytes = new byte[LibSsl.i2d_SSL_SESSION(session, null)];
        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            _ = LibSsl.i2d_SSL_SESSION(session, &cursor);
        }

        using SavedResumption saved = new()
        {
            Expires = Settings.Time.GetUtcNow() + Settings.ResumptionLifetime,
            Session = bytes,
            PskIdentity = PskIdentity,
            Certificate = PeerCertificate?.RawData ?? [],
            PublicKey = PeerPublicKey.ToArray(),
            Shown = Shown,
        };
        ResumptionId = new ReadOnlySpan<byte>(id, (int)length).ToArray();
        if (Settings.SessionStore is not null)
        {
            Settings.Store(ResumptionId, saved.ToBytes(), saved.Expires);
        }
        else
        {
            (_kept, _keptUntil) = (saved.ToBytes(), saved.Expires);
        }
    }
}
