using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Configures the chains of peers' certificates without downloads. A certificate names the URL of its issuer (RFC 5280 section 4.2.2.1). By
/// default the platform fetches it on a pool thread before the certificate is verified. A client could then make the server send requests
/// to any reachable host, and hold threads with slow answers.
/// </summary>
internal static class OfflineCertificateChainPolicy
{
    /// <summary>Configures a server this way.</summary>
    /// <param name="options">A copy of the caller's.</param>
    public static void Guard(SslServerAuthenticationOptions options) =>
        options.CertificateChainPolicy = PolicyOf(options.CertificateChainPolicy, options.CertificateRevocationCheckMode,
            options.ServerCertificateContext);

    /// <summary>Configures a client this way: an attacker on the path can show it any certificate.</summary>
    /// <param name="options">A copy of the caller's.</param>
    public static void Guard(SslClientAuthenticationOptions options) =>
        options.CertificateChainPolicy = PolicyOf(options.CertificateChainPolicy, options.CertificateRevocationCheckMode,
            options.ClientCertificateContext);

    private static X509ChainPolicy? PolicyOf(X509ChainPolicy? policy, X509RevocationMode revocation, SslStreamCertificateContext? own)
    {
        if (policy is null)
        {
            // SslStream does this without a policy, but not with one.
            policy = new X509ChainPolicy { RevocationMode = revocation, RevocationFlag = X509RevocationFlag.ExcludeRoot };
            if (own is not null && !TryTakeTrust(own, policy))
            {
                return null;
            }
        }

        policy.DisableCertificateDownloads = true;
        return policy;
    }

    // No public member shows which authorities a certificate context trusts. Without a policy SslStream trusts exactly these, so they must
    // not get lost.
    private static bool TryTakeTrust(SslStreamCertificateContext own, X509ChainPolicy policy)
    {
        try
        {
            if (TrustOf(own) is { } trust)
            {
                policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
                policy.CustomTrustStore.AddRange(StoreOf(trust)?.Certificates ?? []);
                policy.CustomTrustStore.AddRange(ListOf(trust) ?? []);
            }

            return true;
        }
        catch (MissingFieldException)
        {
            // An unknown platform: its trusted authorities matter more.
            return false;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "Trust")]
    private static extern ref SslCertificateTrust? TrustOf(SslStreamCertificateContext context);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_store")]
    private static extern ref X509Store? StoreOf(SslCertificateTrust trust);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_trustList")]
    private static extern ref X509Certificate2Collection? ListOf(SslCertificateTrust trust);
}
