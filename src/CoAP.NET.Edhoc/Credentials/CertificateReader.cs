using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Edhoc.Credentials;

/// <summary>The fields of an X.509 certificate that EDHOC needs.</summary>
internal sealed record CertificateReader(EdhocPublicKey Key, string Subject, (bool Signing, bool Agreeing) Uses)
{
    private const string EcKey = "1.2.840.10045.2.1";

    public static CertificateReader Read(ReadOnlySpan<byte> certificate)
    {
        PlatformCryptographyAvailability.ThrowIfMissing("A certificate");
        try
        {
            using X509Certificate2 loaded = CertificateDer.Load(certificate);
            return new CertificateReader(KeyOf(loaded), loaded.Subject, UsesOf(loaded));
        }
        catch (Exception exception) when (exception is CryptographicException or PlatformNotSupportedException)
        {
            // The second is thrown for a curve that the platform does not have.
            throw new EdhocException("A certificate is not readable.", exception);
        }
    }

    private static EdhocPublicKey KeyOf(X509Certificate2 certificate)
    {
        EdhocCurve? curve = certificate.PublicKey.Oid.Value switch
        {
            EcKey => null,
            "1.3.101.110" => EdhocCurve.X25519,
            "1.3.101.111" => EdhocCurve.X448,
            "1.3.101.112" => EdhocCurve.Ed25519,
            "1.3.101.113" => EdhocCurve.Ed448,
            _ => throw new EdhocException("The key of a certificate is of a kind that EDHOC does not use."),
        };
        if (curve is { } named)
        {
            byte[] key = certificate.PublicKey.EncodedKeyValue.RawData;
            return key.Length == Keys.Curves.KeyLength(named)
                ? new EdhocPublicKey(named, key, null)
                : throw new EdhocException("The key of a certificate has a wrong length.");
        }

        // The key itself: GetECDsaPublicKey of the certificate returns null if its key usage does not allow signatures.
        using ECDsa? ec = certificate.PublicKey.GetECDsaPublicKey();
        ECParameters parameters = ec?.ExportParameters(false) ?? throw new EdhocException("A certificate has no key.");
        EdhocCurve nist = Keys.Curves.Named(parameters.Curve.Oid)
            ?? throw new EdhocException("The key of a certificate is of a curve that EDHOC does not use.");
        return new EdhocPublicKey(nist, parameters.Q.X, parameters.Q.Y);
    }

    private static (bool Signing, bool Agreeing) UsesOf(X509Certificate2 certificate)
    {
        foreach (X509Extension extension in certificate.Extensions)
        {
            if (extension is X509KeyUsageExtension { KeyUsages: X509KeyUsageFlags usages })
            {
                return ((usages & X509KeyUsageFlags.DigitalSignature) != 0, (usages & X509KeyUsageFlags.KeyAgreement) != 0);
            }
        }

        return (true, true);
    }
}
