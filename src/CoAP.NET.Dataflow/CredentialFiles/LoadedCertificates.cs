using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.CredentialFiles;

/// <summary>The contents of the certificate files of an endpoint.</summary>
/// <param name="Own">The endpoint's own certificate; null for none.</param>
/// <param name="Authorities">The authorities of the other side; null for none.</param>
/// <param name="RevocationLists">Their revocation lists; null for none.</param>
internal sealed record LoadedCertificates(
    OwnCertificate? Own, X509Certificate2Collection? Authorities, CoapRevocationLists? RevocationLists);
