using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Credentials;

namespace CoAP.NET.Dtls;

/// <summary>The certificate of an endpoint and the certificates of others that it accepts, as one unit that can be replaced.</summary>
/// <remarks>
/// <see cref="CoapDtlsServerOptions.SelectCredentials"/> and <see cref="CoapDtlsClientOptions.SelectCredentials"/> return it to renew
/// certificates, authorities and revocation lists while an endpoint runs. Immutable and thread-safe. It copies what it is given, so the
/// caller may dispose that.
/// </remarks>
public sealed class CoapDtlsCredentials
{
    /// <summary>Creates credentials.</summary>
    /// <param name="own">The certificate of the endpoint, such as from <see cref="CoapCertificateChain.Load"/>; null for none.</param>
    /// <param name="trustedAuthorities">
    /// The authorities that must have issued the certificates of the other side; null for none, which means for a client those that the
    /// operating system trusts.
    /// </param>
    /// <param name="revocationLists">The revocation lists that the certificates of the other side must not be on; null for none.</param>
    /// <param name="signer">
    /// Has the certificate of the endpoint and signs for it, in place of <paramref name="own"/>; null for none.
    /// </param>
    /// <exception cref="CoapCredentialException">The certificate is not suitable for CoAP; the message says what to do.</exception>
    public CoapDtlsCredentials(
        CoapCertificateChain? own, X509Certificate2Collection? trustedAuthorities = null, CoapRevocationLists? revocationLists = null,
        CoapDtlsSigner? signer = null)
    {
        if (signer is not null && (own is not null || signer.Certificate is null))
        {
            throw new CoapCredentialException(
                "CoapDtlsCredentials have one certificate: leave own out with a signer, and create the signer with a certificate.");
        }

        if (own is not null && OwnCertificateValidator.ProblemOf(own.Certificate) is { } problem)
        {
            throw new CoapCredentialException(problem);
        }

        Signer = signer;
        Certificate = signer?.Certificate ?? OwnCertificateValidator.Copy(own?.Certificate);
        OwnCertificateValidator.CopyAll(signer?.Intermediates ?? own?.Intermediates ?? [], Intermediates);
        OwnCertificateValidator.CopyAll(trustedAuthorities ?? [], TrustedAuthorities);
        RevocationLists = revocationLists;
    }

    /// <summary>The lists that the certificates of the other side must not be on; null for none.</summary>
    public CoapRevocationLists? RevocationLists { get; }

    /// <summary>Signs for <see cref="Certificate"/>; null: the certificate has its key.</summary>
    internal CoapDtlsSigner? Signer { get; }

    /// <summary>The certificate of the endpoint with its key or with a signer; null for none.</summary>
    internal X509Certificate2? Certificate { get; }

    /// <summary>The certificates sent with it.</summary>
    internal X509Certificate2Collection Intermediates { get; } = [];

    /// <summary>The authorities that must have issued the certificates of the other side.</summary>
    internal X509Certificate2Collection TrustedAuthorities { get; } = [];
}
