using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Oscore.Contexts;

/// <summary>
/// A key in a cipher of the platform, which may hold memory outside the managed heap. The platform does not document its ciphers as
/// thread-safe, so each operation takes a lock. Thread-safe.
/// </summary>
internal sealed class OscoreAead : IDisposable
{
    private readonly Lock _gate = new();
    private readonly int _tagLength;
    private readonly AesCcmCipher? _ccm;
    private readonly AesGcm? _gcm;
    private readonly ChaCha20Poly1305? _chaCha;
    private volatile bool _isDisposed;
    private bool _isUsed;

    /// <summary>Creates the cipher.</summary>
    /// <exception cref="PlatformNotSupportedException">This machine lacks the cipher.</exception>
    public OscoreAead(OscoreAlgorithm algorithm, ReadOnlySpan<byte> key)
    {
        algorithm.ThrowIfUnsupported();
        _tagLength = algorithm.TagLength;
        switch (algorithm.Cipher)
        {
            case OscoreCipherKind.AesCcm:
                _ccm = new AesCcmCipher(key);
                break;
            case OscoreCipherKind.AesGcm:
                _gcm = new AesGcm(key, algorithm.TagLength);
                break;
            default:
                _chaCha = new ChaCha20Poly1305(key);
                break;
        }
    }

    /// <summary>Whether the cipher is disposed.</summary>
    public bool IsDisposed => _isDisposed;

    /// <summary>Encrypts.</summary>
    /// <param name="nonce">The nonce, never used before with this key.</param>
    /// <param name="plaintext">The plaintext.</param>
    /// <param name="ciphertext">Receives ciphertext and tag, of exactly their length; must not overlap the plaintext.</param>
    /// <param name="additionalData">The additional authenticated data.</param>
    /// <returns>False if the cipher is disposed.</returns>
    public bool TryEncrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, ReadOnlySpan<byte> additionalData)
    {
        Span<byte> bytes = ciphertext[..plaintext.Length];
        Span<byte> tag = ciphertext[plaintext.Length..];
        lock (_gate)
        {
            if (_isDisposed)
            {
                return false;
            }

            _isUsed = true;
            _ccm?.Encrypt(nonce, additionalData, plaintext, bytes, tag);
            _gcm?.Encrypt(nonce, plaintext, bytes, tag, additionalData);
            _chaCha?.Encrypt(nonce, plaintext, bytes, tag, additionalData);
            return true;
        }
    }

    /// <summary>Verifies and decrypts.</summary>
    /// <param name="nonce">The nonce.</param>
    /// <param name="ciphertext">Ciphertext and tag, at least as long as a tag.</param>
    /// <param name="plaintext">Receives the plaintext, of exactly its length; must not overlap the ciphertext.</param>
    /// <param name="additionalData">The additional authenticated data.</param>
    /// <returns>Whether it verified, otherwise the plaintext is zeros; null if the cipher is disposed.</returns>
    public bool? TryDecrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, Span<byte> plaintext, ReadOnlySpan<byte> additionalData)
    {
        ReadOnlySpan<byte> bytes = ciphertext[..^_tagLength];
        ReadOnlySpan<byte> tag = ciphertext[^_tagLength..];
        try
        {
            lock (_gate)
            {
                if (_isDisposed)
                {
                    return null;
                }

                _isUsed = true;
                if (_ccm is not null)
                {
                    return _ccm.TryDecrypt(nonce, additionalData, bytes, tag, plaintext);
                }

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

    /// <summary>Returns and resets whether it has been used since the last call.</summary>
    public bool TakeUsed()
    {
        lock (_gate)
        {
            bool isUsed = _isUsed;
            _isUsed = false;
            return isUsed;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _ccm?.Dispose();
            _gcm?.Dispose();
            _chaCha?.Dispose();
        }
    }
}
