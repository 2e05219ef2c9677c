using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Hosting;

/// <summary>An own certificate as it was read of a file.</summary>
/// <param name="Own">The certificate with its private key.</param>
/// <param name="Intermediates">Those of the authorities between it and a root that stand in the file too.</param>
internal sealed record OwnCertificate(X509Certificate2 Own, X509Certificate2Collection Intermediates);
