using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Bench;

/// <summary>An authority that issues certificates.</summary>
internal sealed class BenchAuthority : IDisposable
{
    private static readonly DateTimeOffset s_start = DateTimeOffset.UnixEpoch;

    private long _serial;

    /// <summary>Makes an authority.</summary>
    /// <param name="name">Its common name.</param>
    /// <param name="issuer">Who signs its certificate; null: itself.</param>
    public BenchAuthority(string name = "authority", BenchAuthority? issuer = null)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        if (issuer is null)
        {
            Certificate = request.CreateSelfSigned(s_start, s_start.AddYears(200));
            return;
        }

        using X509Certificate2 issued =
            request.Create(issuer.Certificate, s_start, s_start.AddYears(199), BitConverter.GetBytes(++issuer._serial));
        Certificate = issued.CopyWithPrivateKey(key);
    }

    public X509Certificate2 Certificate { get; }

    public X509Certificate2 Issue(string? dnsName = null, IPAddress? address = null, Uri? uri = null, string? commonName = "device",
        bool forServers = true, DateTimeOffset? until = null)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(commonName is null ? "" : $"CN={commonName}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        request.CertificateExtensions.Add(
            new X509EnhancedKeyUsageExtension([new Oid(forServers ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2")], critical: false));
        if (dnsName is not null || address is not null || uri is not null)
        {
            SubjectAlternativeNameBuilder names = new();
            if (dnsName is not null)
            {
                names.AddDnsName(dnsName);
            }

            if (address is not null)
            {
                names.AddIpAddress(address);
            }

            if (uri is not null)
            {
                names.AddUri(uri);
            }

            request.CertificateExtensions.Add(names.Build());
        }

        using X509Certificate2 issued = request.Create(Certificate, s_start, until ?? s_start.AddYears(199),
            BitConverter.GetBytes(++_serial));
        return issued.CopyWithPrivateKey(key);
    }

    /// <summary>The list of what the authority revoked, in DER.</summary>
    public byte[] Revoke(params X509Certificate2[] certificates)
    {
        CertificateRevocationListBuilder builder = new();
        foreach (X509Certificate2 certificate in certificates)
        {
            builder.AddEntry(certificate);
        }

        return builder.Build(Certificate, 1, s_start.AddYears(150), HashAlgorithmName.SHA256, thisUpdate: s_start.AddYears(1));
    }

    public void Dispose() => Certificate.Dispose();
}
