using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The callbacks by which OpenSSL gets a pre-shared key (RFC 4279). The handshake has found the keys earlier.</summary>
internal static unsafe class PskCallbacks
{
    /// <summary>Copies the key of the identity that the client named; 0 bytes for none.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    public static uint OfServer(nint ssl, byte* identity, byte* key, uint maxKey)
    {
        Handshake? handshake = null;
        try
        {
            handshake = Handshake.Of(ssl);
            ReadOnlySpan<byte> found = handshake is null ? default : handshake.PreSharedKey;
            return found.Length <= maxKey && found.TryCopyTo(new Span<byte>(key, (int)maxKey)) ? (uint)found.Length : 0;
        }
        catch (Exception exception)
        {
            handshake?.Note(exception);
            return 0;
        }
    }

    /// <summary>Copies the identity and the key of a client.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    public static uint OfClient(nint ssl, byte* hint, byte* identity, uint maxIdentity, byte* key, uint maxKey)
    {
        Handshake? handshake = null;
        try
        {
            handshake = Handshake.Of(ssl);
            (handshake as ClientHandshake)?.SelectKey(Marshal.PtrToStringUTF8((nint)hint));
            if (handshake is null || handshake.PskIdentity is not { } name)
            {
                return 0;
            }

            // OpenSSL 1.1.1 has room for 128 bytes, the maximum of an identity. All versions keep a zero after the stated room, so the
            // identity may fill it.
            Span<byte> place = new(identity, (int)maxIdentity);
            ReadOnlySpan<byte> found = handshake.PreSharedKey;
            if (Encoding.UTF8.GetByteCount(name) > place.Length || !found.TryCopyTo(new Span<byte>(key, (int)maxKey)))
            {
                return 0;
            }

            place[Encoding.UTF8.GetBytes(name, place)..].Clear();
            return (uint)found.Length;
        }
        catch (Exception exception)
        {
            handshake?.Note(exception);
            return 0;
        }
    }
}
