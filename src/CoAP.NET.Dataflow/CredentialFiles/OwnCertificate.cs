using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.CredentialFiles;

/// <summary>An endpoint's own certificate from a file.</summary>
/// <param name="Own">The certificate with its private key.</param>
/// <param name="Intermediates">The authorities between it and a root in the same file.</param>
internal sealed record OwnCertificate(X509Certificate2 Own, X509Certificate2Collection Intermediates);
