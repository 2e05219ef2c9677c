using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET;

namespace Client;

/// <summary>Whom the client trusts on <c>coaps+tcp</c>, and how it proves itself.</summary>
internal static class Security
{
    /// <summary>Makes the options of TLS.</summary>
    /// <param name="authority">The certificate of the authority to trust (PEM); null for those that the operating system trusts.</param>
    /// <param name="certificate">The client's own certificate (PEM); null for none.</param>
    /// <param name="key">Its key (PEM); null when it is in the same file.</param>
    /// <param name="isInsecure">Whether any server will do: for trying out only, as it may be anybody.</param>
    public static CoapTlsOptions Make(string? authority, string? certificate, string? key, bool isInsecure)
    {
        SslClientAuthenticationOptions client = new();
        if (authority is not null)
        {
            client.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(authority) },
                RevocationMode = X509RevocationMode.NoCheck,
            };
        }

        if (certificate is not null)
        {
            client.ClientCertificateContext = SslStreamCertificateContext.Create(X509Certificate2.CreateFromPemFile(certificate, key ?? certificate), null, offline: true);
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
