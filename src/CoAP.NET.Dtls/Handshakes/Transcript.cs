using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// The messages of a handshake, for Finished, the extended master secret and CertificateVerify (RFC 6347 section 4.2.6). The first
/// ClientHello and the HelloVerifyRequest do not belong to it. Keeps the bytes only while a CertificateVerify may need another hash than
/// SHA-256.
/// </summary>
internal sealed class Transcript
{
    private Sha256 _hash = new();
    private List<byte>? _bytes;

    /// <summary>Creates a transcript.</summary>
    /// <param name="keepsBytes">Whether <see cref="Hash(HashAlgorithmName)"/> is necessary.</param>
    public Transcript(bool keepsBytes) => _bytes = keepsBytes ? [] : null;

    /// <summary>Adds a message with its header.</summary>
    /// <param name="message">The message.</param>
    public void Add(ReadOnlySpan<byte> message)
    {
        _hash.Append(message);
        _bytes?.AddRange(message);
    }

    /// <summary>Computes the SHA-256 of all messages.</summary>
    /// <param name="hash">Receives the hash.</param>
    public void Hash(Span<byte> hash)
    {
        Sha256 copy = _hash;
        copy.Finish(hash);
    }

    /// <summary>Computes the hash of all messages, and forgets their bytes: nothing signs later ones.</summary>
    /// <param name="algorithm">The algorithm.</param>
    public byte[] Hash(HashAlgorithmName algorithm)
    {
        byte[] hash = CryptographicOperations.HashData(algorithm, [.. _bytes ?? []]);
        _bytes = null;
        return hash;
    }

    /// <summary>Forgets the bytes: no CertificateVerify follows.</summary>
    public void ForgetBytes() => _bytes = null;
}
