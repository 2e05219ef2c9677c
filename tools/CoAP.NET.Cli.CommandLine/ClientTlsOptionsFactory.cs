using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli;

/// <summary>TLS of a client: its trust and its credentials.</summary>
internal static class ClientTlsOptionsFactory
{
    /// <summary>Creates the TLS options; null without any setting.</summary>
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
#pragma warning disable CA5359 // The user requests this with an explicit switch.
            client.RemoteCertificateValidationCallback = (_, _, _, _) => true;
#pragma warning restore CA5359
        }

        return new CoapTlsOptions { Client = client };
    }
}
