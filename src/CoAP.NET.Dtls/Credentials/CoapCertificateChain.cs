using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls;

/// <summary>An endpoint's own certificate and the authorities between it and a root.</summary>
/// <param name="Certificate">The certificate with its exportable private key.</param>
/// <param name="Intermediates">
/// The authorities that came with it, in the order of the file, without roots, because peers must have those anyway.
/// </param>
public sealed record CoapCertificateChain(X509Certificate2 Certificate, X509Certificate2Collection Intermediates) : IDisposable
{
    /// <summary>Disposes the certificates. The options copy them as soon as an endpoint uses them.</summary>
    public void Dispose()
    {
        Certificate.Dispose();
        foreach (X509Certificate2 intermediate in Intermediates)
        {
            intermediate.Dispose();
        }
    }
}
