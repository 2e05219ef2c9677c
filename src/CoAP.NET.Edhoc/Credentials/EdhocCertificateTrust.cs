using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Edhoc;

/// <summary>Trusts certificates that peers send by value (x5chain) and that your issuers signed.</summary>
/// <remarks>
/// The chain has to end at one of the roots, and be valid at the time of the <see cref="TimeProvider"/>. The object downloads nothing and
/// checks no revocation. Thread-safe.
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
    public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(EdhocClaim claim, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(claim);
        return claim.CredentialId.Kind == EdhocCredentialIdKind.CertificateChain && Judge(claim.CredentialId.Certificates) is { } credential
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

    private EdhocCredential? Judge(IReadOnlyList<ReadOnlyMemory<byte>> certificates)
    {
        List<X509Certificate2> loaded = [];
        try
        {
            foreach (ReadOnlyMemory<byte> certificate in certificates)
            {
                loaded.Add(X509CertificateLoader.LoadCertificate(certificate.Span));
            }

            using X509Chain chain = new();
            chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            chain.ChainPolicy.CustomTrustStore.AddRange(_roots);
            chain.ChainPolicy.ExtraStore.AddRange(loaded.Skip(1).ToArray());
            chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
            chain.ChainPolicy.DisableCertificateDownloads = true;
            chain.ChainPolicy.VerificationTimeIgnored = false;
            chain.ChainPolicy.VerificationTime = TimeProvider.GetUtcNow().UtcDateTime;
            if (!chain.Build(loaded[0]))
            {
                return null;
            }

            object? identity = Identify?.Invoke(loaded[0]);
            return Identify is not null && identity is null
                ? null
                : EdhocCredential.OfCertificate(certificates[0].Span, identity);
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
