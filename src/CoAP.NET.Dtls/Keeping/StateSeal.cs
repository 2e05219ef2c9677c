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

    private readonly byte[] _key;
    private readonly byte[] _salt = new byte[SaltLength];
    private readonly Lock _gate = new();
    private readonly AesGcm _sealing;
    private readonly byte[] _openingSalt = new byte[SaltLength];
    private AesGcm? _opening;
    private ulong _count;

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
    /// <returns>What was kept, to be overwritten after use; null when this is no state, it was changed, or the key is another.</returns>
    public byte[]? TryOpen(ReadOnlySpan<byte> state)
    {
        if (state.Length < Overhead || !state.StartsWith(Format))
        {
            return null;
        }

        ReadOnlySpan<byte> salt = state.Slice(FormatLength, SaltLength);
        ReadOnlySpan<byte> encrypted = state[Overhead..];
        byte[] plain = new byte[encrypted.Length];
        lock (_gate)
        {
            // Most come from one process, one after another.
            if (_opening is null || !salt.SequenceEqual(_openingSalt))
            {
                _opening?.Dispose();
                _opening = CipherOf(salt);
                salt.CopyTo(_openingSalt);
            }

            try
            {
                _opening.Decrypt(state.Slice(FormatLength + SaltLength, NonceLength), encrypted,
                    state.Slice(FormatLength + SaltLength + NonceLength, TagLength), plain, state[..FormatLength]);
                return plain;
            }
            catch (AuthenticationTagMismatchException)
            {
                return null;
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _sealing.Dispose();
            _opening?.Dispose();
            CryptographicOperations.ZeroMemory(_key);
        }
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
}
