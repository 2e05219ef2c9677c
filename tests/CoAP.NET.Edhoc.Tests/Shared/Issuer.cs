using System.Net;

namespace CoAP.NET.Edhoc.Tests;

/// <summary>An issuer of certificates for P-256.</summary>
internal sealed class Issuer : IDisposable
{
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public Issuer()
    {
        CertificateRequest request = new("CN=issuer", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        Certificate = request.CreateSelfSigned(Time.GetUtcNow().AddDays(-1), Time.GetUtcNow().AddYears(1));
    }

    public VirtualClock Time { get; } = new();

    public X509Certificate2 Certificate { get; }

    /// <summary>Issues a certificate.</summary>
    /// <param name="name">Its common name.</param>
    /// <param name="certificate">The certificate in DER.</param>
    /// <param name="usages">Its key usage.</param>
    /// <param name="alternativeName">A DNS name or an address that it carries; null for none.</param>
    /// <param name="purpose">Its extended key usage; null for none.</param>
    public EdhocPrivateKey Issue(
        string name, out byte[] certificate, X509KeyUsageFlags usages = X509KeyUsageFlags.DigitalSignature, string? alternativeName = null,
        string? purpose = null)
    {
        ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509KeyUsageExtension(usages, true));
        SubjectAlternativeNameBuilder names = new();
        if (IPAddress.TryParse(alternativeName, out IPAddress? address))
        {
            names.AddIpAddress(address);
        }
        else if (alternativeName is not null)
        {
            names.AddDnsName(alternativeName);
        }

        if (alternativeName is not null)
        {
            request.CertificateExtensions.Add(names.Build());
        }

        if (purpose is not null)
        {
            request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(purpose)], false));
        }

        using X509Certificate2 issued =
            request.Create(Certificate, Time.GetUtcNow().AddHours(-1), Time.GetUtcNow().AddDays(30), [1, 2, 3, (byte)name.Length]);
        certificate = issued.RawData;
        return EdhocPrivateKey.FromECDsa(key);
    }

    public void Dispose()
    {
        Certificate.Dispose();
        _key.Dispose();
    }
}
