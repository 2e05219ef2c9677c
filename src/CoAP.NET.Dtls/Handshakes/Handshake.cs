using System.Runtime.CompilerServices;
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
internal abstract class Handshake : IDisposable
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

    /// <summary>The error for a peer without a required extended master secret.</summary>
    public const string NoExtendedMasterSecret =
        "The other end has no extended master secret (RFC 7627), which CoapDtlsOptions.RequireExtendedMasterSecret requires. Update it, or "
            + "do not require it for old peers.";

    private const int MasterLength = 48;
    private const int RandomLength = 32;

    // A Finished that overtakes, and a few records of an attacker; with a Connection ID of any length.
    private const int MaxHeld = 4;
    private const int MaxHeldLength = 384;

    private readonly List<(RecordHeader Header, ReadOnlyMemory<byte> Record)> _held = [];
    private RecordLayer? _records;
    private Exception? _noted;
    private bool _isDistrusted;

    /// <summary>Supplies OpenSSL's reads; once per record.</summary>
    /// <param name="buffer">Receives the bytes.</param>
    /// <returns>Bytes, or 0 when there is nothing.</returns>
    public int TakeInput(Span<byte> buffer)
    {
        int length = Math.Min(_input.Length, buffer.Length);
        _input.Span[..length].CopyTo(buffer);
        _input = default;
        return length;
    }

    /// <summary>Collects OpenSSL's writes.</summary>
    /// <param name="datagram">A datagram.</param>
    public void AddOutput(ReadOnlySpan<byte> datagram) => _output.Add(datagram.ToArray());

    /// <summary>Keeps an exception that must not pass through OpenSSL.</summary>
    /// <param name="exception">The exception.</param>
    public void Note(Exception exception) => _noted ??= exception;

    /// <summary>Whether the endpoint trusts a certificate; keeps it if so.</summary>
    /// <param name="leaf">The certificate.</param>
    /// <param name="sent">The certificates that came with it.</param>
    public bool Trusts(X509Certificate2 leaf, X509Certificate2Collection sent)
    {
        ClaimedName = leaf.Subject.Length > 0 ? leaf.Subject : NameOf(leaf.RawDataMemory);
        _isDistrusted = true;
        if (Validate?.Invoke(leaf, sent) != true)
        {
            return false;
        }

        _isDistrusted = false;
        (PeerCertificate, PeerChain) = (leaf, sent);
        return true;
    }

    /// <summary>Whether the endpoint trusts a raw public key; keeps it if so.</summary>
    /// <param name="key">The key, as SubjectPublicKeyInfo in DER.</param>
    public bool Trusts(ReadOnlyMemory<byte> key)
    {
        ClaimedName = key.IsEmpty ? null : NameOf(key);
        _isDistrusted = true;
        if (key.IsEmpty || ValidateRawPublicKey?.Invoke(key) != true)
        {
            return false;
        }

        _isDistrusted = false;
        PeerPublicKey = key;
        return true;
    }

    private static string NameOf(ReadOnlyMemory<byte> bytes) => $"sha256:{Convert.ToHexStringLower(SHA256.HashData(bytes.Span))}";

    /// <summary>Returns the content of the extension connection_id; null to omit it.</summary>
    public abstract byte[]? CidToSend();

    /// <summary>Takes the peer's extension connection_id.</summary>
    /// <param name="cid">The Connection ID that the peer wants in records.</param>
    public void TakePeerCid(ReadOnlySpan<byte> cid) => PeerCid = cid.ToArray();

    /// <summary>Processes a record, if the handshake accepts it at this point.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record.</param>
    protected void OnRecord(in RecordHeader header, ReadOnlyMemory<byte> record)
    {
        if (header.Epoch == 0)
        {
            if (header.Type is ContentType.ChangeCipherSpec or ContentType.Handshake or ContentType.Alert && TakesPlain(header, record))
            {
                Feed(record);
            }
        }
        else if (header.Type is not ContentType.ApplicationData && record.Length <= MaxHeldLength && _held.Count < MaxHeld)
        {
            // A copy: the record is part of a datagram that may be much longer.
            _held.Add((header, record.ToArray()));
        }

        FeedHeld();
    }

    /// <summary>Whether OpenSSL may receive an unprotected record now.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record.</param>
    protected abstract bool TakesPlain(in RecordHeader header, ReadOnlyMemory<byte> record);

    /// <summary>Replaces an error of OpenSSL with a clearer text where there is one.</summary>
    /// <param name="error">OpenSSL's error.</param>
    protected virtual HandshakeEnd Explain(string error) => new(error);

    /// <summary>Runs when the handshake is done.</summary>
    protected virtual void OnDone()
    {
    }

    /// <summary>Wipes the secrets of the handshake when it is disposed.</summary>
    protected virtual void OnDisposed()
    {
    }

    /// <summary>Sets the record that OpenSSL reads next.</summary>
    /// <param name="input">A record.</param>
    protected void SetInput(ReadOnlyMemory<byte> input) => _input = input;

    /// <summary>Makes OpenSSL read a record.</summary>
    /// <param name="record">The record.</param>
    protected void Feed(ReadOnlyMemory<byte> record)
    {
        _input = record;
        Step();
        _input = default;
    }

    /// <summary>Continues as far as OpenSSL can.</summary>
    protected unsafe void Step()
    {
        if (Status != HandshakeStatus.Running)
        {
            return;
        }

        LibCrypto.ERR_clear_error();
        int result = LibSsl.SSL_do_handshake(_ssl);
        int code = result == 1 ? 0 : LibSsl.SSL_get_error(_ssl, result);
        if ((_isDistrusted || _noted is not null) && code is 0 or LibSsl.SSL_ERROR_WANT_READ or LibSsl.SSL_ERROR_WANT_WRITE)
        {
            // OpenSSL before 3.2.4, 3.3.3 and 3.4.1 continues with a server whose raw public key the callback refused (CVE-2024-12797). Its
            // output would reveal our key.
            _output.Clear();
            Fail(_noted is null
                ? new HandshakeEnd("This end does not trust the peer.", HandshakeFault.CertificateRefused)
                : HandshakeEnd.Of(_noted, _isDistrusted));
        }
        else if (_noted is not null)
        {
            Fail(HandshakeEnd.Of(_noted, _isDistrusted));
        }
        else if (result == 1)
        {
            HasExtendedMasterSecret = LibSsl.SSL_ctrl(_ssl, LibSsl.SSL_CTRL_GET_EXTMS_SUPPORT, new CLong(0), null).Value == 1;
            if (Settings.RequiresExtendedMasterSecret && !HasExtendedMasterSecret)
            {
                // The peer must not get our Finished either.
                _output.Clear();
                Fail(new HandshakeEnd(NoExtendedMasterSecret, HandshakeFault.NothingInCommon));
                return;
            }

            Status = HandshakeStatus.Done;
            IsResumed = LibSsl.SSL_session_reused(_ssl) == 1;
            OnDone();
        }
        else if (code is not (LibSsl.SSL_ERROR_WANT_READ or LibSsl.SSL_ERROR_WANT_WRITE))
        {
            Fail(Explain(LibCrypto.TakeError() is { Length: > 0 } error ? error : "OpenSSL ended the handshake."));
        }
    }

    /// <summary>Sets the pre-shared key.</summary>
    /// <param name="key">The key; copied, and overwritten at the end.</param>
    protected void SetPreSharedKey(ReadOnlySpan<byte> key)
    {
        CryptographicOperations.ZeroMemory(_preSharedKey);
        _preSharedKey = key.ToArray();
    }

    /// <summary>Feeds the encrypted records that arrived before their keys were available.</summary>
    protected void FeedHeld()
    {
        if (_held.Count == 0 || Status != HandshakeStatus.Running || Keys() is not { } records)
        {
            return;
        }

        (RecordHeader Header, ReadOnlyMemory<byte> Record)[] held = [.. _held];
        _held.Clear();
        foreach ((RecordHeader header, ReadOnlyMemory<byte> record) in held)
        {
            if (Translator.TryOpen(header, record, records, out byte[] forOpenSsl))
            {
                Feed(forOpenSsl);
            }
        }
    }

    /// <summary>
    /// Returns the session's records as soon as the master secret exists: on a server that is before OpenSSL changes its own keys.
    /// </summary>
    private unsafe RecordLayer? Keys()
    {
        if (_records is not null || _isDisposed)
        {
            return _records;
        }

        // OpenSSL does not check for a null object.
        nint session = LibSsl.SSL_get_session(_ssl);
        nint cipher = LibSsl.SSL_get_pending_cipher(_ssl);
        if (session == 0 || cipher == 0 || CipherSuite.Find((ushort)LibSsl.SSL_CIPHER_get_id(cipher)) is not { } suite)
        {
            return null;
        }

        Span<byte> secrets = stackalloc byte[MasterLength + RandomLength + RandomLength];
        fixed (byte* pointer = secrets)
        {
            if (LibSsl.SSL_SESSION_get_master_key(session, pointer, MasterLength) != MasterLength)
            {
                return null;
            }

            _ = LibSsl.SSL_get_client_random(_ssl, pointer + MasterLength, RandomLength);
            _ = LibSsl.SSL_get_server_random(_ssl, pointer + MasterLength + RandomLength, RandomLength);
        }

        Settings.KeyLog?.Invoke(
            $"CLIENT_RANDOM {Convert.ToHexStringLower(secrets.Slice(MasterLength, RandomLength))} {Convert.ToHexStringLower(secrets[..MasterLength])}");
        KeyBlock keys = KeyBlock.Derive(secrets[..MasterLength], secrets.Slice(MasterLength, RandomLength),
            secrets[(MasterLength + RandomLength)..]);
        CryptographicOperations.ZeroMemory(secrets);
        bool hasCids = OwnCid is not null && PeerCid is not null;
        _records = new RecordLayer(suite, keys, _context.Settings.IsServer, hasCids ? OwnCid! : [], hasCids ? PeerCid! : []);
        Translator.SetKeys(suite, keys);
        keys.Clear();
        return _records;
    }
}

/// <summary>Sets the retransmission times of flights. OpenSSL uses the system clock for them.</summary>
internal static class HandshakeTimer
{
    // RFC 6347 section 4.2.4.1
    private const uint Longest = 60_000_000;

    /// <summary>Computes the next timeout; OpenSSL calls it.</summary>
    /// <param name="ssl">Its object.</param>
    /// <param name="before">The previous timeout, in microseconds; 0 at first.</param>
    /// <returns>The next timeout.</returns>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    public static uint Next(nint ssl, uint before) =>
        before > 0 ? Math.Min(2 * before, Longest)
            : Handshake.Of(ssl) is { } handshake ? (uint)handshake.Settings.RetransmitTimeout.TotalMicroseconds : 1_000_000;
}

/// <summary>C's timeval.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct TimeValue
{
    public CLong Seconds;
    public CLong Microseconds;

    public readonly TimeSpan ToTimeSpan() => TimeSpan.FromSeconds(Seconds.Value) + TimeSpan.FromMicroseconds((int)Microseconds.Value);
}
