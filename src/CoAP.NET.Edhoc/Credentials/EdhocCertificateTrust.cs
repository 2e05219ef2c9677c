using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Edhoc.Credentials;

namespace CoAP.NET.Edhoc;

/// <summary>Trusts certificates that peers send by value (x5chain) and that your issuers signed.</summary>
/// <remarks>
/// <para>The chain has to end at one of the roots, and be valid at the time of the <see cref="TimeProvider"/>. If the certificate has an
/// extended key usage (RFC 5280 section 4.2.1.12), it has to contain serverAuth for a server and clientAuth for a client. The certificate
/// of a server has to carry the host of <see cref="EdhocClaimedPeerIdentity.Target"/> as an alternative name: a DNS name, an IP address, or
/// the authority of a CoAP URI. Common names and wildcards do not count (RFC 7925 section 4.4.1).
/// <see cref="EdhocClaimedPeerIdentity.Expected"/> replaces the host.</para>
/// <para>The object downloads nothing and checks no revocation. Thread-safe.</para>
/// </remarks>
public sealed class EdhocCertificateTrust : IEdhocCredentialResolver, IDisposable
{
    private readonly X509Certificate2[] _roots;

    /// <summary>Creates an object that trusts the certificates of issuers.</summary>
    /// <param name="roots">The certificates of the issuers, which this object owns and disposes. One or more.</param>
    /// <exception cref="ArgumentException">There are none.</exception>
    public EdhocCertificateTrust(params IEnumerable<X509Certificate2> roots)
    {
        ArgumentNullException.ThrowIfNull(roots);
        _roots = [.. roots];
        if (_roots.Length == 0)
        {
            throw new ArgumentException("Name one issuer at least: without one this object trusts no certificate.", nameof(roots));
        }
    }

    /// <summary>Returns the application's identity for the owner of a valid certificate; null refuses it.</summary>
    /// <remarks>Default: every valid certificate is accepted, with the certificate as the identity.</remarks>
    public Func<X509Certificate2, object?>? Identify { get; init; }

    /// <summary>The clock. Default: the system clock.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <inheritdoc/>
    /// <exception cref="ArgumentException">
    /// The claim has no <see cref="EdhocClaimedPeerIdentity.IsServer"/>, or that of a server without
    /// <see cref="EdhocClaimedPeerIdentity.Target"/> and <see cref="EdhocClaimedPeerIdentity.Expected"/>.
    /// </exception>
    public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(claim);
        if (claim is { IsServer: null } or { IsServer: true, Target: null, Expected: null })
        {
            throw new ArgumentException(
                "The claim does not say whom this side expects, so no certificate can be checked. Set Role, and for a server also Target.",
                nameof(claim));
        }

        return claim.CredentialId.Kind == EdhocCredentialIdKind.CertificateChain && Judge(claim) is { } credential
            ? new ValueTask<IReadOnlyList<EdhocCredential>>([credential])
            : new ValueTask<IReadOnlyList<EdhocCredential>>([]);
    }

    /// <summary>Disposes the certificates of the issuers.</summary>
    public void Dispose()
    {
        foreach (X509Certificate2 root in _roots)
        {
            root.Dispose();
        }
    }

    private static bool IsOfTarget(X509Certificate2 leaf, EdhocClaimedPeerIdentity claim, object? identity) => claim.Expected switch
    {
        null => CertificateNames.IsFor(leaf, ServerUriKey.HostOf(claim.Target!)),
        EdhocCredential credential => credential.Certificate.Span.SequenceEqual(leaf.RawDataMemory.Span),
        object expected => expected.Equals(identity) || (expected is string name && CertificateNames.IsFor(leaf, name)),
    };

    private EdhocCredential? Judge(EdhocClaimedPeerIdentity claim)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> certificates = claim.CredentialId.Certificates;
        bool isServer = claim.IsServer == true;
        List<X509Certificate2> loaded = [];
        try
        {
            foreach (ReadOnlyMemory<byte> certificate in certificates)
            {
                loaded.Add(CertificateDer.Load(certificate.Span));
            }

            using X509Chain chain = new();
            chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            chain.ChainPolicy.CustomTrustStore.AddRange(_roots);
            chain.ChainPolicy.ExtraStore.AddRange(loaded.Skip(1).ToArray());
            chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
            chain.ChainPolicy.DisableCertificateDownloads = true;
            chain.ChainPolicy.ApplicationPolicy.Add(
                new Oid(isServer ? CertificateNames.ServerAuthentication : CertificateNames.ClientAuthentication));
            chain.ChainPolicy.VerificationTimeIgnored = false;
            chain.ChainPolicy.VerificationTime = TimeProvider.GetUtcNow().UtcDateTime;
            if (!chain.Build(loaded[0]))
            {
                return null;
            }

            object? identity = Identify?.Invoke(loaded[0]);
            if ((Identify is not null && identity is null) || (isServer && !IsOfTarget(loaded[0], claim, identity)))
            {
                return null;
            }

            EdhocCredential credential = EdhocCredential.OfCertificate(certificates[0].Span, identity);
            credential.IsOfTarget = isServer;
            return credential;
        }
        catch (Exception exception) when (exception is CryptographicException or EdhocException)
        {
            return null;
        }
        finally
        {
            foreach (X509Certificate2 certificate in loaded)
            {
                certificate.Dispose();
            }
        }
    }
}
