using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Native;

/// <summary>
/// OpenSSL's functions for raw public keys (RFC 7250), available since version 3.2 and resolved on first use, because older versions lack
/// them.
/// </summary>
internal static unsafe class RawPublicKeys
{
    /// <summary>A certificate (RFC 7250 section 3).</summary>
    public const byte X509 = 0;

    /// <summary>A raw public key.</summary>
    public const byte RawPublicKey = 2;

    private static readonly delegate* unmanaged[Cdecl]<nint, byte*, nuint, int> s_setServerTypes;
    private static readonly delegate* unmanaged[Cdecl]<nint, byte*, nuint, int> s_setClientTypes;
    private static readonly delegate* unmanaged[Cdecl]<nint, nint> s_keyOf;

    static RawPublicKeys()
    {
        s_setServerTypes = (delegate* unmanaged[Cdecl]<nint, byte*, nuint, int>)OpenSslLibrary.Find(OpenSslLibrary.Ssl,
            "SSL_CTX_set1_server_cert_type");
        s_setClientTypes = (delegate* unmanaged[Cdecl]<nint, byte*, nuint, int>)OpenSslLibrary.Find(OpenSslLibrary.Ssl,
            "SSL_CTX_set1_client_cert_type");
        s_keyOf = (delegate* unmanaged[Cdecl]<nint, nint>)OpenSslLibrary.Find(OpenSslLibrary.Crypto, "X509_STORE_CTX_get0_rpk");
    }

    /// <summary>Whether this OpenSSL supports raw public keys.</summary>
    public static bool IsSupported => s_setServerTypes != null && s_setClientTypes != null && s_keyOf != null;

    /// <summary>Sets the certificate types that an endpoint shows and accepts, best first.</summary>
    /// <param name="context">OpenSSL's context.</param>
    /// <param name="isServer">Whether the context is a server's.</param>
    /// <param name="own">The types that this end shows.</param>
    /// <param name="peer">The types that it accepts.</param>
    /// <returns>Whether OpenSSL accepts them.</returns>
    /// <exception cref="PlatformNotSupportedException">This OpenSSL is too old.</exception>
    public static bool TrySetTypes(nint context, bool isServer, ReadOnlySpan<byte> own, ReadOnlySpan<byte> peer)
    {
        if (!IsSupported)
        {
            throw new PlatformNotSupportedException(
                $"Raw public keys need OpenSSL 3.2 or later, and this is {LibCrypto.VersionText()}. Install it (Debian 13 and Ubuntu 25.04 "
                    + $"have it) and name its directory in {OpenSslLibrary.PathVariable}, or use certificates or pre-shared keys.");
        }

        fixed (byte* server = isServer ? own : peer, client = isServer ? peer : own)
        {
            return s_setServerTypes(context, server, (nuint)(isServer ? own : peer).Length) == 1
                && s_setClientTypes(context, client, (nuint)(isServer ? peer : own).Length) == 1;
        }
    }

    /// <summary>Returns the raw public key under verification.</summary>
    /// <param name="store">OpenSSL's context of a verification.</param>
    /// <returns>Its SubjectPublicKeyInfo in DER; empty if there is none.</returns>
    public static byte[] Of(nint store)
    {
        nint key = s_keyOf == null ? 0 : s_keyOf(store);
        int length = key == 0 ? 0 : LibCrypto.i2d_PUBKEY(key, null);
        if (length <= 0)
        {
            return [];
        }

        byte[] bytes = new byte[length];
        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            return LibCrypto.i2d_PUBKEY(key, &cursor) == length ? bytes : [];
        }
    }
}
