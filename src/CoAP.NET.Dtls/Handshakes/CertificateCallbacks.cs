using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Bridges certificates between OpenSSL and .NET. .NET's own chains decide on trust, as for TLS, so that settings mean the same for both.
/// </summary>
internal static unsafe class CertificateCallbacks
{
    private const int X509_V_ERR_CERT_UNTRUSTED = 27;

    /// <summary>Runs in place of OpenSSL's own check.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    public static int Verify(nint store, nint argument)
    {
        Handshake? handshake = null;
        try
        {
            handshake = Handshake.Of(LibCrypto.X509_STORE_CTX_get_ex_data(store, LibSsl.SSL_get_ex_data_X509_STORE_CTX_idx()));
            nint leaf = LibCrypto.X509_STORE_CTX_get0_cert(store);
            if (handshake is not null
                && (leaf != 0
                    ? handshake.Trusts(ToManaged(leaf), Sent(LibCrypto.X509_STORE_CTX_get0_untrusted(store)))
                    : handshake.Trusts(RawPublicKeys.Of(store))))
            {
                return 1;
            }
        }
        catch (Exception exception)
        {
            handshake?.Note(exception);
        }

        // The peer receives bad_certificate.
        LibCrypto.X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
        return 0;
    }

    /// <summary>Returns OpenSSL's copy of a certificate.</summary>
    /// <param name="certificate">The certificate.</param>
    /// <returns>The copy, which the caller frees; 0 if OpenSSL cannot read it.</returns>
    public static nint ToNative(X509Certificate2 certificate)
    {
        ReadOnlySpan<byte> bytes = certificate.RawDataMemory.Span;
        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            return LibCrypto.d2i_X509(0, &cursor, new CLong(bytes.Length));
        }
    }

    private static X509Certificate2 ToManaged(nint certificate)
    {
        byte[] bytes = new byte[LibCrypto.i2d_X509(certificate, null)];
        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            _ = LibCrypto.i2d_X509(certificate, &cursor);
        }

        return X509CertificateLoader.LoadCertificate(bytes);
    }

    private static X509Certificate2Collection Sent(nint stack)
    {
        X509Certificate2Collection sent = [];
        int count = stack == 0 ? 0 : LibCrypto.OPENSSL_sk_num(stack);
        for (int i = 0; i < count; i++)
        {
            sent.Add(ToManaged(LibCrypto.OPENSSL_sk_value(stack, i)));
        }

        return sent;
    }
}
