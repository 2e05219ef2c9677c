using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A resumable session.</summary>
/// <param name="bytes">Its state (<see cref="ResumptionState"/>), with its master secret.</param>
/// <param name="since">The time of its full handshake, by the clock's timestamp.</param>
/// <param name="pskIdentity">The identity of its pre-shared key, or null.</param>
/// <param name="peerCertificate">The certificate trusted then, or null.</param>
/// <param name="peerPublicKey">The raw public key trusted then, or empty.</param>
internal sealed class ResumableSession(byte[] bytes, long since, string? pskIdentity, X509Certificate2? peerCertificate,
    ReadOnlyMemory<byte> peerPublicKey) : IDisposable
{
    public ReadOnlySpan<byte> Bytes => bytes;

    public long Since => since;

    public string? PskIdentity => pskIdentity;

    public X509Certificate2? PeerCertificate => peerCertificate;

    public ReadOnlyMemory<byte> PeerPublicKey => peerPublicKey;

    /// <summary>The certificates that came with the one of the server.</summary>
    public X509Certificate2Collection PeerChain { get; init; } = [];

    /// <summary>The hint of the server for the choice of the pre-shared key, or null.</summary>
    public string? PskHint { get; init; }

    /// <summary>The pre-shared key, which the session overwrites at the end; empty without one.</summary>
    public byte[] PskKey { get; init; } = [];

    /// <summary>Overwrites the secrets.</summary>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(bytes);
        CryptographicOperations.ZeroMemory(PskKey);
    }
}
