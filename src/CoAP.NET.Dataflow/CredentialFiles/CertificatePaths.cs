using System.Runtime.Versioning;

namespace CoAP.NET.CredentialFiles;

/// <summary>The certificate files of an endpoint.</summary>
/// <param name="Section">The prefix of the keys in messages, such as <c>Coap:Server:Tls</c>.</param>
/// <param name="Certificate">The file of the endpoint's own certificate; null for none.</param>
/// <param name="Key">The file of its key; null if the file of the certificate contains it.</param>
/// <param name="Password">The password of the PFX file or of the key; null for none.</param>
/// <param name="Authorities">The file of the authorities of the other side; null for none.</param>
/// <param name="Crl">The file of their revocation lists; null for none.</param>
[UnsupportedOSPlatform("browser")]
internal sealed record CertificatePaths(
    string Section, string? Certificate, string? Key, string? Password, string? Authorities, string? Crl)
{
    public IEnumerable<string> All => new[] { Certificate, Key, Authorities, Crl }.OfType<string>().Distinct(StringComparer.Ordinal);

    /// <summary>Reads the files.</summary>
    /// <param name="problem">The problem and its place; null for none. An earlier problem stays.</param>
    /// <returns>What they contain; only valid without a problem.</returns>
    public LoadedCertificates Read(ref string? problem)
    {
        OwnCertificate? own = CertificateFiles.ReadOwn(Certificate, Key, Password, Section, ref problem);
        System.Security.Cryptography.X509Certificates.X509Certificate2Collection? authorities =
            CertificateFiles.ReadAuthorities(Authorities, Section, ref problem);
        if (Crl is not null && authorities is null)
        {
            problem ??= $"{Section}:Crl is set, but {Section}:Authorities is not. Set {Section}:Authorities to a PEM file with the "
                + "authorities that signed the revocation lists.";
        }

        return new LoadedCertificates(own, authorities, CertificateFiles.Read(
            $"{Section}:Crl", Crl, path => CoapRevocationLists.Load(path, authorities!), ref problem));
    }
}
