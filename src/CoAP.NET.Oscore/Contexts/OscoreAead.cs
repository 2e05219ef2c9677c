using System.Security.Cryptography;

namespace CoAP.NET.Oscore;

/// <summary>
/// One key of a context. The ciphers of the platform are not documented as thread-safe, so a lock stands around each operation, of about a
/// microsecond. Thread-safe.
/// </summary>
internal sealed class OscoreAead : IDisposable
{
    private readonly Lock _gate = new();
    private readonly AesCcm? _ccm;
    private readonly AesGcm? _gcm;
    private readonly ChaCha20Poly1305? _chaCha;

    public OscoreAead(OscoreAlgorithm algorithm, ReadOnlySpan<byte> key)
    {
        TagLength = algorithm.TagLength;
        switch (algorithm.Cipher)
        {
            case OscoreCipher.AesCcm:
                _ccm = new AesCcm(key);
                break;
            case OscoreCipher.AesGcm:
                _gcm = new AesGcm(key, algorithm.TagLength);
                break;
            default:
                _chaCha = new ChaCha20Poly1305(key);
                break;
        }
    }

    /// <summary>By how many bytes a ciphertext is longer than its plaintext.</summary>
    public int TagLength { get; }

    /// <summary>Encrypts.</summary>
    /// <param name="nonce">The nonce, which must never have been used with this key.</param>
    /// <param name="plaintext">The plaintext.</param>
    /// <param name="ciphertext">Where ciphertext and tag go, of exactly their length; not the place of the plaintext.</param>
    /// <param name="additionalData">What is authenticated besides.</param>
    public void Encrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, ReadOnlySpan<byte> additionalData)
    {
        Span<byte> bytes = ciphertext[..plaintext.Length];
        Span<byte> tag = ciphertext[plaintext.Length..];
        lock (_gate)
        {
            _ccm?.Encrypt(nonce, plaintext, bytes, tag, additionalData);
            _gcm?.Encrypt(nonce, plaintext, bytes, tag, additionalData);
            _chaCha?.Encrypt(nonce, plaintext, bytes, tag, additionalData);
        }
    }

    /// <summary>Verifies and decrypts.</summary>
    /// <param name="nonce">The nonce.</param>
    /// <param name="ciphertext">Ciphertext and tag, at least as long as a tag.</param>
    /// <param name="plaintext">Where the plaintext goes, of exactly its length; not the place of the ciphertext.</param>
    /// <param name="additionalData">What is authenticated besides.</param>
    /// <returns>Whether it verified; otherwise the plaintext is zeros.</returns>
    public bool TryDecrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, Span<byte> plaintext, ReadOnlySpan<byte> additionalData)
    {
        ReadOnlySpan<byte> bytes = ciphertext[..^TagLength];
        ReadOnlySpan<byte> tag = ciphertext[^TagLength..];
        try
        {
            lock (_gate)
            {
                _ccm?.Decrypt(nonce, bytes, tag, plaintext, additionalData);
                _gcm?.Decrypt(nonce, bytes, tag, plaintext, additionalData);
                _chaCha?.Decrypt(nonce, bytes, tag, plaintext, additionalData);
            }

            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            plaintext.Clear();
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _ccm?.Dispose();
            _gcm?.Dispose();
            _chaCha?.Dispose();
        }
    }
}
