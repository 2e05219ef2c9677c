using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// A handshake (RFC 6347 section 4.2). OpenSSL performs it record by record, and the handshake frees OpenSSL's state as soon as both ends
/// have the keys. <see cref="RecordTranslator"/> opens and reseals encrypted records on the way, so that OpenSSL never sees a forged one,
/// and no number occurs twice. Input and output are datagrams; it owns no socket, thread or timer. Not thread-safe.
/// </summary>
internal abstract partial class Handshake : IDisposable
{
    private const int UsualCidLength = 32;

    private readonly HandshakeContext _context;
    private readonly List<byte[]> _output = [];
    private readonly nint _ssl;
    private GCHandle _self;
    private byte[] _preSharedKey = [];
    private ReadOnlyMemory<byte> _input;
    private bool _isDisposed;

    /// <summary>Creates a handshake.</summary>
    /// <param name="context">The context that the handshakes of its endpoint share.</param>
    /// <param name="ownCid">The Connection ID that the peer puts into records; null: offer none.</param>
    protected unsafe Handshake(HandshakeContext context, byte[]? ownCid)
    {
        _context = context;
        _ssl = context.NewSsl();
        _self = GCHandle.Alloc(this);
        OwnCid = context.HasCid ? ownCid : null;
        _ = LibSsl.SSL_set_ex_data(_ssl, 0, GCHandle.ToIntPtr(_self));
        nint bio = DatagramBio.Make(_self);
        LibSsl.SSL_set_bio(_ssl, bio, bio);

        // The translation adds a Connection ID and a type to an encrypted record. Longer ones are rare, and the rest of the frame has room
        // for them.
        int growth = context.HasCid ? UsualCidLength + 1 : 0;
        _ = LibSsl.SSL_ctrl(_ssl, LibSsl.SSL_CTRL_SET_MTU, new CLong(context.Settings.Mtu - growth), null);
        LibSsl.DTLS_set_timer_cb(_ssl, &HandshakeTimer.Next);
        Translator = new RecordTranslator(context.Settings.IsServer);
    }

    /// <summary>The settings that the handshakes of its endpoint share.</summary>
    public HandshakeSettings Settings => _context.Settings;

    /// <summary>The state of the handshake.</summary>
    public HandshakeStatus Status { get; protected set; }

    /// <summary>Why it failed; null if it did not.</summary>
    public HandshakeEnd? Failure { get; private set; }

    /// <summary>The subject of the certificate, or the hash of the raw public key, that the peer claims; null if it showed none.</summary>
    public string? ClaimedName { get; private set; }

    /// <summary>The identity that the client claims, with a pre-shared key.</summary>
    public string? PskIdentity { get; protected set; }

    /// <summary>The certificate that the peer showed, if any.</summary>
    public X509Certificate2? PeerCertificate { get; protected set; }

    /// <summary>The certificates that came with it.</summary>
    public X509Certificate2Collection PeerChain { get; protected set; } = [];

    /// <summary>Validates a certificate and those that came with it. Null: trust none.</summary>
    public Func<X509Certificate2, X509Certificate2Collection, bool>? Validate { get; init; }

    /// <summary>Validates a raw public key, given as SubjectPublicKeyInfo in DER. Null: trust none.</summary>
    public Func<ReadOnlyMemory<byte>, bool>? ValidateRawPublicKey { get; init; }

    /// <summary>The raw public key that the peer showed, as SubjectPublicKeyInfo in DER (RFC 7250); empty without one.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey { get; protected set; }

    /// <summary>The key of <see cref="PskIdentity"/>.</summary>
    public ReadOnlySpan<byte> PreSharedKey => _preSharedKey;

    /// <summary>
    /// Number of encrypted records of the peer that failed to open: an attacker forged them, or the pre-shared keys differ.
    /// </summary>
    public long Forgeries => Translator.Forgeries;

    /// <summary>Whether it resumed an earlier session (RFC 5246 section 7.3). Valid when it is done.</summary>
    public bool IsResumed { get; private set; }

    /// <summary>
    /// Whether it bound the master secret to the whole handshake (RFC 7627). Valid when it is done. Sessions without it must not resume
    /// (RFC 7627 section 5.4).
    /// </summary>
    public bool HasExtendedMasterSecret { get; private set; }

    /// <summary>
    /// The name by which a client may ask this server to resume the session (RFC 5246 section 7.3); null for none. Valid when it is done.
    /// </summary>
    protected byte[]? ResumptionId { get; set; }

    /// <summary>What the server keeps about the credentials of the client (<see cref="ShownCredentials"/>); empty for nothing.</summary>
    protected byte[] Shown { get; set; } = [];

    /// <summary>The Connection ID that records to this end carry.</summary>
    protected byte[]? OwnCid { get; set; }

    /// <summary>The Connection ID that the peer wants in records to it; null if it does not support Connection IDs.</summary>
    protected byte[]? PeerCid { get; private set; }

    protected RecordTranslator Translator { get; }

    protected nint Ssl => _ssl;

    /// <summary>Finds the handshake that belongs to an object of OpenSSL.</summary>
    /// <param name="ssl">The object.</param>
    /// <returns>The handshake, or null.</returns>
    public static Handshake? Of(nint ssl)
    {
        nint handle = ssl == 0 ? 0 : LibSsl.SSL_get_ex_data(ssl, 0);
        return handle == 0 ? null : GCHandle.FromIntPtr(handle).Target as Handshake;
    }

    /// <summary>Processes a datagram of the peer.</summary>
    /// <param name="datagram">Its bytes.</param>
    public void Receive(ReadOnlySpan<byte> datagram)
    {
        if (Status is HandshakeStatus.Done or HandshakeStatus.Failed)
        {
            return;
        }

        byte[] bytes = datagram.ToArray();

        // Read for each record: the first of a datagram may negotiate Connection IDs.
        for (int offset = 0;
            offset < bytes.Length && RecordHeader.TryRead(bytes.AsSpan(offset), OwnCid?.Length ?? 0, out RecordHeader header);)
        {
            int length = header.HeaderLength + header.Length;
            OnRecord(header, bytes.AsMemory(offset, length));
            offset += length;
        }
    }

    /// <summary>Returns the datagrams to send now, in order.</summary>
    /// <returns>Datagrams.</returns>
    public IReadOnlyList<byte[]> TakeOutput()
    {
        if (_output.Count == 0)
        {
            return [];
        }

        List<byte[]> sent = [];
        foreach (byte[] datagram in _output)
        {
            if (!Translator.TryTranslate(datagram, Keys(), out byte[] translated))
            {
                Fail(new HandshakeEnd("OpenSSL sent an encrypted record before the session had keys."));
                break;
            }

            sent.Add(translated);
        }

        _output.Clear();
        return sent;
    }

    /// <summary>Returns when <see cref="OnTimeout"/> is due; null if nothing is waiting.</summary>
    /// <returns>The time from now.</returns>
    public unsafe TimeSpan? NextTimeout()
    {
        TimeValue left = default;
        return !_isDisposed && Status is HandshakeStatus.Running
            && LibSsl.SSL_ctrl(_ssl, LibSsl.DTLS_CTRL_GET_TIMEOUT, new CLong(0), &left).Value > 0 ? left.ToTimeSpan() : null;
    }

    /// <summary>Sends the last flight again, if it is due.</summary>
    public unsafe void OnTimeout()
    {
        if (Status == HandshakeStatus.Running)
        {
            LibCrypto.ERR_clear_error();
            if (LibSsl.SSL_ctrl(_ssl, LibSsl.DTLS_CTRL_HANDLE_TIMEOUT, new CLong(0), null).Value < 0)
            {
                Fail(new HandshakeEnd("The peer does not answer.", HandshakeFault.TimedOut));
            }
        }
    }

    /// <summary>Ends a handshake that takes too long or that its owner no longer wants.</summary>
    /// <param name="why">The reason.</param>
    public void Fail(HandshakeEnd why)
    {
        if (Status is not (HandshakeStatus.Done or HandshakeStatus.Failed))
        {
            Status = HandshakeStatus.Failed;
            Failure = why;
        }
    }

    /// <summary>Returns the session. Call it once, when the handshake is done.</summary>
    /// <returns>The session's records, and the last flight in case it was lost.</returns>
    public Established Establish()
    {
        if (Status != HandshakeStatus.Done || Keys() is not { } records)
        {
            throw new InvalidOperationException("The handshake is not done.");
        }

        if (!Settings.IsServer && !IsResumed && !records.Suite.UsesPreSharedKey && PeerCertificate is null && PeerPublicKey.IsEmpty)
        {
            throw new InvalidOperationException("The server showed no credentials that this end trusts.");
        }

        // The end that speaks last repeats its flight on request. If both did, each would take the other's answer for a request.
        byte[] lastFlight = IsResumed != Settings.IsServer ? Translator.LastFlight : [];
        return new Established(records, lastFlight, Translator.NextPlainSequence, records.Suite.UsesPreSharedKey ? PskIdentity : null,
            PeerCertificate)
        { PeerPublicKey = PeerPublicKey, ResumptionId = ResumptionId, Shown = Shown };
    }

    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (Status == HandshakeStatus.Done)
        {
            // OpenSSL does not resume a session that was freed without a close.
            LibSsl.SSL_set_shutdown(_ssl, LibSsl.SSL_SENT_SHUTDOWN | LibSsl.SSL_RECEIVED_SHUTDOWN);
        }

        LibSsl.SSL_free(_ssl);
        _self.Free();
        CryptographicOperations.ZeroMemory(_preSharedKey);
        OnDisposed();
        Translator.Clear();
        if (Status != HandshakeStatus.Done)
        {
            _records?.Clear();
        }
    }
}
