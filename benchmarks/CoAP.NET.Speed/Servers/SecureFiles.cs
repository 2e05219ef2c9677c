using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Speed.Servers;

/// <summary>Certificates on P-256 that an authority of its own has issued, as files in a folder that is deleted at the end.</summary>
internal sealed class SecureFiles : IDisposable
{
    private readonly BenchAuthority _authority = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-speed-").FullName;

    public SecureFiles()
    {
        using X509Certificate2 server = _authority.Issue("localhost", IPAddress.Loopback);
        File.WriteAllText(Certificate, server.ExportCertificatePem());
        File.WriteAllText(Key, server.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(Authority, _authority.Certificate.ExportCertificatePem());
        ClientCertificate = _authority.Issue("device-1", forServers: false);
    }

    /// <summary>The server's certificate.</summary>
    public string Certificate => Path.Combine(_folder, "server.pem");

    /// <summary>The server's key.</summary>
    public string Key => Path.Combine(_folder, "server.key");

    /// <summary>The authority's certificate.</summary>
    public string Authority => Path.Combine(_folder, "authority.pem");

    /// <summary>What clients show.</summary>
    public X509Certificate2 ClientCertificate { get; }

    public void Dispose()
    {
        ClientCertificate.Dispose();
        _authority.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
