using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET;

/// <summary>
/// The identity that a peer proved in a DTLS handshake: the identity of peers on <c>coaps</c> (<see cref="CoapPeer.Identity"/>).
/// </summary>
/// <remarks>
/// Two identities are equal when they have the same <see cref="Id"/>. A peer that shows the same credentials is the same peer, also in
/// another session. The identity of a peer that showed no credentials is equal only to itself.
/// </remarks>
public sealed class CoapDtlsPeerIdentity : ICoapPeerIdentity, IEquatable<CoapDtlsPeerIdentity>
{
    /// <summary>Creates an identity that no handshake of this process proved.</summary>
    /// <param name="pskIdentity">The identity of the pre-shared key; null for none.</param>
    /// <param name="certificate">The certificate, already checked; null for none. The caller owns it and decides how long it lives.</param>
    /// <param name="publicKey">The raw public key as SubjectPublicKeyInfo in DER; empty for none.</param>
    /// <param name="cipherSuite">The cipher suite by its name in the TLS registry.</param>
    /// <param name="hasConnectionId">Whether records of the client carry a Connection ID (RFC 9146). Default false.</param>
    /// <remarks>
    /// For tests, and for a session transport behind another DTLS terminator. The constructor does not check the arguments.
    /// </remarks>
    public CoapDtlsPeerIdentity(
        string? pskIdentity,
        X509Certificate2? certificate,
        ReadOnlyMemory<byte> publicKey,
        string cipherSuite,
        bool hasConnectionId = false)
        : this(OfProof(pskIdentity, certificate, publicKey.Span), cipherSuite, hasConnectionId)
    {
        PskIdentity = pskIdentity;
        Certificate = certificate;
        PublicKey = publicKey;
    }

    internal CoapDtlsPeerIdentity(CoapPeerId? id, string cipherSuite, bool hasConnectionId)
    {
        ArgumentException.ThrowIfNullOrEmpty(cipherSuite);
        Id = id;
        CipherSuite = cipherSuite;
        HasConnectionId = hasConnectionId;
    }

    /// <summary>The identity of the pre-shared key (RFC 4279); null without one.</summary>
    /// <remarks>
    /// For a client, its own identity. For a server, the identity that this endpoint showed it; the server proved that it has the same key.
    /// </remarks>
    public string? PskIdentity { get; internal init; }

    /// <summary>The certificate that the peer showed, checked according to the options; null without one.</summary>
    /// <remarks>It lives as long as the session.</remarks>
    public X509Certificate2? Certificate { get; internal init; }

    /// <summary>The raw public key that the peer proved (RFC 7250), as SubjectPublicKeyInfo in DER; empty when it showed none.</summary>
    public ReadOnlyMemory<byte> PublicKey { get; internal init; }

    /// <summary>The cipher suite by its name in the TLS registry, such as <c>TLS_PSK_WITH_AES_128_CCM_8</c>.</summary>
    public string CipherSuite { get; }

    /// <summary>
    /// Whether records of the client carry a Connection ID (RFC 9146), which lets the session survive a change of its address.
    /// </summary>
    public bool HasConnectionId { get; }

    /// <summary>
    /// Who the peer is: by its pre-shared key, otherwise by its certificate, otherwise by its raw public key; null without any. It outlives
    /// the certificate.
    /// </summary>
    public CoapPeerId? Id { get; }

    /// <summary>Whether the peer proved an identity. False for a client that relied on the server's certificate alone.</summary>
    public bool IsKnown => Id is not null;

    /// <summary>Whether two identities belong to the same peer.</summary>
    /// <param name="left">An identity.</param>
    /// <param name="right">The other identity.</param>
    public static bool operator ==(CoapDtlsPeerIdentity? left, CoapDtlsPeerIdentity? right) =>
        left is null ? right is null : left.Equals(right);

    /// <summary>Whether two identities belong to different peers.</summary>
    /// <param name="left">An identity.</param>
    /// <param name="right">The other identity.</param>
    public static bool operator !=(CoapDtlsPeerIdentity? left, CoapDtlsPeerIdentity? right) => !(left == right);

    /// <summary>Compares who the peers are.</summary>
    /// <param name="other">The other identity.</param>
    /// <returns>True when both have the same <see cref="Id"/>, or are the same object.</returns>
    public bool Equals(CoapDtlsPeerIdentity? other) => ReferenceEquals(this, other) || (Id is not null && Id == other?.Id);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CoapDtlsPeerIdentity);

    /// <inheritdoc/>
    public override int GetHashCode() => Id?.GetHashCode() ?? RuntimeHelpers.GetHashCode(this);

    /// <summary>Returns <see cref="Id"/> as text, or <c>unknown</c>.</summary>
    public override string ToString() => Id?.ToString() ?? "unknown";

    /// <summary>Returns who proved credentials in a handshake; null for a peer without any.</summary>
    internal static CoapPeerId? OfProof(string? pskIdentity, X509Certificate2? certificate, ReadOnlySpan<byte> publicKey) =>
        pskIdentity is not null ? new CoapPeerId(CoapPeerId.PskMethod, pskIdentity)
        : certificate is not null ? CoapPeerId.OfCertificate(certificate)
        : publicKey.IsEmpty ? null
        : CoapPeerId.OfPublicKey(publicKey);
}
