using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Validates certificates of peers (RFC 7252 section 9.1.3.3, RFC 7925 section 4.4): the chain, the purpose, and the name of a server.
/// Builds chains, which may take long: never call it on a receive thread. Thread-safe.
/// </summary>
internal sealed class PeerCertificateValidator
{
    private const string Md5WithRsa = "1.2.840.113549.1.1.4";
    private const string Sha1WithRsa = "1.2.840.113549.1.1.5";
    private const string Sha1WithEcdsa = "1.2.840.10045.4.1";

    /// <summary>Whether it checks certificates of servers; otherwise those of clients.</summary>
    public required bool IsOfServers { get; init; }

    /// <summary>The trusted authorities; empty: those that the system trusts.</summary>
    public X509Certificate2Collection Authorities { get; init; } = [];

    /// <summary>How to check for revocation. By default not at all: devices can seldom reach the authority.</summary>
    public X509RevocationMode Revocation { get; init; } = X509RevocationMode.NoCheck;

    /// <summary>The revocation lists that no certificate of the chain may be on; null for none.</summary>
    public CoapRevocationLists? RevocationLists { get; init; }

    /// <summary>
    /// Makes the final decision, if set: gets the certificate, its chain and the problems found, and returns whether to accept it. Without
    /// it any problem leads to a refusal.
    /// </summary>
    public Func<X509Certificate2, X509Chain, SslPolicyErrors, CancellationToken, ValueTask<bool>>? Decides { get; init; }

    /// <summary>Validates a certificate.</summary>
    /// <param name="leaf">The certificate.</param>
    /// <param name="sent">The certificates that came with it.</param>
    /// <param name="name">The name or the address of the server; null for a client.</param>
    /// <param name="time">When it has to be valid: now, by the clock of the endpoint.</param>
    /// <param name="cancellationToken">Cancels <see cref="Decides"/>.</param>
    /// <returns>Null to accept it; otherwise the reason, and what to do.</returns>
    public async ValueTask<string?> RefusesAsync(
        X509Certificate2 leaf, X509Certificate2Collection sent, string? name, DateTimeOffset time, CancellationToken cancellationToken)
    {
        using X509Chain chain = new();
        chain.ChainPolicy.RevocationMode = Revocation;
        chain.ChainPolicy.VerificationTime = time.LocalDateTime;
        chain.ChainPolicy.ApplicationPolicy.Add(
            new Oid(IsOfServers ? CertificateNames.ServerAuthentication : CertificateNames.ClientAuthentication));
        chain.ChainPolicy.ExtraStore.AddRange(sent);

        // A certificate from a stranger must not make the endpoint connect to a URL that it contains.
        chain.ChainPolicy.DisableCertificateDownloads = true;
        if (Authorities.Count > 0)
        {
            chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            chain.ChainPolicy.CustomTrustStore.AddRange(Authorities);
        }

        SslPolicyErrors errors = chain.Build(leaf) ? SslPolicyErrors.None : SslPolicyErrors.RemoteCertificateChainErrors;
        X509Certificate2? revoked = RevocationLists is { } lists
            ? chain.ChainElements.Select(static element => element.Certificate).FirstOrDefault(lists.IsRevoked)
            : null;
        if (revoked is not null)
        {
            errors |= SslPolicyErrors.RemoteCertificateChainErrors;
        }

        X509Certificate2? weak = null;
        bool signs = false;
        bool isReadable = true;
        try
        {
            weak = WeakOf(chain.ChainElements);
            signs = MaySign(leaf);
        }
        catch (Exception exception) when (exception is CryptographicException or PlatformNotSupportedException)
        {
            // .NET reads extensions, and keys with their curves, when they are asked for.
            isReadable = false;
        }

        if (weak is not null || !signs)
        {
            errors |= SslPolicyErrors.RemoteCertificateChainErrors;
        }

        if (name is not null && !CertificateNames.IsFor(leaf, name))
        {
            errors |= SslPolicyErrors.RemoteCertificateNameMismatch;
        }

        bool isTaken = Decides is null
            ? errors == SslPolicyErrors.None
            : await Decides(leaf, chain, errors, cancellationToken).ConfigureAwait(false);
        string? why = isTaken ? null : Describe(leaf, chain, errors, name, revoked, weak, signs, isReadable);
        foreach (X509ChainElement element in chain.ChainElements)
        {
            if (!ReferenceEquals(element.Certificate, leaf))
            {
                element.Certificate.Dispose();
            }
        }

        return why;
    }

    // 112 bits of security, as the cipher suites need at least (RFC 9325 section 4.1). Only the self-signed end of a chain proves nothing
    // by its signature: an intermediate may have the name of its issuer, and its signature counts.
    private static X509Certificate2? WeakOf(X509ChainElementCollection chain)
    {
        for (int i = 0; i < chain.Count; i++)
        {
            X509Certificate2 certificate = chain[i].Certificate;
            bool isRoot = i == chain.Count - 1
                && certificate.SubjectName.RawData.AsSpan().SequenceEqual(certificate.IssuerName.RawData);
            if (HasWeakKey(certificate)
                || (!isRoot && certificate.SignatureAlgorithm.Value is Sha1WithRsa or Md5WithRsa or Sha1WithEcdsa))
            {
                return certificate;
            }
        }

        return null;
    }

    private static bool HasWeakKey(X509Certificate2 certificate)
    {
        const int MinRsaBits = 2_048;
        const int MinCurveBits = 224;
        using RSA? rsa = certificate.GetRSAPublicKey();
        using ECDsa? curve = certificate.GetECDsaPublicKey();
        return (rsa is not null && rsa.KeySize < MinRsaBits) || (curve is not null && curve.KeySize < MinCurveBits);
    }

    /// <summary>
    /// Whether the key usage of a certificate, if it has one, allows signatures: handshakes prove the key by one (RFC 5246 sections 7.4.2
    /// and 7.4.8, RFC 5280 section 4.2.1.3).
    /// </summary>
    /// <param name="leaf">The certificate of an end.</param>
    /// <exception cref="CryptographicException">The extension cannot be read.</exception>
    public static bool MaySign(X509Certificate2 leaf) => leaf.Extensions.OfType<X509KeyUsageExtension>()
        .All(static usage => (usage.KeyUsages & X509KeyUsageFlags.DigitalSignature) != 0);

    // The peer wrote the content of its certificate; no authority has vouched for it yet.
    private static string Whom(X509Certificate2 leaf) =>
        leaf.Subject.Length > 0
            ? $"The certificate '{CoapUntrustedText.LineOf(leaf.Subject)}'"
            : $"The certificate with the thumbprint {leaf.Thumbprint}";

    private static string Describe(X509Certificate2 leaf, X509Chain chain, SslPolicyErrors errors, string? name, X509Certificate2? revoked,
        X509Certificate2? weak, bool signs, bool isReadable)
    {
        string whom = Whom(leaf);
        if (errors == SslPolicyErrors.None)
        {
            return $"{whom} was refused by the validation that the options name.";
        }

        List<string> said = [];
        if (revoked is not null)
        {
            said.Add($"{Whom(revoked)} is on the revocation list of its authority.");
        }

        if (weak is not null)
        {
            said.Add($"{Whom(weak)} is too weak: its key or its signature has less than 112 bits of security. Issue it with an ECDSA key on "
                + "P-256 and SHA-256.");
        }

        if (!isReadable)
        {
            said.Add($"{whom}, or one of its authorities, has an extension that cannot be read, such as the key usage. Issue another one.");
        }
        else if (!signs)
        {
            said.Add($"{whom} may not sign: its key usage lacks digitalSignature, which handshakes need (RFC 5280 section 4.2.1.3). Issue "
                + "one with it.");
        }

        X509ChainStatusFlags flags = chain.ChainStatus.Aggregate(X509ChainStatusFlags.NoError, static (all, one) => all | one.Status);
        if ((flags & X509ChainStatusFlags.NotTimeValid) != 0)
        {
            said.Add($"{whom}, or one of its authorities, is not valid at this time (it is valid from {leaf.NotBefore.ToUniversalTime():u} "
                + $"to {leaf.NotAfter.ToUniversalTime():u}). Renew it, or set this machine's clock.");
        }

        if ((flags & (X509ChainStatusFlags.UntrustedRoot | X509ChainStatusFlags.PartialChain)) != 0)
        {
            said.Add($"{whom} was issued by '{CoapUntrustedText.LineOf(leaf.Issuer)}', which leads to no trusted authority. "
                + "Add that authority to the trusted ones (TrustAuthorities, RequireClientCertificates), or have the peer send the "
                + "intermediates.");
        }

        if ((flags & X509ChainStatusFlags.NotValidForUsage) != 0)
        {
            said.Add($"{whom} is not meant for this end of a connection: its extended key usage lacks clientAuth or serverAuth.");
        }

        if ((errors & SslPolicyErrors.RemoteCertificateNameMismatch) != 0)
        {
            said.Add($"{whom} is for {CertificateNames.Of(leaf)}, not for '{name}'. Ask for one of its names, or issue it for this one "
                + "(common names and wildcards do not count).");
        }

        if (said.Count == 0)
        {
            said.Add($"{whom} was not accepted: {CoapUntrustedText.LineOf(string.Join(
                ", ", chain.ChainStatus.Select(static one => one.StatusInformation.Trim())))}");
        }

        return string.Join(' ', said);
    }
}
