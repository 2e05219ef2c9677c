using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Has OpenSSL ask for sessions that a client wants to resume (RFC 5246 section 7.3); it keeps none itself.</summary>
internal static unsafe class ResumptionCallbacks
{
    /// <summary>Has handshakes of a context resume sessions.</summary>
    /// <param name="context">The context of a server.</param>
    /// <param name="settings">Its settings.</param>
    public static void Set(nint context, HandshakeSettings settings)
    {
        // Sessions that were made under other rules about clients are not resumed under these.
        fixed (byte* name = Encoding.ASCII.GetBytes(settings.RequiresClientCertificate ? "coaps, mutual" : "coaps"))
        {
            _ = LibSsl.SSL_CTX_set_session_id_context(context, name, (uint)(settings.RequiresClientCertificate ? "coaps, mutual" : "coaps").Length);
        }

        _ = LibSsl.SSL_CTX_set_timeout(context, new CLong((int)Math.Clamp(settings.ResumptionLifetime.TotalSeconds, 1, int.MaxValue)));
        _ = LibSsl.SSL_CTX_ctrl(context, LibSsl.SSL_CTRL_SET_SESS_CACHE_MODE, new CLong(LibSsl.SSL_SESS_CACHE_SERVER | LibSsl.SSL_SESS_CACHE_NO_INTERNAL), null);
        LibSsl.SSL_CTX_sess_set_get_cb(context, &Get);
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static nint Get(nint ssl, byte* id, int length, int* isShared)
    {
        // OpenSSL frees what it gets.
        *isShared = 0;
        try
        {
            return Handshake.Of(ssl) is ServerHandshake handshake ? handshake.TakeSession(new ReadOnlySpan<byte>(id, length)) : 0;
        }
#pragma warning disable CA1031 // a store that fails costs a whole handshake, and nothing may pass through OpenSSL
        catch (Exception)
#pragma warning restore CA1031
        {
            return 0;
        }
    }
}
