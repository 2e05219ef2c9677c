using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>An authority and what it signed, as PEM files for programs and as objects for us; new ones each time.</summary>
internal sealed class Certificates : IDisposable
{
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";
    private const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";

    private readonly TemporaryDirectory _directory = new();
    private readonly X509Certificate2 _authority;

    /// <summary>Makes an authority, a server's certificate and a client's.</summary>
    /// <param name="serverName">The name that the server's certificate is for, besides 127.0.0.1.</param>
    /// <param name="serverCurve">The curve of the server's key; null for P-256.</param>
    public Certificates(string serverName = "localhost", ECCurve? serverCurve = null)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=Authority of a test", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(
            new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, 0, critical: true));
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        _authority = request.CreateSelfSigned(TimeProvider.System.GetUtcNow().AddDays(-1), TimeProvider.System.GetUtcNow().AddDays(2));
        Authority = Write("ca", _authority.ExportCertificatePem());
        (Server, ServerFile, ServerKey) = Make("server", serverName, ServerAuthentication, serverCurve);
        (Client, ClientFile, ClientKey) = Make("client", "device-7", ClientAuthentication);
    }

    /// <summary>The file of the authority's certificate.</summary>
    public string Authority { get; }

    public X509Certificate2 Server { get; }

    public string ServerFile { get; }

    public string ServerKey { get; }

    public X509Certificate2 Client { get; }

    public string ClientFile { get; }

    public string ClientKey { get; }

    /// <summary>To be a server with the server's certificate.</summary>
    /// <param name="asksClients">Whether clients must show a certificate of the authority.</param>
    public CoapTlsOptions AsServer(bool asksClients = false) => new()
    {
        Server = new SslServerAuthenticationOptions
        {
            ServerCertificate = Server,
            ClientCertificateRequired = asksClients,
            CertificateChainPolicy = TrustMe(),
        },
    };

    /// <summary>To be a client that trusts the authority.</summary>
    /// <param name="showsItself">Whether it has the client's certificate.</param>
    public CoapTlsOptions AsClient(bool showsItself = false) => new()
    {
        Client = new SslClientAuthenticationOptions
        {
            CertificateChainPolicy = TrustMe(),
            ClientCertificates = showsItself ? [Client] : null,
        },
    };

    public void Dispose()
    {
        _authority.Dispose();
        Server.Dispose();
        Client.Dispose();
        _directory.Dispose();
    }

    /// <summary>To be a server over DTLS with the server's certificate.</summary>
    /// <param name="asksClients">Whether clients must show a certificate of the authority.</param>
    public CoapDtlsOptions AsDtlsServer(bool asksClients = false)
    {
        CoapDtlsServerOptions server = new() { Certificate = Server, RequireClientCertificate = asksClients };
        if (asksClients)
        {
            server.TrustedAuthorities.Add(_authority);
        }

        return new CoapDtlsOptions { Server = server };
    }

    /// <summary>To be a client over DTLS that trusts the authority.</summary>
    /// <param name="showsItself">Whether it has the client's certificate.</param>
    public CoapDtlsOptions AsDtlsClient(bool showsItself = false)
    {
        CoapDtlsClientOptions client = new() { Certificate = showsItself ? Client : null };
        client.TrustedAuthorities.Add(_authority);
        return new CoapDtlsOptions { Client = client };
    }

    private X509ChainPolicy TrustMe() => new()
    {
        TrustMode = X509ChainTrustMode.CustomRootTrust,
        CustomTrustStore = { _authority },
        RevocationMode = X509RevocationMode.NoCheck,
    };

    private (X509Certificate2 Certificate, string File, string KeyFile) Make(
        string role, string name, string purpose, ECCurve? curve = null)
    {
        using ECDsa key = ECDsa.Create(curve ?? ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        SubjectAlternativeNameBuilder names = new();
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, critical: false));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(purpose)], critical: false));
        byte[] serial = new byte[8];
        serial[7] = (byte)(purpose == ServerAuthentication ? 1 : 2);
        using X509Certificate2 bare = request.Create(_authority, _authority.NotBefore, _authority.NotAfter, serial);
        string keyPem = key.ExportPkcs8PrivateKeyPem();
        return (bare.CopyWithPrivateKey(key), Write(role, bare.ExportCertificatePem()), Write($"{role}-key", keyPem));
    }

    private string Write(string name, string pem)
    {
        string path = _directory.PathOf($"{name}.pem");
        File.WriteAllText(path, pem + "\n");
        return path;
    }
}
