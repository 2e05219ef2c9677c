using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>OpenSSL's context for all handshakes of an endpoint in one role. Thread-safe after construction.</summary>
internal sealed unsafe class HandshakeContext : SafeHandle
{
    // For a server that this end chose: more than any chain of the web needs.
    private const int MaxServerCertificates = 32_768;

    private static delegate* unmanaged[Cdecl]<nint, nint, int, int, int, nint, nint, int> s_defaultSecurity;

    /// <summary>Creates a context.</summary>
    /// <param name="settings">The settings that its handshakes share.</param>
    /// <exception cref="InvalidOperationException">OpenSSL rejects the settings; the message gives the reason.</exception>
    /// <exception cref="DllNotFoundException">There is no OpenSSL.</exception>
    public HandshakeContext(HandshakeSettings settings)
        : base(0, ownsHandle: true)
    {
        Settings = settings;

        // .NET may use the same OpenSSL, and leaves errors of its own in the queue.
        LibCrypto.ERR_clear_error();
        SetHandle(LibSsl.SSL_CTX_new(settings.IsServer ? LibSsl.DTLS_server_method() : LibSsl.DTLS_client_method()));
        if (IsInvalid)
        {
            throw Failure("no context");
        }

        _ = LibSsl.SSL_CTX_ctrl(handle, LibSsl.SSL_CTRL_SET_MIN_PROTO_VERSION, new CLong(RecordHeader.Version), null);
        _ = LibSsl.SSL_CTX_ctrl(handle, LibSsl.SSL_CTRL_SET_MAX_PROTO_VERSION, new CLong(RecordHeader.Version), null);
        _ = LibSsl.SSL_CTX_ctrl(handle, LibSsl.SSL_CTRL_SET_SESS_CACHE_MODE, new CLong(0), null);
        _ = LibSsl.SSL_CTX_ctrl(handle, LibSsl.SSL_CTRL_SET_MAX_CERT_LIST,
            new CLong(settings.IsServer ? ClientMessageFilter.MaxCertificates : MaxServerCertificates), null);
        ulong tickets = settings.UsesTickets ?? !settings.IsServer ? 0 : LibSsl.SSL_OP_NO_TICKET;
        _ = LibSsl.SSL_CTX_set_options(
            handle,
            LibSsl.SSL_OP_NO_QUERY_MTU | LibSsl.SSL_OP_NO_RENEGOTIATION | LibSsl.SSL_OP_NO_ENCRYPT_THEN_MAC
                | LibSsl.SSL_OP_CIPHER_SERVER_PREFERENCE | tickets);

        // CCM_8 has tags of 64 bits, which newer versions of OpenSSL allow at security level 0 only. That level would weaken certificates
        // as well, so a callback allows the suite by itself.
        s_defaultSecurity = LibSsl.SSL_CTX_get_security_callback(handle);
        LibSsl.SSL_CTX_set_security_callback(handle, &AllowsSuites);
        fixed (byte* list = Encoding.ASCII.GetBytes(string.Join(':', settings.Suites.Select(static suite => suite.OpenSslName)) + '\0'))
        {
            Check(LibSsl.SSL_CTX_set_cipher_list(handle, list) == 1, $"none of the cipher suites {string.Join(", ", settings.Suites)}");
        }

        SetPreSharedKeys();
        SetCertificates();
        HasCid = settings.OwnCidLength >= 0 && CidExtension.TryAdd(handle);
        if (settings.IsServer)
        {
            // The server creates and checks cookies before OpenSSL sees a datagram: a client at this point has passed the check.
            LibSsl.SSL_CTX_set_cookie_generate_cb(handle, &MakeCookie);
            LibSsl.SSL_CTX_set_cookie_verify_cb(handle, &TakeCookie);
            if (settings.SessionStore is not null || settings.SharesSessions)
            {
                ResumptionCallbacks.Set(handle, settings);
            }
        }
    }

    public HandshakeSettings Settings { get; }

    /// <summary>Whether handshakes can negotiate Connection IDs, which needs an OpenSSL that accepts the extension.</summary>
    public bool HasCid { get; }

    public override bool IsInvalid => handle == 0;

    /// <summary>Creates the native state of a handshake.</summary>
    /// <returns>The state; its owner frees it.</returns>
    /// <exception cref="ObjectDisposedException">The context is disposed, as at the end of its endpoint.</exception>
    public nint NewSsl()
    {
        // The endpoint may stop on another thread at this moment. The new state keeps the native context alive by itself.
        bool isHeld = false;
        nint ssl;
        try
        {
            DangerousAddRef(ref isHeld);
            ssl = LibSsl.SSL_new(handle);
        }
        finally
        {
            if (isHeld)
            {
                DangerousRelease();
            }
        }

        return ssl != 0 ? ssl : throw new InvalidOperationException("OpenSSL has no memory for another handshake.");
    }

    protected override bool ReleaseHandle()
    {
        LibSsl.SSL_CTX_free(handle);
        return true;
    }

    private static InvalidOperationException Failure(string what) => new($"OpenSSL has {what}: {LibCrypto.TakeError()}");

    private static void Check(bool isGood, string what)
    {
        if (!isGood)
        {
            throw Failure(what);
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int AllowsSuites(nint ssl, nint context, int operation, int bits, int id, nint other, nint argument) =>
        (operation & LibSsl.SSL_SECOP_OTHER_TYPE) == LibSsl.SSL_SECOP_OTHER_CIPHER
            ? 1
            : s_defaultSecurity(ssl, context, operation, bits, id, other, argument);

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int MakeCookie(nint ssl, byte* cookie, uint* length)
    {
        *length = 0;
        return 0;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int TakeCookie(nint ssl, byte* cookie, uint length) => 1;

    private void SetPreSharedKeys()
    {
        if (!Settings.Suites.Any(static suite => suite.UsesPreSharedKey))
        {
            return;
        }

        if (!Settings.IsServer)
        {
            LibSsl.SSL_CTX_set_psk_client_callback(handle, &PskCallbacks.OfClient);
            return;
        }

        LibSsl.SSL_CTX_set_psk_server_callback(handle, &PskCallbacks.OfServer);
        if (Settings.PskIdentityHint is { } hint)
        {
            fixed (byte* text = Encoding.UTF8.GetBytes(hint + '\0'))
            {
                Check(LibSsl.SSL_CTX_use_psk_identity_hint(handle, text) == 1, "no room for the identity hint");
            }
        }
    }

    private void SetCertificates()
    {
        if (Settings.RawPublicKey is not null || Settings.TakesRawPublicKeys)
        {
            UseRawPublicKeys();
        }

        if (Settings.Certificate is { } certificate)
        {
            UseCertificate(certificate);
            UseKey(certificate);
            Check(LibSsl.SSL_CTX_check_private_key(handle) == 1, "a key that is not the certificate's");
        }

        int mode = !Settings.IsServer ? LibSsl.SSL_VERIFY_PEER
            : Settings.RequiresClientCertificate ? LibSsl.SSL_VERIFY_PEER | LibSsl.SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            : Settings.RequestsClientCertificate ? LibSsl.SSL_VERIFY_PEER : 0;
        LibSsl.SSL_CTX_set_verify(handle, mode, 0);
        LibSsl.SSL_CTX_set_cert_verify_callback(handle, &CertificateCallbacks.Verify, 0);
    }

    private void UseCertificate(X509Certificate2 certificate)
    {
        // Read first: .NET clears OpenSSL's errors, which may be the same queue, when it reads a certificate.
        string subject = certificate.Subject;
        nint native = CertificateCallbacks.ToNative(certificate);
        try
        {
            Check(native != 0 && LibSsl.SSL_CTX_use_certificate(handle, native) == 1, $"no use for the certificate {subject}");
            foreach (X509Certificate2 intermediate in Settings.Intermediates)
            {
                subject = intermediate.Subject;
                nint next = CertificateCallbacks.ToNative(intermediate);
                bool isTaken = next != 0 && LibSsl.SSL_CTX_ctrl(handle, LibSsl.SSL_CTRL_CHAIN_CERT, new CLong(1), (void*)next).Value == 1;
                LibCrypto.X509_free(next);
                Check(isTaken, $"no use for the certificate {subject}");
            }
        }
        finally
        {
            LibCrypto.X509_free(native);
        }
    }

    private void UseKey(X509Certificate2 certificate)
    {
        using AsymmetricAlgorithm key = (AsymmetricAlgorithm?)certificate.GetECDsaPrivateKey() ?? certificate.GetRSAPrivateKey()
            ?? throw new InvalidOperationException(
                $"The certificate {certificate.Subject} has no private key. coaps needs a certificate loaded together with its key.");
        UseKey(key, certificate.Subject);
    }

    private void UseRawPublicKeys()
    {
        if (Settings is { RawPublicKey: not null, Certificate: not null })
        {
            throw new InvalidOperationException("An endpoint shows a certificate or a raw public key, not both. Leave one of them out.");
        }

        ReadOnlySpan<byte> own = Settings.RawPublicKey is null ? [RawPublicKeys.X509] : [RawPublicKeys.RawPublicKey];
        ReadOnlySpan<byte> peer = Settings.TakesRawPublicKeys ? [RawPublicKeys.RawPublicKey, RawPublicKeys.X509] : [RawPublicKeys.X509];
        Check(RawPublicKeys.TrySetTypes(handle, Settings.IsServer, own, peer), "no use for raw public keys");
        if (Settings.RawPublicKey is { } pair)
        {
            UseKey(pair, "the raw public key");
        }
    }

    private void UseKey(AsymmetricAlgorithm key, string name)
    {
        byte[] bytes;
        try
        {
            bytes = key.ExportPkcs8PrivateKey();
        }
        catch (CryptographicException exception)
        {
            throw new InvalidOperationException(
                $"The private key of {name} is not exportable, and OpenSSL needs it. Load it with X509KeyStorageFlags.Exportable.",
                exception);
        }

        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            nint native = LibCrypto.d2i_AutoPrivateKey(0, &cursor, new CLong(bytes.Length));
            bool isTaken = native != 0 && LibSsl.SSL_CTX_use_PrivateKey(handle, native) == 1;
            LibCrypto.EVP_PKEY_free(native);
            CryptographicOperations.ZeroMemory(bytes);
            Check(isTaken, $"no use for the key of {name}");
        }
    }
}
