using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Limits;

/// <summary>Copies the platform's options property by property, so later changes have no effect.</summary>
internal static class TlsOptionsCopier
{
    public static SslServerAuthenticationOptions Of(SslServerAuthenticationOptions options)
    {
        SslServerAuthenticationOptions copy = new()
        {
            AllowRenegotiation = options.AllowRenegotiation,
            AllowTlsResume = options.AllowTlsResume,
            ApplicationProtocols = Of(options.ApplicationProtocols),
            CertificateChainPolicy = options.CertificateChainPolicy?.Clone(),
            CertificateRevocationCheckMode = options.CertificateRevocationCheckMode,
            CipherSuitesPolicy = options.CipherSuitesPolicy,
            ClientCertificateRequired = options.ClientCertificateRequired,
            EnabledSslProtocols = options.EnabledSslProtocols,
            EncryptionPolicy = options.EncryptionPolicy,
            RemoteCertificateValidationCallback = options.RemoteCertificateValidationCallback,
            ServerCertificate = options.ServerCertificate,
            ServerCertificateContext = options.ServerCertificateContext,
            ServerCertificateSelectionCallback = options.ServerCertificateSelectionCallback,
        };
        if (OperatingSystem.IsLinux() || OperatingSystem.IsWindows())
        {
            copy.AllowRsaPkcs1Padding = options.AllowRsaPkcs1Padding;
            copy.AllowRsaPssPadding = options.AllowRsaPssPadding;
        }

        return copy;
    }

    public static SslClientAuthenticationOptions Of(SslClientAuthenticationOptions options)
    {
        SslClientAuthenticationOptions copy = new()
        {
            AllowRenegotiation = options.AllowRenegotiation,
            AllowTlsResume = options.AllowTlsResume,
            ApplicationProtocols = Of(options.ApplicationProtocols),
            CertificateChainPolicy = options.CertificateChainPolicy?.Clone(),
            CertificateRevocationCheckMode = options.CertificateRevocationCheckMode,
            CipherSuitesPolicy = options.CipherSuitesPolicy,
            ClientCertificateContext = options.ClientCertificateContext,
            ClientCertificates = options.ClientCertificates is { } certificates ? new X509CertificateCollection(certificates) : null,
            EnabledSslProtocols = options.EnabledSslProtocols,
            EncryptionPolicy = options.EncryptionPolicy,
            LocalCertificateSelectionCallback = options.LocalCertificateSelectionCallback,
            RemoteCertificateValidationCallback = options.RemoteCertificateValidationCallback,
            TargetHost = options.TargetHost,
        };
        if (OperatingSystem.IsLinux() || OperatingSystem.IsWindows())
        {
            copy.AllowRsaPkcs1Padding = options.AllowRsaPkcs1Padding;
            copy.AllowRsaPssPadding = options.AllowRsaPssPadding;
        }

        return copy;
    }

    private static List<SslApplicationProtocol>? Of(List<SslApplicationProtocol>? protocols) => protocols is null ? null : [.. protocols];
}
