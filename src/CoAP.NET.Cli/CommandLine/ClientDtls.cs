using CoAP.NET.Dtls;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Whom a client trusts on <c>coaps</c>, and how it proves itself.</summary>
internal static class ClientDtls
{
    /// <summary>Makes the options of DTLS.</summary>
    /// <param name="psk">The pre-shared key; null for none.</param>
    /// <param name="authorities">Whose servers are trusted; empty for those that the system trusts.</param>
    /// <param name="certificate">The certificate to show; null for none.</param>
    /// <param name="key">Its key; null when it stands in the same file.</param>
    /// <param name="isInsecure">Whether any server will do.</param>
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
            client.ValidateServerCertificate = static (_, _, _) => true;
        }

        return new CoapDtlsOptions { Client = client };
    }
}
