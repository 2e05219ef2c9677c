using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Encrypts and decrypts states of sessions: a name of the format, a salt, a nonce, a tag, and the rest encrypted by AES-GCM. Each process
/// derives a key of its own by a random salt, and counts its nonces: random ones under one key would meet after some 2^32 states, which a
/// large server writes in days. Thread-safe.
/// </summary>
internal sealed class StateSeal : IDisposable
{
    /// <summary>How much longer a state is than what it holds.</summary>
    public const int Overhead = FormatLength + SaltLength + NonceLength + TagLength;

    private const int FormatLength = 4;
    private const int SaltLength = 16;
    private const int NonceLength = 12;
    private const int TagLength = 16;
    private const int DerivedLength = 32;

    // As many threads may decrypt at the same time without a key to be derived for each state.
    private const int MaxIdle = 16;

    private readonly byte[] _key;
    private readonly byte[] _salt = new byte[SaltLength];
    private readonly Lock _gate = new();
    private readonly AesGcm _sealing;

    // Those that nobody uses just now. Each is used by one thread at a time.
    private readonly List<Opening> _idle = [];
    private ulong _count;
    private bool _isDisposed;

    /// <param name="key">What keys are derived from; copied.</param>
    /// <param name="random">Where the salt comes from.</param>
    public StateSeal(ReadOnlySpan<byte> key, CoapRandomSource random)
    {
        _key = key.ToArray();
        random.Fill(_salt);
        _sealing = CipherOf(_salt);
    }

    private static ReadOnlySpan<byte> Format => "CDS1"u8;

    /// <summary>Encrypts.</summary>
    /// <param name="plain">What is to be kept.</param>
    /// <returns>The state.</returns>
    public byte[] Seal(ReadOnlySpan<byte> plain)
    {
        byte[] state = new byte[Overhead + plain.Length];
        Format.CopyTo(state);
        _salt.CopyTo(state.AsSpan(FormatLength));
        Span<byte> nonce = state.AsSpan(FormatLength + SaltLength, NonceLength);
        BinaryPrimitives.WriteUInt64BigEndian(nonce[(NonceLength - sizeof(ulong))..], Interlocked.Increment(ref _count));
        lock (_gate)
        {
            _sealing.Encrypt(nonce, plain, state.AsSpan(Overhead), state.AsSpan(FormatLength + SaltLength + NonceLength, TagLength),
                state.AsSpan(0, FormatLength));
        }

        return state;
    }

    /// <summary>Decrypts.</summary>
    /// <param name="state">What <see cref="Seal"/> gave, here or in another process.</param>
    /// <returns>What was kept, to be overwritten after use; null when this is no state, it was changed, the key is another, or this object
    /// was disposed of.</returns>
    public byte[]? TryOpen(ReadOnlySpan<byte> state)
    {
        if (state.Length < Overhead || !state.StartsWith(Format))
        {
            return null;
        }

        ReadOnlySpan<byte> salt = state.Slice(FormatLength, SaltLength);
        ReadOnlySpan<byte> encrypted = state[Overhead..];
        if (Take(salt) is not { } opening)
        {
            return null;
        }

        byte[] plain = new byte[encrypted.Length];
        try
        {
            opening.Cipher.Decrypt(state.Slice(FormatLength + SaltLength, NonceLength), encrypted,
                state.Slice(FormatLength + SaltLength + NonceLength, TagLength), plain, state[..FormatLength]);
            return plain;
        }
        catch (AuthenticationTagMismatchException)
        {
            return null;
        }
        finally
        {
            Return(opening);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _sealing.Dispose();
            _idle.ForEach(static opening => opening.Cipher.Dispose());
            _idle.Clear();
            CryptographicOperations.ZeroMemory(_key);
        }
    }

    // Most states come from one process, one after another.
    private Opening? Take(ReadOnlySpan<byte> salt)
    {
        lock (_gate)
        {
            for (int i = _idle.Count - 1; i >= 0; i--)
            {
                Opening idle = _idle[i];
                if (salt.SequenceEqual(idle.Salt))
                {
                    _idle.RemoveAt(i);
                    return idle;
                }
            }

            return _isDisposed ? null : new Opening(salt.ToArray(), CipherOf(salt));
        }
    }

    private void Return(Opening opening)
    {
        Opening? surplus = opening;
        lock (_gate)
        {
            if (!_isDisposed)
            {
                _idle.Add(opening);
                surplus = _idle.Count > MaxIdle ? _idle[0] : null;
                _idle.RemoveRange(0, surplus is null ? 0 : 1);
            }
        }

        surplus?.Cipher.Dispose();
    }

    private AesGcm CipherOf(ReadOnlySpan<byte> salt)
    {
        Span<byte> derived = stackalloc byte[DerivedLength];
        try
        {
            HKDF.DeriveKey(HashAlgorithmName.SHA256, _key, derived, salt, "CoAP.NET DTLS session"u8);
            return new AesGcm(derived, TagLength);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(derived);
        }
    }

    private sealed record Opening(byte[] Salt, AesGcm Cipher);
}
