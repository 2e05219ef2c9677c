using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Certificates for tests, made in memory: an authority and what it issues.</summary>
internal sealed class TlsCertificates : IDisposable
{
    private static readonly DateTimeOffset s_from = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset s_to = new(2100, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly List<X509Certificate2> _all = [];
    private byte _serial;

    public TlsCertificates(string name = "CN=Test CA")
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(name, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, false));
        Authority = request.CreateSelfSigned(s_from, s_to);
        _all.Add(Authority);
    }

    public X509Certificate2 Authority { get; }

    /// <summary>Trust in this authority and no other, for either side.</summary>
    public X509ChainPolicy Trust()
    {
        X509ChainPolicy policy = new() { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.Add(Authority);
        return policy;
    }

    /// <summary>A server's certificate for names and addresses.</summary>
    /// <param name="names">The names and addresses.</param>
    /// <param name="isExpired">Whether its time is over.</param>
    /// <param name="subject">Its subject; null for the first name.</param>
    /// <param name="issuerAt">Where the certificate of its issuer and the list of what that revoked are said to be; null for
    /// nowhere.</param>
    public X509Certificate2 Server(string[] names, bool isExpired = false, X500DistinguishedName? subject = null, string? issuerAt = null)
    {
        SubjectAlternativeNameBuilder alternatives = new();
        foreach (string name in names)
        {
            if (IPAddress.TryParse(name, out IPAddress? address))
            {
                alternatives.AddIpAddress(address);
            }
            else
            {
                alternatives.AddDnsName(name);
            }
        }

        return Issue(subject ?? new X500DistinguishedName($"CN={names[0]}"), "1.3.6.1.5.5.7.3.1", alternatives.Build(), isExpired,
            issuerAt);
    }

    public X509Certificate2 Client(string name, string? issuerAt = null) =>
        Issue(new X500DistinguishedName($"CN={name}"), "1.3.6.1.5.5.7.3.2", null, isExpired: false, issuerAt);

    public void Dispose()
    {
        foreach (X509Certificate2 certificate in _all)
        {
            certificate.Dispose();
        }
    }

    private X509Certificate2 Issue(X500DistinguishedName subject, string use, X509Extension? alternatives, bool isExpired, string? issuerAt)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(subject, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(use)], false));
        if (alternatives is not null)
        {
            request.CertificateExtensions.Add(alternatives);
        }

        if (issuerAt is not null)
        {
            request.CertificateExtensions.Add(new X509AuthorityInformationAccessExtension([issuerAt], [issuerAt]));
            request.CertificateExtensions.Add(CertificateRevocationListBuilder.BuildCrlDistributionPointExtension([issuerAt]));
        }

        using X509Certificate2 issued = request.Create(Authority, s_from, isExpired ? s_from.AddYears(1) : s_to, [1, ++_serial]);
        X509Certificate2 certificate = issued.CopyWithPrivateKey(key);
        _all.Add(certificate);
        return certificate;
    }
}
