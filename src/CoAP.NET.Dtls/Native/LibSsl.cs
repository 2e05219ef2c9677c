using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Native;

/// <summary>
/// The functions of libssl in use, under OpenSSL's names; a macro of OpenSSL is a number for <see cref="SSL_ctrl"/> here.
/// </summary>
internal static unsafe partial class LibSsl
{
    public const int SSL_CTRL_SET_MTU = 17;
    public const int SSL_CTRL_SET_SESS_CACHE_MODE = 44;
    public const int SSL_SESS_CACHE_SERVER = 2;
    public const int SSL_SESS_CACHE_NO_INTERNAL = 0x300;
    public const int SSL_CTRL_SET_MAX_CERT_LIST = 51;
    public const int SSL_CTRL_SET_TLSEXT_HOSTNAME = 55;
    public const int DTLS_CTRL_GET_TIMEOUT = 73;
    public const int DTLS_CTRL_HANDLE_TIMEOUT = 74;
    public const int SSL_CTRL_CHAIN_CERT = 89;
    public const int SSL_CTRL_GET_EXTMS_SUPPORT = 122;
    public const int SSL_CTRL_SET_MIN_PROTO_VERSION = 123;
    public const int SSL_CTRL_SET_MAX_PROTO_VERSION = 124;

    public const ulong SSL_OP_NO_QUERY_MTU = 1UL << 12;
    public const ulong SSL_OP_NO_TICKET = 1UL << 14;
    public const ulong SSL_OP_NO_ENCRYPT_THEN_MAC = 1UL << 19;
    public const ulong SSL_OP_CIPHER_SERVER_PREFERENCE = 1UL << 22;
    public const ulong SSL_OP_NO_RENEGOTIATION = 1UL << 30;

    public const int SSL_ERROR_WANT_READ = 2;
    public const int SSL_ERROR_WANT_WRITE = 3;
    public const int SSL_SENT_SHUTDOWN = 1;
    public const int SSL_RECEIVED_SHUTDOWN = 2;
    public const int SSL_VERIFY_PEER = 1;
    public const int SSL_VERIFY_FAIL_IF_NO_PEER_CERT = 2;
    public const int SSL_SECOP_OTHER_TYPE = unchecked((int)0xFFFF0000);
    public const int SSL_SECOP_OTHER_CIPHER = 1 << 16;
    public const uint SSL_EXT_DTLS_ONLY = 0x2;
    public const uint SSL_EXT_TLS1_2_AND_BELOW_ONLY = 0x10;
    public const uint SSL_EXT_CLIENT_HELLO = 0x80;
    public const uint SSL_EXT_TLS1_2_SERVER_HELLO = 0x100;

    static LibSsl() => OpenSslLibrary.Register();

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint DTLS_server_method();

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint DTLS_client_method();

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint SSL_CTX_new(nint method);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_free(nint context);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial CLong SSL_CTX_ctrl(nint context, int command, CLong number, void* pointer);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial ulong SSL_CTX_set_options(nint context, ulong options);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_set_cipher_list(nint context, byte* list);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_security_callback(nint context,
        delegate* unmanaged[Cdecl]<nint, nint, int, int, int, nint, nint, int> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial delegate* unmanaged[Cdecl]<nint, nint, int, int, int, nint, nint, int> SSL_CTX_get_security_callback(
        nint context);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_psk_server_callback(nint context,
        delegate* unmanaged[Cdecl]<nint, byte*, byte*, uint, uint> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_psk_client_callback(nint context,
        delegate* unmanaged[Cdecl]<nint, byte*, byte*, uint, byte*, uint, uint> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_use_psk_identity_hint(nint context, byte* hint);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_cookie_generate_cb(nint context, delegate* unmanaged[Cdecl]<nint, byte*, uint*, int> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_cookie_verify_cb(nint context, delegate* unmanaged[Cdecl]<nint, byte*, uint, int> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_add_custom_ext(
        nint context,
        uint type,
        uint place,
        delegate* unmanaged[Cdecl]<nint, uint, uint, byte**, nuint*, nint, nuint, int*, nint, int> add,
        delegate* unmanaged[Cdecl]<nint, uint, uint, byte*, nint, void> free,
        nint addArgument,
        delegate* unmanaged[Cdecl]<nint, uint, uint, byte*, nuint, nint, nuint, int*, nint, int> parse,
        nint parseArgument);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_verify(nint context, int mode, nint callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_set_cert_verify_callback(nint context, delegate* unmanaged[Cdecl]<nint, nint, int> callback,
        nint argument);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_use_certificate(nint context, nint certificate);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_use_PrivateKey(nint context, nint key);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_check_private_key(nint context);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_get_ex_data_X509_STORE_CTX_idx();

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_set_generate_session_id(nint context, delegate* unmanaged[Cdecl]<nint, byte*, uint*, int> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_CTX_sess_set_get_cb(nint context, delegate* unmanaged[Cdecl]<nint, byte*, int, int*, nint> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_CTX_set_session_id_context(nint context, byte* name, uint length);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial CLong SSL_CTX_set_timeout(nint context, CLong seconds);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial byte* SSL_SESSION_get_id(nint session, uint* length);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint SSL_new(nint context);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_free(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_set_bio(nint ssl, nint read, nint write);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_set_ex_data(nint ssl, int index, nint data);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint SSL_get_ex_data(nint ssl, int index);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_set_accept_state(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_set_connect_state(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void DTLS_set_timer_cb(nint ssl, delegate* unmanaged[Cdecl]<nint, uint, uint> callback);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int DTLSv1_listen(nint ssl, nint address);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_do_handshake(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_get_error(nint ssl, int result);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial CLong SSL_ctrl(nint ssl, int command, CLong number, void* pointer);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint SSL_get_session(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_set_session(nint ssl, nint session);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_session_reused(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_set_shutdown(nint ssl, int mode);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int SSL_SESSION_is_resumable(nint session);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial int i2d_SSL_SESSION(nint session, byte** bytes);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint d2i_SSL_SESSION(nint reuse, byte** bytes, CLong length);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial void SSL_SESSION_free(nint session);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nuint SSL_SESSION_get_master_key(nint session, byte* key, nuint length);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nuint SSL_get_client_random(nint ssl, byte* random, nuint length);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nuint SSL_get_server_random(nint ssl, byte* random, nuint length);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial nint SSL_get_pending_cipher(nint ssl);

    [LibraryImport(OpenSslLibrary.Ssl)]
    public static partial uint SSL_CIPHER_get_id(nint cipher);
}
