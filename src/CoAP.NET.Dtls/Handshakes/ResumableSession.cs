using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A session that may be resumed.</summary>
/// <param name="bytes">OpenSSL's form of it, with its master secret.</param>
/// <param name="since">When its whole handshake was, by the clock's timestamp.</param>
/// <param name="pskIdentity">By which identity it was made, or null.</param>
/// <param name="peerCertificate">Which certificate was trusted then, or null.</param>
/// <param name="peerPublicKey">Which raw public key was trusted then, or empty.</param>
internal sealed class ResumableSession(byte[] bytes, long since, string? pskIdentity, X509Certificate2? peerCertificate,
    ReadOnlyMemory<byte> peerPublicKey) : IDisposable
{
    public ReadOnlySpan<byte> Bytes => bytes;

    public long Since => since;

    public string? PskIdentity => pskIdentity;

    public X509Certificate2? PeerCertificate => peerCertificate;

    public ReadOnlyMemory<byte> PeerPublicKey => peerPublicKey;

    /// <summary>Overwrites the secret.</summary>
    public void Dispose() => CryptographicOperations.ZeroMemory(bytes);
}
