using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>The identity of a peer on <c>coaps+tcp</c>, as the TLS handshake proved it.</summary>
/// <remarks>
/// Two identities are equal when certificate and server name are equal. Peers with the same certificate are therefore the same peer, and
/// peers without a certificate are indistinguishable.
/// </remarks>
/// <param name="Certificate">The peer's certificate; null without one. It is disposed when the connection has ended.</param>
/// <param name="ServerName">The server name that the client requested; null without one.</param>
/// <param name="Protocol">The TLS version.</param>
/// <param name="CipherSuite">The cipher suite.</param>
public sealed record CoapTlsIdentity(X509Certificate2? Certificate, string? ServerName, SslProtocols Protocol, TlsCipherSuite CipherSuite)
    : ICoapPeerIdentity
{
    // Equality must outlive the certificate, which is disposed with its connection.
    private readonly string? _hash = Certificate?.GetCertHashString(HashAlgorithmName.SHA256);

    /// <summary>Whether the peer has proven its identity with a certificate.</summary>
    public bool IsKnown => Certificate is not null;

    /// <summary>Compares certificate and server name.</summary>
    /// <param name="other">The other identity.</param>
    /// <returns>True when both are equal.</returns>
    public bool Equals(CoapTlsIdentity? other) => other is not null && _hash == other._hash && ServerName == other.ServerName;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_hash, ServerName);
}
