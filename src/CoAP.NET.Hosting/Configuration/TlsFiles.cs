using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Hosting;

/// <summary>Reads the files that <see cref="CoapTlsFileOptions"/> names.</summary>
internal static class TlsFiles
{
    /// <summary>Creates the options of TLS.</summary>
    /// <param name="files">The files.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server</c>.</param>
    /// <param name="problem">The problem and its place; null for none.</param>
    /// <returns>The options; null if there are no files, or one has an error.</returns>
    public static CoapTlsOptions? Load(CoapTlsFileOptions files, string section, out string? problem)
    {
        problem = null;
        if (files.IsEmpty)
        {
            return null;
        }

        SslStreamCertificateContext? own = CertificateFiles.ReadOwn(files.Certificate, files.Key, files.Password, $"{section}:Tls",
            ref problem) is { } pair
            ? SslStreamCertificateContext.Create(pair.Own, pair.Intermediates, offline: true)
            : null;
        X509Certificate2Collection? authorities = CertificateFiles.ReadAuthorities(files.Authorities, $"{section}:Tls", ref problem);
        return problem is not null ? null : new CoapTlsOptions
        {
            Server = own is null ? null : ServerOf(own, authorities, files),
            Client = ClientOf(own, authorities, files),
        };
    }

    /// <summary>
    /// Checks that a server which requests client certificates names their authorities: with those of the operating system it would accept
    /// any public certificate.
    /// </summary>
    /// <param name="files">The files of a server.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server</c>.</param>
    /// <returns>The problem; null for none.</returns>
    public static string? CheckClientCertificates(CoapTlsFileOptions files, string section) =>
        files.ClientCertificates == CoapClientCertificateMode.None || files.Authorities is not null ? null
            : $"{section}:Tls:ClientCertificates is {files.ClientCertificates}, but {section}:Tls:Authorities is not set, so that a "
                + "certificate of any public authority would be let in. "
                + $"Set {section}:Tls:Authorities to a PEM file with the authorities of your clients. To decide otherwise, set "
                + "Endpoint.Tls in code.";

    private static SslServerAuthenticationOptions ServerOf(SslStreamCertificateContext own, X509Certificate2Collection? authorities,
        CoapTlsFileOptions files)
    {
        SslServerAuthenticationOptions options = new()
        {
            ServerCertificateContext = own,
            ClientCertificateRequired = files.ClientCertificates != CoapClientCertificateMode.None
        };
        if (options.ClientCertificateRequired)
        {
            options.CertificateChainPolicy = PolicyOf(authorities, files);
            if (files.ClientCertificates == CoapClientCertificateMode.Optional)
            {
                options.RemoteCertificateValidationCallback = static (_, _, _, errors) =>
                    (errors & ~SslPolicyErrors.RemoteCertificateNotAvailable) == SslPolicyErrors.None;
            }
        }

        return options;
    }

    private static SslClientAuthenticationOptions ClientOf(SslStreamCertificateContext? own, X509Certificate2Collection? authorities,
        CoapTlsFileOptions files) => new()
        {
            ClientCertificateContext = own,
            CertificateChainPolicy = PolicyOf(authorities, files),
        };

    private static X509ChainPolicy PolicyOf(X509Certificate2Collection? authorities, CoapTlsFileOptions files)
    {
        X509ChainPolicy policy = new() { RevocationMode = files.Revocation, DisableCertificateDownloads = true };
        if (authorities is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(authorities);
        }

        return policy;
    }
}
