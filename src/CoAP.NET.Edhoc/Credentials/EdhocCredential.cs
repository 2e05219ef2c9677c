using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Edhoc.Credentials;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc;

/// <summary>
/// An authentication credential: CRED_I or CRED_R (RFC 9528 section 3.5.2), byte for byte as both sides have it, and its public key.
/// </summary>
/// <remarks>
/// EDHOC proves that a peer has the private key. The application decides which credentials to trust, through its
/// <see cref="IEdhocCredentialResolver"/>.
/// </remarks>
public sealed class EdhocCredential : ICoapPeerIdentity, IEquatable<EdhocCredential>
{
    private readonly byte[] _encoded;
    private CoapPeerId? _ownId;

    private EdhocCredential(EdhocCredentialKind kind, byte[] encoded, EdhocPublicKey publicKey)
    {
        (Kind, _encoded, PublicKey) = (kind, encoded, publicKey);
    }

    internal EdhocCredentialKind Kind { get; }

    /// <summary>
    /// The credential as a CBOR item in its hashed and signed form: a claims set unmodified, a certificate as a byte string.
    /// </summary>
    internal ReadOnlyMemory<byte> Encoded => _encoded;

    internal EdhocPublicKey PublicKey { get; }

    /// <summary>The kid of the key in a claims set; null without one.</summary>
    internal ReadOnlyMemory<byte>? KeyId { get; private init; }

    /// <summary>The subject of a claims set or a certificate; null without one. Without an issuer's signature, the peer chose it.</summary>
    public string? Subject { get; private init; }

    /// <summary>The certificate in DER; empty for other kinds.</summary>
    public ReadOnlyMemory<byte> Certificate { get; private init; }

    /// <summary>
    /// The application's identity of its owner: authorization, rate limits and observers use it as the identity of the peer.
    /// </summary>
    /// <remarks>Default null: the credential itself.</remarks>
    public object? Identity { get; init; }

    /// <summary>
    /// Who its owner is, once the owner has proved that it has the private key: by <see cref="Identity"/>; otherwise a certificate by its
    /// subject and issuer, as in TLS, and another credential by its SHA-256.
    /// </summary>
    public CoapPeerId? Id => Identity switch
    {
        string name => new CoapPeerId(CoapPeerId.EdhocMethod, name),
        not null => CoapPeerId.Of(Identity),
        null => _ownId ??= MakeId(),
    };

    X509Certificate2? ICoapPeerIdentity.Certificate => null;

    string? ICoapPeerIdentity.PskIdentity => null;

    bool ICoapPeerIdentity.IsKnown => true;

    /// <summary>Whether an issuer vouches that it belongs to the server that the claim names.</summary>
    internal bool IsOfTarget { get; set; }

    /// <summary>The uses that the certificate allows; both for other kinds and for certificates without a restriction.</summary>
    internal (bool Signing, bool Agreeing) Uses { get; private init; } = (true, true);

    /// <summary>Creates a credential from a CWT Claims Set with a COSE_Key in its confirmation claim.</summary>
    /// <param name="claims">The claims set, a CBOR map, exactly as the peer has it.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">It is not such a claims set, or the kind of its key is not supported.</exception>
    public static EdhocCredential OfCcs(ReadOnlySpan<byte> claims, object? identity = null)
    {
        CwtClaimsSet read = CwtClaimsSet.Read(claims);
        return new EdhocCredential(EdhocCredentialKind.Ccs, claims.ToArray(), read.Key)
        {
            KeyId = read.KeyId is null ? default(ReadOnlyMemory<byte>?) : read.KeyId,
            Subject = read.Subject,
            Identity = identity,
        };
    }

    /// <summary>Creates a credential from a plain COSE_Key, wrapped in a claims set (RFC 9528 section 3.5.2).</summary>
    /// <param name="key">The COSE_Key, a CBOR map.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">It is not a COSE_Key.</exception>
    public static EdhocCredential OfCoseKey(ReadOnlySpan<byte> key, object? identity = null) =>
        OfCcs([0xa1, 0x08, 0xa1, 0x01, .. key], identity);

    /// <summary>Creates a credential from a CBOR Web Token that the caller has verified.</summary>
    /// <param name="token">The token without a tag, a CBOR array, exactly as the peer has it.</param>
    /// <param name="claims">The claims set of the verified token.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">The claims have no key.</exception>
    public static EdhocCredential OfCwt(ReadOnlySpan<byte> token, ReadOnlySpan<byte> claims, object? identity = null)
    {
        CwtClaimsSet read = CwtClaimsSet.Read(claims);
        return new EdhocCredential(EdhocCredentialKind.Cwt, token.ToArray(), read.Key)
        {
            KeyId = read.KeyId is null ? default(ReadOnlyMemory<byte>?) : read.KeyId,
            Subject = read.Subject,
            Identity = identity,
        };
    }

    /// <summary>Creates a credential from an X.509 certificate that the caller has validated, or knows.</summary>
    /// <param name="certificate">The certificate in DER.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">It is not a certificate, or the kind of its key is not supported.</exception>
    public static EdhocCredential OfCertificate(ReadOnlySpan<byte> certificate, object? identity = null)
    {
        CertificateReader read = CertificateReader.Read(certificate);
        return new EdhocCredential(EdhocCredentialKind.Certificate, CborItemEncoder.Item(certificate), read.Key)
        {
            Certificate = certificate.ToArray(),
            Subject = read.Subject,
            Uses = read.Uses,
            Identity = identity,
        };
    }

    /// <summary>Creates a claims set with a public key, for example to give to both sides.</summary>
    /// <param name="key">The key; for a NIST curve with both coordinates.</param>
    /// <param name="keyId">The kid; one byte of 00 to 17 or 20 to 37 is the shortest on the wire.</param>
    /// <param name="subject">The subject; null for none.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    public static EdhocCredential Create(EdhocPublicKey key, ReadOnlySpan<byte> keyId, string? subject = null, object? identity = null)
    {
        ArgumentNullException.ThrowIfNull(key);
        return OfCcs(CwtClaimsSet.Write(key, keyId, subject), identity);
    }

    /// <summary>Whether two credentials are equal, byte for byte.</summary>
    /// <returns>True if they are.</returns>
    internal bool IsSame(EdhocCredential other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return CryptographicOperations.FixedTimeEquals(_encoded, other._encoded);
    }

    /// <summary>Whether two credentials are equal, byte for byte. Their <see cref="Identity"/> does not count.</summary>
    /// <param name="other">The other credential.</param>
    /// <returns>True if they are.</returns>
    public bool Equals(EdhocCredential? other) => other is not null && IsSame(other);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as EdhocCredential);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.AddBytes(_encoded);
        return hash.ToHashCode();
    }

    /// <summary>Returns the kind and the subject.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Subject is null ? $"{Kind}" : $"{Kind} of {Subject}";

    private CoapPeerId MakeId()
    {
        if (Kind == EdhocCredentialKind.Certificate)
        {
            using X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(Certificate.Span);
            return CoapPeerId.OfCertificate(certificate);
        }

        return new CoapPeerId(CoapPeerId.EdhocMethod, $"credential={Convert.ToHexStringLower(SHA256.HashData(_encoded))}");
    }
}
