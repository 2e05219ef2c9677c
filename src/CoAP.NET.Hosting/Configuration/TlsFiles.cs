using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Hosting;

/// <summary>Reads the files that <see cref="CoapTlsFileOptions"/> names.</summary>
internal static class TlsFiles
{
    /// <summary>Makes the options of TLS.</summary>
    /// <param name="files">The files.</param>
    /// <param name="section">What messages name the keys by, such as <c>Coap:Server</c>.</param>
    /// <param name="problem">What is wrong and where; null for nothing.</param>
    /// <returns>The options; null when there are no files, or one is wrong.</returns>
    public static CoapTlsOptions? Load(CoapTlsFileOptions files, string section, out string? problem)
    {
        problem = null;
        if (files.IsEmpty)
        {
            return null;
        }

        if (files.Certificate is null && (files.Key ?? files.Password) is not null)
        {
            problem = $"{section}:Tls:{(files.Key is null ? "Password" : "Key")} is set, but {section}:Tls:Certificate names no certificate.";
            return null;
        }

        SslStreamCertificateContext? own = Read($"{section}:Tls:Certificate", files.Certificate, path => ReadCertificate(path, files), ref problem);
        X509Certificate2Collection? authorities = Read($"{section}:Tls:Authorities", files.Authorities, ReadAuthorities, ref problem);
        return problem is not null ? null : new CoapTlsOptions
        {
            Server = own is null ? null : ServerOf(own, authorities, files),
            Client = ClientOf(own, authorities, files),
        };
    }

    private static T? Read<T>(string key, string? path, Func<string, T> read, ref string? problem)
        where T : class
    {
        if (path is null || problem is not null)
        {
            return null;
        }

        // What the TLS library says of it is no sentence.
        if (!File.Exists(path))
        {
            problem = $"{key} = '{path}': there is no file {Path.GetFullPath(path)}";
            return null;
        }

        try
        {
            return read(path);
        }
        catch (Exception exception) when (exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            problem = $"{key} = '{path}': {exception.Message}";
            return null;
        }
    }

    private static SslStreamCertificateContext ReadCertificate(string path, CoapTlsFileOptions files)
    {
        if (X509Certificate2.GetCertContentType(path) == X509ContentType.Pkcs12)
        {
            X509Certificate2Collection all = X509CertificateLoader.LoadPkcs12CollectionFromFile(path, files.Password);
            X509Certificate2 own = all.FirstOrDefault(static certificate => certificate.HasPrivateKey)
                ?? throw new CryptographicException("The file has no certificate with its private key.");
            all.Remove(own);
            return SslStreamCertificateContext.Create(own, all, offline: true);
        }

        X509Certificate2Collection chain = [];
        chain.ImportFromPemFile(path);
        X509Certificate2 certificate = files.Password is null
            ? X509Certificate2.CreateFromPemFile(path, files.Key ?? path)
            : X509Certificate2.CreateFromEncryptedPemFile(path, files.Password, files.Key ?? path);
        return SslStreamCertificateContext.Create(certificate, chain, offline: true);
    }

    private static X509Certificate2Collection ReadAuthorities(string path)
    {
        X509Certificate2Collection authorities = [];
        authorities.ImportFromPemFile(path);
        return authorities.Count > 0 ? authorities : throw new CryptographicException("The file has no certificate in PEM.");
    }

    private static SslServerAuthenticationOptions ServerOf(SslStreamCertificateContext own, X509Certificate2Collection? authorities, CoapTlsFileOptions files)
    {
        SslServerAuthenticationOptions options = new() { ServerCertificateContext = own, ClientCertificateRequired = files.ClientCertificates != CoapClientCertificateMode.None };
        if (options.ClientCertificateRequired)
        {
            options.CertificateChainPolicy = PolicyOf(authorities, files);
            if (files.ClientCertificates == CoapClientCertificateMode.Optional)
            {
                options.RemoteCertificateValidationCallback = static (_, _, _, errors) => (errors & ~SslPolicyErrors.RemoteCertificateNotAvailable) == SslPolicyErrors.None;
            }
        }

        return options;
    }

    private static SslClientAuthenticationOptions ClientOf(SslStreamCertificateContext? own, X509Certificate2Collection? authorities, CoapTlsFileOptions files) => new()
    {
        ClientCertificateContext = own,
        CertificateChainPolicy = PolicyOf(authorities, files),
    };

    private static X509ChainPolicy PolicyOf(X509Certificate2Collection? authorities, CoapTlsFileOptions files)
    {
        X509ChainPolicy policy = new() { RevocationMode = files.Revocation };
        if (authorities is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(authorities);
        }

        return policy;
    }
}
