using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>
/// Who a peer is, as a DTLS handshake showed: the identity of peers on <c>coaps</c> (<see cref="CoapPeer.Identity"/>). Two are equal when
/// pre-shared identity, certificate and public key are: whoever shows the same is the same peer, also in another session, and peers that
/// showed nothing are not told apart.
/// </summary>
public sealed class CoapDtlsIdentity : ICoapPeerIdentity, IEquatable<CoapDtlsIdentity>
{
    // Equality outlives the certificate, which goes with its session.
    private readonly string? _hash;

    /// <summary>
    /// Makes an identity that no handshake of this process has shown: for tests, and for a session transport that gets it from whoever
    /// ended DTLS before it. What is said here is believed.
    /// </summary>
    /// <param name="pskIdentity">The identity of the pre-shared key; null for none.</param>
    /// <param name="certificate">The certificate, checked; null for none. It lives as long as its owner lets it.</param>
    /// <param name="publicKey">The raw public key as SubjectPublicKeyInfo in DER; empty for none.</param>
    /// <param name="cipherSuite">The cipher suite by its name in the registry of TLS.</param>
    /// <param name="hasConnectionId">Whether records of the client carry a Connection ID (RFC 9146). Default false.</param>
    public CoapDtlsIdentity(
        string? pskIdentity,
        X509Certificate2? certificate,
        ReadOnlyMemory<byte> publicKey,
        string cipherSuite,
        bool hasConnectionId = false)
    {
        ArgumentException.ThrowIfNullOrEmpty(cipherSuite);
        PskIdentity = pskIdentity;
        Certificate = certificate;
        PublicKey = publicKey;
        CipherSuite = cipherSuite;
        HasConnectionId = hasConnectionId;
        _hash = certificate?.GetCertHashString(HashAlgorithmName.SHA256);
    }

    /// <summary>
    /// The identity of the pre-shared key (RFC 4279); null when none was used. Of a client: who it is. Of a server: who it knows us as; it
    /// has shown that it has the same key.
    /// </summary>
    public string? PskIdentity { get; }

    /// <summary>
    /// The certificate that the peer showed, checked as the options say; null when it showed none. It lives as long as the session.
    /// </summary>
    public X509Certificate2? Certificate { get; }

    /// <summary>The raw public key that the peer proved (RFC 7250), as SubjectPublicKeyInfo in DER; empty when it showed none.</summary>
    public ReadOnlyMemory<byte> PublicKey { get; }

    /// <summary>The cipher suite by its name in the registry of TLS, such as <c>TLS_PSK_WITH_AES_128_CCM_8</c>.</summary>
    public string CipherSuite { get; }

    /// <summary>
    /// Whether records of the client carry a Connection ID (RFC 9146), so that the session goes on when its address changes.
    /// </summary>
    public bool HasConnectionId { get; }

    /// <summary>Whether the peer has shown who it is. False of a client that was served by the server's certificate alone.</summary>
    public bool IsKnown => PskIdentity is not null || Certificate is not null || !PublicKey.IsEmpty;

    /// <summary>Whether two are of the same peer.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other one.</param>
    public static bool operator ==(CoapDtlsIdentity? left, CoapDtlsIdentity? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether two are of different peers.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other one.</param>
    public static bool operator !=(CoapDtlsIdentity? left, CoapDtlsIdentity? right) => !(left == right);

    /// <summary>Whether pre-shared identity, certificate and public key are the same.</summary>
    /// <param name="other">The other one.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(CoapDtlsIdentity? other) =>
        other is not null && PskIdentity == other.PskIdentity && _hash == other._hash && PublicKey.Span.SequenceEqual(other.PublicKey.Span);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CoapDtlsIdentity);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.Add(PskIdentity);
        hash.Add(_hash);
        hash.AddBytes(PublicKey.Span);
        return hash.ToHashCode();
    }

    /// <summary>Who it is, in words; no secret.</summary>
    public override string ToString()
    {
        if (PskIdentity is not null)
        {
            return string.Create(CultureInfo.InvariantCulture, $"pre-shared key '{PskIdentity}'");
        }

        return _hash is not null ? $"certificate with SHA-256 {_hash}"
            : PublicKey.IsEmpty ? "unknown" : $"public key with SHA-256 {Convert.ToHexString(SHA256.HashData(PublicKey.Span))}";
    }

    /// <summary>The identity of a session's peer.</summary>
    /// <param name="session">The session.</param>
    internal static CoapDtlsIdentity From(DtlsSession session) =>
        new(session.PskIdentity, session.PeerCertificate, session.PeerPublicKey, session.Suite.Name, session.HasConnectionId);
}
