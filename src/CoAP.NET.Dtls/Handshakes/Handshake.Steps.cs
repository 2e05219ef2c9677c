using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <content>Feeds records to OpenSSL, and serves its callbacks.</content>
internal abstract partial class Handshake
{
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
