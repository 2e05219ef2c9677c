using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cryptography;

/// <summary>Reads certificates that a peer sent: one certificate in DER and nothing else.</summary>
[UnsupportedOSPlatform("browser")]
internal static class CertificateDer
{
    private const byte Sequence = 0x30;

    /// <summary>Reads a certificate.</summary>
    /// <param name="bytes">The bytes from the peer.</param>
    /// <returns>The certificate, which the caller disposes.</returns>
    /// <exception cref="CryptographicException">
    /// They are not a certificate, or another form of one, such as PEM, or bytes follow it. The loader of .NET reads those too, which would
    /// give strangers a parser of text.
    /// </exception>
    public static X509Certificate2 Load(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length == 0 || bytes[0] != Sequence)
        {
            throw new CryptographicException("The bytes are not a certificate in DER.");
        }

        X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(bytes);
        if (certificate.RawDataMemory.Length != bytes.Length)
        {
            certificate.Dispose();
            throw new CryptographicException("Bytes follow the certificate.");
        }

        return certificate;
    }
}
