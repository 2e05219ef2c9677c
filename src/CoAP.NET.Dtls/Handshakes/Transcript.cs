using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// The messages of a handshake, for Finished, the extended master secret and CertificateVerify (RFC 6347 section 4.2.6). The first
/// ClientHello and the HelloVerifyRequest do not belong to it. Keeps the bytes only while the suite is unknown, or a CertificateVerify may
/// need another hash than that of the suite.
/// </summary>
internal sealed class Transcript : IDisposable
{
    private Sha256 _hash = new();
    private IncrementalHash? _sha384;
    private List<byte>? _bytes;

    /// <summary>Creates a transcript.</summary>
    /// <param name="keepsBytes">Whether <see cref="Hash(HashAlgorithmName)"/> or <see cref="Use"/> is necessary.</param>
    public Transcript(bool keepsBytes) => _bytes = keepsBytes ? [] : null;

    /// <summary>Sets the hash of the agreed suite.</summary>
    /// <param name="hash">The hash; SHA-384 needs the bytes of earlier messages.</param>
    public void Use(PrfHash hash)
    {
        if (hash == PrfHash.Sha384)
        {
            _sha384 = IncrementalHash.CreateHash(HashAlgorithmName.SHA384);
            _sha384.AppendData([.. _bytes ?? []]);
        }
    }

    /// <summary>Adds a message with its header.</summary>
    /// <param name="message">The message.</param>
    public void Add(ReadOnlySpan<byte> message)
    {
        _hash.Append(message);
        _sha384?.AppendData(message);
        _bytes?.AddRange(message);
    }

    /// <summary>Computes the hash of all messages by the algorithm of the suite.</summary>
    /// <param name="hash">Receives the hash, which is as long as <see cref="PrfHash"/> says.</param>
    public void Hash(Span<byte> hash)
    {
        if (_sha384 is not null)
        {
            _ = _sha384.GetCurrentHash(hash);
            return;
        }

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

    public void Dispose() => _sha384?.Dispose();
}
