using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls;

/// <summary>An own certificate and what stands between it and a root.</summary>
/// <param name="Certificate">The certificate with its private key, which can be exported.</param>
/// <param name="Intermediates">The authorities that came with it, in the order of the file; roots are left out, as peers have to have them
/// anyway.</param>
public sealed record CoapCertificateChain(X509Certificate2 Certificate, X509Certificate2Collection Intermediates) : IDisposable
{
    /// <summary>Disposes the certificates. Options hold copies as soon as they are used.</summary>
    public void Dispose()
    {
        Certificate.Dispose();
        foreach (X509Certificate2 intermediate in Intermediates)
        {
            intermediate.Dispose();
        }
    }
}
