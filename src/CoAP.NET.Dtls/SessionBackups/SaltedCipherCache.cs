using System.Security.Cryptography;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Ciphers (AES-256-GCM) whose keys derive from one secret and a salt (HKDF). Deriving a key and creating a cipher takes several times as
/// long as opening a record of some hundred bytes. Most records use few salts, so idle ciphers are kept. Thread-safe.
/// </summary>
internal sealed class SaltedCipherCache : IDisposable
{
    /// <summary>The length of a salt: 16 bytes, so random salts never collide.</summary>
    public const int SaltLength = 16;

    /// <summary>The length of a nonce: 12 bytes.</summary>
    public const int NonceLength = 12;

    /// <summary>The length of a tag: 16 bytes.</summary>
    public const int TagLength = 16;

    private const int KeyLength = 32;

    // So many salts, or threads with the same salt, need no new key for each record.
    private const int MaxIdle = 32;

    private readonly byte[] _secret;
    private readonly byte[] _purpose;
    private readonly Lock _gate = new();

    // The idle ciphers, the most recently used one at the end. One thread at a time uses a cipher.
    private readonly List<SaltedCipher> _idle = [];
    private bool _isDisposed;

    /// <summary>Creates the cache.</summary>
    /// <param name="secret">The secret that keys derive from; copied.</param>
    /// <param name="purpose">The purpose of the keys. Different purposes have different keys; copied.</param>
    public SaltedCipherCache(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> purpose)
    {
        _secret = secret.ToArray();
        _purpose = purpose.ToArray();
    }

    /// <summary>Takes the cipher of a salt, for this thread alone until <see cref="Return"/>.</summary>
    /// <param name="salt">16 bytes.</param>
    /// <returns>The cipher; null after disposal.</returns>
    public SaltedCipher? TryTake(ReadOnlySpan<byte> salt)
    {
        Span<byte> key = stackalloc byte[KeyLength];
        lock (_gate)
        {
            for (int i = _idle.Count - 1; i >= 0; i--)
            {
                SaltedCipher idle = _idle[i];
                if (salt.SequenceEqual(idle.Salt))
                {
                    _idle.RemoveAt(i);
                    return idle;
                }
            }

            if (_isDisposed)
            {
                // Zeros must never become a key.
                return null;
            }

            HKDF.DeriveKey(HashAlgorithmName.SHA256, _secret, key, salt, _purpose);
        }

        try
        {
            return new SaltedCipher(salt.ToArray(), new AesGcm(key, TagLength));
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    /// <summary>Returns a cipher from <see cref="TryTake"/>.</summary>
    /// <param name="cipher">The cipher.</param>
    public void Return(SaltedCipher cipher)
    {
        SaltedCipher? surplus = cipher;
        lock (_gate)
        {
            if (!_isDisposed)
            {
                _idle.Add(cipher);
                surplus = _idle.Count > MaxIdle ? _idle[0] : null;
                _idle.RemoveRange(0, surplus is null ? 0 : 1);
            }
        }

        surplus?.Cipher.Dispose();
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _idle.ForEach(static idle => idle.Cipher.Dispose());
            _idle.Clear();
            CryptographicOperations.ZeroMemory(_secret);
        }
    }

    /// <summary>A cipher and its salt.</summary>
    /// <param name="Salt">The salt.</param>
    /// <param name="Cipher">The cipher.</param>
    internal sealed record SaltedCipher(byte[] Salt, AesGcm Cipher);
}
