using System.Security.Cryptography;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Credentials;

namespace CoAP.NET.Edhoc;

/// <summary>
/// An authentication credential: CRED_I or CRED_R (RFC 9528 section 3.5.2), byte for byte as both sides have it, and the public key in it.
/// That somebody has the private key is what EDHOC proves; whether the credential is to be trusted the application decides, by what its
/// <see cref="IEdhocCredentialResolver"/> gives out.
/// </summary>
public sealed class EdhocCredential
{
    private readonly byte[] _encoded;

    private EdhocCredential(EdhocCredentialKind kind, byte[] encoded, EdhocPublicKey publicKey)
    {
        (Kind, _encoded, PublicKey) = (kind, encoded, publicKey);
    }

    /// <summary>What it is.</summary>
    public EdhocCredentialKind Kind { get; }

    /// <summary>The credential as a CBOR item, as it is hashed and signed: a claims set as it is, a certificate as a byte
    /// string.</summary>
    public ReadOnlyMemory<byte> Encoded => _encoded;

    /// <summary>The public key.</summary>
    public EdhocPublicKey PublicKey { get; }

    /// <summary>The kid of the key in a claims set; null without one.</summary>
    public ReadOnlyMemory<byte>? KeyId { get; private init; }

    /// <summary>The subject of a claims set or a certificate; null without one. Of a peer's own making where nobody signed
    /// it.</summary>
    public string? Subject { get; private init; }

    /// <summary>The certificate in DER; empty for other kinds.</summary>
    public ReadOnlyMemory<byte> Certificate { get; private init; }

    /// <summary>
    /// Who it is for the application, as the identity of the peer that authorization, rate limits and observers are bound to. Default
    /// null: the credential itself.
    /// </summary>
    public object? Identity { get; init; }

    /// <summary>Which uses the certificate allows; both for other kinds and where it does not say.</summary>
    internal (bool Signing, bool Agreeing) Uses { get; private init; } = (true, true);

    /// <summary>Makes a credential of a CWT Claims Set with a COSE_Key in its confirmation claim.</summary>
    /// <param name="claims">The claims set, a CBOR map, exactly as the peer has it.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">It is no such claims set, or its key is of a kind that is not known here.</exception>
    public static EdhocCredential OfCcs(ReadOnlySpan<byte> claims, object? identity = null)
    {
        ClaimsReader read = ClaimsReader.Read(claims);
        return new EdhocCredential(EdhocCredentialKind.Ccs, claims.ToArray(), read.Key)
        {
            KeyId = read.KeyId is null ? default(ReadOnlyMemory<byte>?) : read.KeyId,
            Subject = read.Subject,
            Identity = identity,
        };
    }

    /// <summary>Makes a credential of a naked COSE_Key, dressed as a claims set (RFC 9528 section 3.5.2).</summary>
    /// <param name="key">The COSE_Key, a CBOR map.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">It is no COSE_Key.</exception>
    public static EdhocCredential OfCoseKey(ReadOnlySpan<byte> key, object? identity = null) =>
        OfCcs(new CborWriter().WriteMap(1).WriteInt(8).WriteMap(1).WriteInt(1).WriteEncoded(key).ToArray(), identity);

    /// <summary>Makes a credential of a CBOR Web Token. Whoever makes it has verified the token.</summary>
    /// <param name="token">The token without a tag, a CBOR array, exactly as the peer has it.</param>
    /// <param name="claims">The claims set in it, after the token was verified.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">The claims have no key.</exception>
    public static EdhocCredential OfCwt(ReadOnlySpan<byte> token, ReadOnlySpan<byte> claims, object? identity = null)
    {
        ClaimsReader read = ClaimsReader.Read(claims);
        return new EdhocCredential(EdhocCredentialKind.Cwt, token.ToArray(), read.Key)
        {
            KeyId = read.KeyId is null ? default(ReadOnlyMemory<byte>?) : read.KeyId,
            Subject = read.Subject,
            Identity = identity,
        };
    }

    /// <summary>Makes a credential of an X.509 certificate. Whoever makes it has validated the certificate, or knows it.</summary>
    /// <param name="certificate">The certificate in DER.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    /// <exception cref="EdhocException">It is no certificate, or its key is of a kind that is not known here.</exception>
    public static EdhocCredential OfCertificate(ReadOnlySpan<byte> certificate, object? identity = null)
    {
        CertificateReader read = CertificateReader.Read(certificate);
        return new EdhocCredential(EdhocCredentialKind.Certificate, new CborWriter().WriteBytes(certificate).ToArray(), read.Key)
        {
            Certificate = certificate.ToArray(),
            Subject = read.Subject,
            Uses = read.Uses,
            Identity = identity,
        };
    }

    /// <summary>Makes a claims set with a public key, such as one to give to both sides.</summary>
    /// <param name="key">The key; of a NIST curve with both coordinates.</param>
    /// <param name="keyId">The kid; one byte of 00 to 17 or 20 to 37 is the shortest on the wire.</param>
    /// <param name="subject">The subject; null for none.</param>
    /// <param name="identity">See <see cref="Identity"/>.</param>
    /// <returns>The credential.</returns>
    public static EdhocCredential Create(EdhocPublicKey key, ReadOnlySpan<byte> keyId, string? subject = null, object? identity = null)
    {
        ArgumentNullException.ThrowIfNull(key);
        return OfCcs(ClaimsReader.Write(key, keyId, subject), identity);
    }

    /// <summary>Whether two are the same credential, byte for byte.</summary>
    /// <param name="other">The other one.</param>
    /// <returns>Whether they are.</returns>
    public bool IsSame(EdhocCredential other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return CryptographicOperations.FixedTimeEquals(_encoded, other._encoded);
    }

    /// <summary>The kind and the subject.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Subject is null ? $"{Kind}" : $"{Kind} of {Subject}";
}
