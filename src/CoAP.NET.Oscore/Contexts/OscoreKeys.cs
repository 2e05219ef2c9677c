using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Contexts;

/// <summary>
/// The keys derived from the parameters of a context (RFC 8613 section 3.2): those of both directions and the Common IV, in one array until
/// they are wiped. Thread-safe.
/// </summary>
internal sealed class OscoreKeys : IDisposable
{
    private readonly OscoreAlgorithm _algorithm;

    // Sender Key, Recipient Key, Common IV.
    private readonly byte[] _bytes;
    private volatile bool _isWiped;
    private OscoreAead? _sender;
    private OscoreAead? _recipient;

    /// <summary>Derives the keys.</summary>
    /// <exception cref="PlatformNotSupportedException">This machine lacks the cipher or the hash.</exception>
    public OscoreKeys(OscoreParameters parameters)
    {
        _algorithm = parameters.Algorithm;
        _algorithm.ThrowIfUnsupported();
        _bytes = new byte[IvAt + _algorithm.NonceLength];
        Derive(parameters, parameters.SenderId.Span, "Key"u8, _bytes.AsSpan(0, _algorithm.KeyLength));
        Derive(parameters, parameters.RecipientId.Span, "Key"u8, _bytes.AsSpan(_algorithm.KeyLength, _algorithm.KeyLength));
        Derive(parameters, default, "IV"u8, _bytes.AsSpan(IvAt));
    }

    /// <summary>Difference in bytes between the lengths of a ciphertext and its plaintext.</summary>
    public int TagLength => _algorithm.TagLength;

    public ReadOnlySpan<byte> CommonIv => _bytes.AsSpan(IvAt);

    private int IvAt => 2 * _algorithm.KeyLength;

    /// <summary>Encrypts a message of this end.</summary>
    /// <param name="nonce">The nonce, never used before with this key.</param>
    /// <param name="plaintext">The plaintext.</param>
    /// <param name="ciphertext">Receives ciphertext and tag, of exactly their length; must not overlap the plaintext.</param>
    /// <param name="additionalData">The additional authenticated data.</param>
    /// <exception cref="ArgumentException">The plaintext is too long for the algorithm.</exception>
    /// <exception cref="ObjectDisposedException">The keys are wiped.</exception>
    public void Encrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, ReadOnlySpan<byte> additionalData)
    {
        if (plaintext.Length > _algorithm.MaxPlaintextLength)
        {
            throw new ArgumentException(
                $"The message has {plaintext.Length} bytes; {_algorithm.Name} encrypts {_algorithm.MaxPlaintextLength} at most.",
                nameof(plaintext));
        }

        // Without keys, a part of them may have been copied before they were wiped.
        Span<byte> key = stackalloc byte[_algorithm.KeyLength];
        bool hasKeys;
        if (_algorithm.IsOfProcessor)
        {
            hasKeys = TryTakeKey(0, key);
            if (hasKeys)
            {
                ProcessorAesCcm.Encrypt(
                    key, nonce, additionalData, plaintext, ciphertext[..plaintext.Length], ciphertext[plaintext.Length..]);
            }
        }
        else
        {
            // Recreates the cipher if other contexts evict it in between.
            bool isDone;
            do
            {
                OscoreAead? cipher = CipherOf(ref _sender, 0, key);
                hasKeys = cipher is not null;
                isDone = cipher?.TryEncrypt(nonce, plaintext, ciphertext, additionalData) ?? true;
            }
            while (!isDone);
        }

        CryptographicOperations.ZeroMemory(key);
        ObjectDisposedException.ThrowIf(!hasKeys, this);
    }

    /// <summary>Verifies and decrypts a message of the other end.</summary>
    /// <param name="nonce">The nonce.</param>
    /// <param name="ciphertext">Ciphertext and tag, at least as long as a tag.</param>
    /// <param name="plaintext">Receives the plaintext, of exactly its length; must not overlap the ciphertext.</param>
    /// <param name="additionalData">The additional authenticated data.</param>
    /// <returns>Whether it verified; otherwise, also if the keys are wiped, the plaintext is zeros.</returns>
    public bool TryDecrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, Span<byte> plaintext, ReadOnlySpan<byte> additionalData)
    {
        bool? isAuthentic = false;
        if (plaintext.Length <= _algorithm.MaxPlaintextLength)
        {
            Span<byte> key = stackalloc byte[_algorithm.KeyLength];
            if (!_algorithm.IsOfProcessor)
            {
                do
                {
                    isAuthentic = CipherOf(ref _recipient, _algorithm.KeyLength, key) is { } cipher
                        ? cipher.TryDecrypt(nonce, ciphertext, plaintext, additionalData)
                        : false;
                }
                while (isAuthentic is null);
            }
            else if (TryTakeKey(_algorithm.KeyLength, key))
            {
                isAuthentic = ProcessorAesCcm.TryDecrypt(
                    key, nonce, additionalData, ciphertext[..^TagLength], ciphertext[^TagLength..], plaintext);
            }

            CryptographicOperations.ZeroMemory(key);
        }

        if (isAuthentic == true)
        {
            return true;
        }

        plaintext.Clear();
        return false;
    }

    /// <summary>Writes the nonce of a Partial IV (RFC 8613 section 5.2).</summary>
    /// <param name="id">The Sender ID of the end that assigned the number.</param>
    /// <param name="partialIv">The Partial IV, 1 to 5 bytes.</param>
    /// <param name="nonce">As many bytes as a nonce has.</param>
    public void WriteNonce(ReadOnlySpan<byte> id, ReadOnlySpan<byte> partialIv, Span<byte> nonce)
    {
        nonce.Clear();
        nonce[0] = (byte)id.Length;
        id.CopyTo(nonce[(nonce.Length - OscoreOptionValue.MaxPartialIvLength - id.Length)..]);
        partialIv.CopyTo(nonce[(nonce.Length - partialIv.Length)..]);
        ReadOnlySpan<byte> commonIv = CommonIv;
        for (int i = 0; i < nonce.Length; i++)
        {
            nonce[i] ^= commonIv[i];
        }
    }

    /// <summary>
    /// Wipes the keys. The Common IV stays, because it is not secret: contexts with rederived keys use it for the nonces of the next run.
    /// </summary>
    public void Wipe()
    {
        // The order matters: see TryTakeKey.
        _isWiped = true;
        Interlocked.MemoryBarrier();
        CryptographicOperations.ZeroMemory(_bytes.AsSpan(0, IvAt));
        Interlocked.Exchange(ref _sender, null)?.Dispose();
        Interlocked.Exchange(ref _recipient, null)?.Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Wipe();
        CryptographicOperations.ZeroMemory(_bytes);
    }

    /// <summary>Derives a key or the Common IV (RFC 8613 section 3.2.1).</summary>
    /// <param name="parameters">The parameters.</param>
    /// <param name="id">The ID of the key's owner; empty for the Common IV.</param>
    /// <param name="type"><c>Key</c> or <c>IV</c>.</param>
    /// <param name="output">Receives the bytes; its length is the requested length.</param>
    internal static void Derive(OscoreParameters parameters, ReadOnlySpan<byte> id, ReadOnlySpan<byte> type, Span<byte> output)
    {
        // info = [ id : bstr, id_context : bstr / nil, alg_aead : int, type : tstr, L : uint ]
        Span<byte> info = stackalloc byte[32 + id.Length + parameters.IdContextBytes.Length];
        int length = 0;
        info[length++] = 0x85;
        length += OscoreCborEncoding.WriteBytes(info[length..], id);
        if (parameters.HasIdContext)
        {
            length += OscoreCborEncoding.WriteBytes(info[length..], parameters.IdContextBytes);
        }
        else
        {
            info[length++] = OscoreCborEncoding.Nil;
        }

        length += OscoreCborEncoding.WriteInteger(info[length..], parameters.Algorithm.CoseNumber);
        info[length++] = (byte)(0x60 | type.Length);
        type.CopyTo(info[length..]);
        length += type.Length;
        length += OscoreCborEncoding.WriteInteger(info[length..], output.Length);

        OscoreHkdf hkdf = parameters.Hkdf;
        Span<byte> secret = stackalloc byte[hkdf.HashLength];
        hkdf.Extract(parameters.MasterSecret, parameters.MasterSalt.Span, secret);
        hkdf.Expand(secret, output, info[..length]);
        CryptographicOperations.ZeroMemory(secret);
    }

    // The copy is complete unless a wipe began before it ended.
    private bool TryTakeKey(int at, Span<byte> key)
    {
        _bytes.AsSpan(at, key.Length).CopyTo(key);
        Interlocked.MemoryBarrier();
        return !_isWiped;
    }

    // Null if the keys are wiped.
    private OscoreAead? CipherOf(ref OscoreAead? place, int at, Span<byte> key)
    {
        OscoreAead? kept = Volatile.Read(ref place);
        if (kept is { IsDisposed: false } || !TryTakeKey(at, key))
        {
            return _isWiped ? null : kept;
        }

        OscoreAead made = new(_algorithm, key);
        OscoreAead? other = Interlocked.CompareExchange(ref place, made, kept);
        if (!ReferenceEquals(other, kept))
        {
            made.Dispose();
            return other;
        }

        AeadCache.Keep(made);
        if (_isWiped)
        {
            made.Dispose();
            return null;
        }

        return made;
    }
}
