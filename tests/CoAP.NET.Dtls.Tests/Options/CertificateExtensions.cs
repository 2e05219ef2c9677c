namespace CoAP.NET.Dtls.Tests.Options;

internal static class CertificateExtensions
{
    public static X509Certificate2 CopyWithoutKey(this X509Certificate2 certificate) =>
        X509CertificateLoader.LoadCertificate(certificate.RawData);
}
