using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Testing;

/// <summary>The identity that an in-memory client or server claims on <c>coaps</c> and <c>coaps+tcp</c>.</summary>
/// <remarks>
/// Nothing is verified: no key, certificate or chain is checked, so tests of routes and policies need none. <see cref="CoapPeer.Identity"/>
/// returns the same as after a real handshake. Schemes without security ignore the identity.
/// </remarks>
public sealed class CoapTestIdentity
{
    private const string PskSuite = "TLS_PSK_WITH_AES_128_CCM_8";
    private const string EcdheSuite = "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8";

    private readonly string? _psk;
    private readonly byte[]? _certificate;
    private readonly ReadOnlyMemory<byte> _publicKey;
    private readonly ICoapPeerIdentity? _other;

    private CoapTestIdentity(
        string? psk = null, byte[]? certificate = null, ReadOnlyMemory<byte> publicKey = default, ICoapPeerIdentity? other = null)
    {
        _psk = psk;
        _certificate = certificate;
        _publicKey = publicKey;
        _other = other;
    }

    /// <summary>No identity: a client without credentials of its own. <see cref="CoapPeer.IsKnown"/> is false.</summary>
    public static CoapTestIdentity None { get; } = new();

    /// <summary>An identity with a pre-shared key, for <c>RequirePskIdentity</c>. On <c>coaps</c> only.</summary>
    /// <param name="identity">The identity, not the key.</param>
    /// <returns>The identity of the test.</returns>
    /// <exception cref="ArgumentException"><paramref name="identity"/> is empty.</exception>
    public static CoapTestIdentity Psk(string identity)
    {
        ArgumentException.ThrowIfNullOrEmpty(identity);
        return new CoapTestIdentity(psk: identity);
    }

    /// <summary>An identity with a certificate, for <c>RequireCertificate</c>.</summary>
    /// <param name="certificate">The certificate; the method copies it. It may be self-signed and needs no private key.</param>
    /// <returns>The identity of the test.</returns>
    public static CoapTestIdentity Certificate(X509Certificate2 certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        return new CoapTestIdentity(certificate: certificate.RawData);
    }

    /// <summary>An identity with a raw public key (RFC 7250). On <c>coaps</c> only.</summary>
    /// <param name="publicKey">The key as SubjectPublicKeyInfo in DER; not empty.</param>
    /// <returns>The identity of the test.</returns>
    /// <exception cref="ArgumentException">The key is empty.</exception>
    public static CoapTestIdentity RawPublicKey(ReadOnlyMemory<byte> publicKey) => publicKey.IsEmpty
        ? throw new ArgumentException("The raw public key is empty. Pass the result of ExportSubjectPublicKeyInfo.", nameof(publicKey))
        : new CoapTestIdentity(publicKey: publicKey.ToArray());

    /// <summary>An identity of any type, such as a <see cref="CoapUserPeerIdentity"/> of a web application.</summary>
    /// <param name="identity">The value that <see cref="CoapPeer.Identity"/> returns.</param>
    /// <returns>The identity of the test.</returns>
    public static CoapTestIdentity From(ICoapPeerIdentity identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        return new CoapTestIdentity(other: identity);
    }

    /// <summary>Returns the identity that a server sees after the handshake.</summary>
    /// <param name="scheme">The secured scheme.</param>
    /// <param name="serverName">The server name that the client requested; null for none.</param>
    /// <exception cref="CoapConnectionException">The scheme does not support such credentials.</exception>
    internal ICoapPeerIdentity Show(string scheme, string? serverName)
    {
        if (_other is not null)
        {
            return _other;
        }

        // Each connection gets a copy, because it disposes the certificate.
        X509Certificate2? certificate = _certificate is null ? null : X509CertificateLoader.LoadCertificate(_certificate);
        if (scheme == "coaps")
        {
            return new CoapDtlsPeerIdentity(_psk, certificate, _publicKey, _psk is null ? EcdheSuite : PskSuite);
        }

        return _psk is null && _publicKey.IsEmpty
            ? new CoapTlsPeerIdentity(certificate, serverName, SslProtocols.Tls13, TlsCipherSuite.TLS_AES_128_GCM_SHA256)
            : throw new CoapConnectionException(
                CoapError.HandshakeFailed,
                $"Over {scheme} clients present certificates; pre-shared keys and raw public keys are for coaps. Use coaps, or "
                    + "CoapTestIdentity.Certificate.");
    }

    /// <summary>
    /// Returns the identity of a server that this client sees after the handshake: with a pre-shared key the identity that both use.
    /// </summary>
    internal ICoapPeerIdentity AsServerOf(CoapTestIdentity server, string scheme) =>
        _psk is not null && scheme == "coaps" ? new CoapDtlsPeerIdentity(_psk, null, default, PskSuite)
        : server.Show(scheme, serverName: null);
}
