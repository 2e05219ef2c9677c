using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>
/// How the chains of peers' certificates are built: without downloads. A certificate names the URL of its issuer (RFC 5280 section
/// 4.2.2.1), and by default the platform fetches it, on a thread of the pool, before anything about the certificate is proven: whoever
/// connects could have us send requests to any host that we reach, and hold threads by answering slowly.
/// </summary>
internal static class PeerChains
{
    /// <summary>Has a server build the chains of clients so.</summary>
    /// <param name="options">A copy of the caller's.</param>
    public static void Guard(SslServerAuthenticationOptions options) =>
        options.CertificateChainPolicy = PolicyOf(options.CertificateChainPolicy, options.CertificateRevocationCheckMode,
            options.ServerCertificateContext);

    /// <summary>Has a client build the chains of servers so: whoever is on the path can show it any certificate.</summary>
    /// <param name="options">A copy of the caller's.</param>
    public static void Guard(SslClientAuthenticationOptions options) =>
        options.CertificateChainPolicy = PolicyOf(options.CertificateChainPolicy, options.CertificateRevocationCheckMode,
            options.ClientCertificateContext);

    private static X509ChainPolicy? PolicyOf(X509ChainPolicy? policy, X509RevocationMode revocation, SslStreamCertificateContext? own)
    {
        if (policy is null)
        {
            // What SslStream does without a policy, which it would not do with one.
            policy = new X509ChainPolicy { RevocationMode = revocation, RevocationFlag = X509RevocationFlag.ExcludeRoot };
            if (own is not null && !TryTakeTrust(own, policy))
            {
                return null;
            }
        }

        policy.DisableCertificateDownloads = true;
        return policy;
    }

    // Whom a certificate context trusts is said by no public member. Without a policy SslStream trusts them and nobody else, so they must
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
            // Another platform than those known: whom it trusts matters more.
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
