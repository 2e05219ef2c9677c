using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Whom a client trusts on secured schemes, and how it proves itself.</summary>
internal static class ClientSecurity
{
    /// <summary>Makes the options of TLS; null when nothing was asked for.</summary>
    public static CoapTlsOptions? Make(IReadOnlyList<FileInfo> authorities, FileInfo? certificate, FileInfo? key, bool isInsecure)
    {
        if (key is not null && certificate is null)
        {
            throw new UsageException("--key needs --cert: a key alone proves nothing.");
        }

        if (authorities.Count == 0 && certificate is null && !isInsecure)
        {
            return null;
        }

        SslClientAuthenticationOptions client = new();
        if (authorities.Count > 0)
        {
            client.CertificateChainPolicy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            foreach (string file in authorities.SelectMany(FilesOf))
            {
                client.CertificateChainPolicy.CustomTrustStore.ImportFromPemFile(file);
            }
        }

        if (certificate is not null)
        {
            client.ClientCertificateContext = SslStreamCertificateContext.Create(
                X509Certificate2.CreateFromPemFile(certificate.FullName, (key ?? certificate).FullName), null, offline: true);
        }

        if (isInsecure)
        {
#pragma warning disable CA5359 // Asked for by the user, by a switch that says what it is.
            client.RemoteCertificateValidationCallback = (_, _, _, _) => true;
#pragma warning restore CA5359
        }

        return new CoapTlsOptions { Client = client };
    }

    private static IEnumerable<string> FilesOf(FileInfo authority) => Directory.Exists(authority.FullName)
        ? Directory.EnumerateFiles(authority.FullName).Where(file => Path.GetExtension(file) is ".pem" or ".crt" or ".cer").Order(StringComparer.Ordinal)
        : [authority.FullName];
}
