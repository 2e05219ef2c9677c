using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET;

/// <summary>The identity of a peer on <c>coaps+tcp</c>, as the TLS handshake proved it.</summary>
/// <remarks>
/// Two identities are equal when their certificates have the same owner (<see cref="Id"/>): they are the same peer. That of a peer
/// without a certificate is equal only to itself.
/// </remarks>
public sealed class CoapTlsPeerIdentity : ICoapPeerIdentity
{
    /// <summary>Creates the identity of a peer, in a transport that makes its handshakes itself.</summary>
    /// <param name="certificate">The peer's certificate; null without one.</param>
    /// <param name="serverName">The server name that the client requested; null without one.</param>
    /// <param name="protocol">The TLS version.</param>
    /// <param name="cipherSuite">The cipher suite.</param>
    public CoapTlsPeerIdentity(X509Certificate2? certificate, string? serverName, SslProtocols protocol, TlsCipherSuite cipherSuite)
    {
        Certificate = certificate;
        ServerName = serverName;
        Protocol = protocol;
        CipherSuite = cipherSuite;
        Id = certificate is null ? null : CoapPeerId.OfCertificate(certificate);
    }

    /// <summary>The peer's certificate; null without one.</summary>
    /// <remarks>It is disposed when the connection has ended.</remarks>
    public X509Certificate2? Certificate { get; }

    string? ICoapPeerIdentity.PskIdentity => null;

    /// <summary>The server name that the client requested; null without one.</summary>
    public string? ServerName { get; }

    /// <summary>The TLS version.</summary>
    public SslProtocols Protocol { get; }

    /// <summary>The cipher suite.</summary>
    public TlsCipherSuite CipherSuite { get; }

    /// <summary>The ID of the peer, from its certificate; null without one.</summary>
    /// <remarks>It outlives the certificate. The client chooses the server name, which therefore says nothing about it.</remarks>
    public CoapPeerId? Id { get; }

    /// <summary>Whether the peer has proven its identity with a certificate.</summary>
    public bool IsKnown => Certificate is not null;

    /// <summary>Compares the owners of the certificates.</summary>
    /// <param name="obj">The other identity.</param>
    /// <returns>True when both have the same <see cref="Id"/>, or are the same object.</returns>
    public override bool Equals(object? obj) =>
        ReferenceEquals(this, obj) || (Id is not null && obj is CoapTlsPeerIdentity other && Id == other.Id);

    /// <inheritdoc/>
    public override int GetHashCode() => Id?.GetHashCode() ?? RuntimeHelpers.GetHashCode(this);

    /// <summary>Returns <see cref="Id"/> as text, or <c>unknown</c>.</summary>
    public override string ToString() => Id?.ToString() ?? "unknown";
}
