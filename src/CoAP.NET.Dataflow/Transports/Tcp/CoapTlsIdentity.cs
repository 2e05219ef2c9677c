using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>
/// Who a peer is, as a TLS handshake showed: the identity of peers on <c>coaps+tcp</c>. Two are equal when certificate and server name are:
/// whoever shows the same certificate is the same peer, and peers without one are not told apart.
/// </summary>
/// <param name="Certificate">The peer's certificate; null when it showed none. It is disposed when the connection has ended.</param>
/// <param name="ServerName">The name of the server that the client asked for; null when none was said.</param>
/// <param name="Protocol">The version of TLS.</param>
/// <param name="CipherSuite">The cipher suite.</param>
public sealed record CoapTlsIdentity(X509Certificate2? Certificate, string? ServerName, SslProtocols Protocol, TlsCipherSuite CipherSuite)
    : ICoapPeerIdentity
{
    // Equality outlives the certificate, which goes with its connection.
    private readonly string? _hash = Certificate?.GetCertHashString(HashAlgorithmName.SHA256);

    /// <summary>Whether the peer has shown who it is: by a certificate.</summary>
    public bool IsKnown => Certificate is not null;

    /// <summary>Whether certificate and server name are the same.</summary>
    /// <param name="other">The other one.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(CoapTlsIdentity? other) => other is not null && _hash == other._hash && ServerName == other.ServerName;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_hash, ServerName);
}
