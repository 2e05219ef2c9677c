using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Whom a client trusts on connections with TLS, and how it proves itself.</summary>
internal static class ClientSecurity
{
    /// <summary>Makes the options of TLS; null when nothing was asked for.</summary>
    public static CoapTlsOptions? Make(IReadOnlyList<FileInfo> authorities, FileInfo? certificate, FileInfo? key, bool isInsecure)
    {
        X509Certificate2? own = CertificateFiles.Own(certificate, key);
        if (authorities.Count == 0 && own is null && !isInsecure)
        {
            return null;
        }

        SslClientAuthenticationOptions client = new();
        if (authorities.Count > 0)
        {
            client.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                DisableCertificateDownloads = true,
            };
            client.CertificateChainPolicy.CustomTrustStore.AddRange(CertificateFiles.Authorities(authorities));
        }

        if (own is not null)
        {
            client.ClientCertificateContext = SslStreamCertificateContext.Create(own, null, offline: true);
        }

        if (isInsecure)
        {
#pragma warning disable CA5359 // Asked for by the user, by a switch that says what it is.
            client.RemoteCertificateValidationCallback = (_, _, _, _) => true;
#pragma warning restore CA5359
        }

        return new CoapTlsOptions { Client = client };
    }
}
