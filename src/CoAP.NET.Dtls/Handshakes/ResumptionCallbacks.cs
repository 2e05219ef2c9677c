using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Supplies OpenSSL with sessions that a client wants to resume (RFC 5246 section 7.3); OpenSSL keeps none itself.</summary>
internal static unsafe class ResumptionCallbacks
{
    /// <summary>Enables resumption for the handshakes of a context.</summary>
    /// <param name="context">The context of a server.</param>
    /// <param name="settings">Its settings.</param>
    public static void Set(nint context, HandshakeSettings settings)
    {
        // A session that began under other rules about clients must not resume under these, whichever servers share the store.
        Span<byte> rules = stackalloc byte[SHA256.HashSizeInBytes];
        _ = SHA256.HashData(RulesOf(settings), rules);
        fixed (byte* name = rules)
        {
            _ = LibSsl.SSL_CTX_set_session_id_context(context, name, (uint)rules.Length);
        }

        _ = LibSsl.SSL_CTX_set_timeout(context, new CLong((int)Math.Clamp(settings.ResumptionLifetime.TotalSeconds, 1, int.MaxValue)));
        _ = LibSsl.SSL_CTX_ctrl(context, LibSsl.SSL_CTRL_SET_SESS_CACHE_MODE,
            new CLong(LibSsl.SSL_SESS_CACHE_SERVER | LibSsl.SSL_SESS_CACHE_NO_INTERNAL), null);
        LibSsl.SSL_CTX_sess_set_get_cb(context, &Get);
        if (settings.SharesSessions)
        {
            _ = LibSsl.SSL_CTX_set_generate_session_id(context, &Name);
        }
    }

    private static byte[] RulesOf(HandshakeSettings settings) =>
    [
        .. "coaps 2"u8,
        settings.RequiresClientCertificate ? (byte)1 : (byte)0,
        settings.RequestsClientCertificate ? (byte)1 : (byte)0,
        settings.TakesRawPublicKeys ? (byte)1 : (byte)0,
        settings.RequiresExtendedMasterSecret ? (byte)1 : (byte)0,
        .. settings.Trust.Span,
    ];

    // On entry the length holds the maximum. Each session keeps its own name, and there may be very many: the name is only as long as
    // uniqueness needs.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Name(nint ssl, byte* id, uint* length)
    {
        try
        {
            if (Handshake.Of(ssl) is not ServerHandshake handshake)
            {
                return 0;
            }

            *length = Math.Min(*length, SessionNaming.Length);
            handshake.NameSession(new Span<byte>(id, (int)*length));
            return 1;
        }
#pragma warning disable CA1031 // no exception may pass through OpenSSL
        catch (Exception)
#pragma warning restore CA1031
        {
            return 0;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static nint Get(nint ssl, byte* id, int length, int* isShared)
    {
        // OpenSSL frees what it gets.
        *isShared = 0;
        ServerHandshake? handshake = null;
        try
        {
            handshake = Handshake.Of(ssl) as ServerHandshake;
            return handshake?.TakeSession(new ReadOnlySpan<byte>(id, length)) ?? 0;
        }
#pragma warning disable CA1031 // a failing store costs a full handshake, and no exception may pass through OpenSSL
        catch (Exception exception)
#pragma warning restore CA1031
        {
            handshake?.Settings.SessionStoreFailed?.Invoke(exception);
            return 0;
        }
    }
}
