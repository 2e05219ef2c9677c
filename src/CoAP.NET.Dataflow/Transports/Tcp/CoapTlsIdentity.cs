using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>The identity of a peer on <c>coaps+tcp</c>, as the TLS handshake proved it.</summary>
/// <remarks>
/// Two identities are equal when their certificates are equal: peers with the same certificate are the same peer. That of a peer without a
/// certificate is equal only to itself.
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

    /// <summary>Compares the certificates. The client chooses the server name, which therefore says nothing about it.</summary>
    /// <param name="other">The other identity.</param>
    /// <returns>True when both have the same certificate, or are the same object.</returns>
    public bool Equals(CoapTlsIdentity? other) => ReferenceEquals(this, other) || (_hash is not null && _hash == other?._hash);

    /// <inheritdoc/>
    public override int GetHashCode() => _hash?.GetHashCode(StringComparison.Ordinal) ?? RuntimeHelpers.GetHashCode(this);
}
