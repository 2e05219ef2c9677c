using CoAP.NET.Dtls;

namespace CoAP.NET.Cli;

/// <summary>DTLS of a client: its trust and its credentials.</summary>
internal static class ClientDtlsOptionsFactory
{
    /// <summary>Creates the DTLS options.</summary>
    /// <param name="psk">The pre-shared key; null for none.</param>
    /// <param name="authorities">The trusted authorities; empty for those that the system trusts.</param>
    /// <param name="certificate">The certificate to show; null for none.</param>
    /// <param name="key">Its key; null if it is in the same file.</param>
    /// <param name="isInsecure">Whether to accept any server.</param>
    public static CoapDtlsOptions Make(CoapPskCredential? psk, IReadOnlyList<FileInfo> authorities, FileInfo? certificate, FileInfo? key,
        bool isInsecure)
    {
        CoapDtlsClientOptions client = new() { Psk = psk, Certificate = CertificateFiles.Own(certificate, key) };
        client.TrustedAuthorities.AddRange(CertificateFiles.Authorities(authorities));
        if (certificate is not null)
        {
            client.Intermediates.AddRange(CertificateFiles.Intermediates(certificate));
        }

        if (isInsecure)
        {
            client.ValidateServerCertificate = static (_, _, _, _) => new(true);
        }

        return new CoapDtlsOptions { Client = client };
    }
}
