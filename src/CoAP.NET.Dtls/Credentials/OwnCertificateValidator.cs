using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Credentials;

/// <summary>Checks that an endpoint's own certificate is suitable for a CoAP handshake.</summary>
internal static class OwnCertificateValidator
{
    private const string EllipticCurveKey = "1.2.840.10045.2.1";

    /// <summary>Throws if .NET lacks what it needs to read certificates: it would end the process.</summary>
    /// <exception cref="CoapDtlsException">On Linux: there is no OpenSSL.</exception>
    public static void ThrowIfNetLacksCryptography()
    {
        if (!PlatformCryptographyAvailability.IsAvailable)
        {
            throw new CoapDtlsException(PlatformCryptographyAvailability.Missing("coaps with certificates"));
        }
    }

    /// <summary>The problem of an endpoint's own certificate; null if there is none.</summary>
    /// <param name="certificate">The certificate.</param>
    /// <param name="needsKey">Whether its private key must come with it.</param>
    public static string? ProblemOf(X509Certificate2 certificate, bool needsKey = true)
    {
        string whom = $"The certificate '{certificate.Subject}'";
        if (certificate.GetKeyAlgorithm() != EllipticCurveKey)
        {
            return $"{whom} has a key of {certificate.PublicKey.Oid.FriendlyName ?? certificate.GetKeyAlgorithm()}, but all cipher suites "
                + "of CoAP with certificates are ECDSA (RFC 7252 section 9.1.3.3). Issue one with an ECDSA key on P-256.";
        }

        if (needsKey && !certificate.HasPrivateKey)
        {
            return $"{whom} comes without its private key, by which it is proven. Load it with its key, as by CoapCertificateChain.Load.";
        }

        if (!PeerCertificateValidator.MaySign(certificate))
        {
            return $"{whom} may not sign: its key usage lacks digitalSignature, which handshakes need (RFC 7252 section 9.1.3.3). Issue "
                + "one with it.";
        }

        return null;
    }

    /// <summary>Copies an endpoint's own certificate, with its key if available.</summary>
    public static X509Certificate2? Copy(X509Certificate2? certificate)
    {
        if (certificate is null)
        {
            return null;
        }

        X509Certificate2 copy = X509CertificateLoader.LoadCertificate(certificate.RawData);
        using ECDsa? key = certificate.GetECDsaPrivateKey();
        if (key is null)
        {
            return copy;
        }

        using (copy)
        {
            return copy.CopyWithPrivateKey(key);
        }
    }

    /// <summary>Copies certificates of others, without keys.</summary>
    public static void CopyAll(X509Certificate2Collection from, X509Certificate2Collection to)
    {
        foreach (X509Certificate2 certificate in from)
        {
            to.Add(X509CertificateLoader.LoadCertificate(certificate.RawData));
        }
    }
}
