using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>The identity of a peer on <c>coaps+tcp</c>, as the TLS handshake proved it.</summary>
/// <remarks>
/// Two identities are equal when their certificates have the same owner (<see cref="Id"/>): they are the same peer. That of a peer
/// without a certificate is equal only to itself.
/// </remarks>
/// <param name="Certificate">The peer's certificate; null without one. It is disposed when the connection has ended.</param>
/// <param name="ServerName">The server name that the client requested; null without one.</param>
/// <param name="Protocol">The TLS version.</param>
/// <param name="CipherSuite">The cipher suite.</param>
public sealed record CoapTlsIdentity(X509Certificate2? Certificate, string? ServerName, SslProtocols Protocol, TlsCipherSuite CipherSuite)
    : ICoapPeerIdentity
{
    /// <summary>Who the peer is, by its certificate; null without one.</summary>
    /// <remarks>It outlives the certificate. The client chooses the server name, which therefore says nothing about it.</remarks>
    public CoapPeerId? Id { get; } = Certificate is null ? null : CoapPeerId.OfCertificate(Certificate);

    /// <summary>Whether the peer has proven its identity with a certificate.</summary>
    public bool IsKnown => Certificate is not null;

    /// <summary>Compares the owners of the certificates.</summary>
    /// <param name="other">The other identity.</param>
    /// <returns>True when both have the same <see cref="Id"/>, or are the same object.</returns>
    public bool Equals(CoapTlsIdentity? other) => ReferenceEquals(this, other) || (Id is not null && Id == other?.Id);

    /// <inheritdoc/>
    public override int GetHashCode() => Id?.GetHashCode() ?? RuntimeHelpers.GetHashCode(this);

    /// <summary>Returns <see cref="Id"/> as text, or <c>unknown</c>.</summary>
    public override string ToString() => Id?.ToString() ?? "unknown";
}
