using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Encrypts and decrypts states of sessions. The format is a format name, a salt, a nonce, a tag, and the rest encrypted with AES-GCM. Each
/// process derives a key of its own with a random salt, and counts its nonces: random ones under one key would collide after some 2^32
/// states, which a large server writes in days. Thread-safe.
/// </summary>
internal sealed class SessionStateCipher : IDisposable
{
    /// <summary>Difference between the length of a state and its content.</summary>
    public const int Overhead = TagOffset + SaltedCipherCache.TagLength;

    private const int FormatLength = 4;
    private const int NonceOffset = FormatLength + SaltedCipherCache.SaltLength;
    private const int TagOffset = NonceOffset + SaltedCipherCache.NonceLength;

    private readonly byte[] _salt = new byte[SaltedCipherCache.SaltLength];

    // One for each key.
    private readonly SaltedCipherCache[] _ciphers;
    private readonly Func<bool> _usesPrevious;
    private ulong _count;

    /// <param name="backupOptions">The keys to derive from; copied.</param>
    /// <param name="random">The source of the salt.</param>
    public SessionStateCipher(CoapDtlsSessionBackupOptions backupOptions, CoapRandomSource random)
    {
        SaltedCipherCache current = new(backupOptions.Key, Purpose);
        _ciphers = backupOptions.PreviousKey.IsEmpty ? [current]
            : [current, new SaltedCipherCache(backupOptions.PreviousKey.Span, Purpose)];
        _usesPrevious = backupOptions.UsesPreviousKey;
        random.Fill(_salt);
    }

    private static ReadOnlySpan<byte> Format => "CDS2"u8;

    private static ReadOnlySpan<byte> Purpose => "CoAP.NET DTLS session"u8;

    /// <summary>Encrypts.</summary>
    /// <param name="plain">The bytes to keep.</param>
    /// <returns>The state.</returns>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public byte[] Seal(ReadOnlySpan<byte> plain)
    {
        byte[] state = new byte[Overhead + plain.Length];
        Format.CopyTo(state);
        _salt.CopyTo(state.AsSpan(FormatLength));
        Span<byte> nonce = state.AsSpan(NonceOffset, SaltedCipherCache.NonceLength);
        BinaryPrimitives.WriteUInt64BigEndian(nonce[(SaltedCipherCache.NonceLength - sizeof(ulong))..], Interlocked.Increment(ref _count));
        SaltedCipherCache ciphers = _ciphers[_ciphers.Length > 1 && _usesPrevious() ? 1 : 0];
        SaltedCipherCache.SaltedCipher sealing =
            ciphers.TryTake(_salt) ?? throw new ObjectDisposedException(nameof(SessionStateCipher), "The server has stopped.");
        try
        {
            sealing.Cipher.Encrypt(nonce, plain, state.AsSpan(Overhead), state.AsSpan(TagOffset, SaltedCipherCache.TagLength), Format);
        }
        finally
        {
            ciphers.Return(sealing);
        }

        return state;
    }

    /// <summary>Decrypts.</summary>
    /// <param name="state">The result of <see cref="Seal"/>, here or in another process.</param>
    /// <param name="buffer">
    /// Receives the content, which the caller overwrites after use; a too short buffer is replaced by a new array.
    /// </param>
    /// <param name="plain">The content: in <paramref name="buffer"/>, or in an array that the caller overwrites as well.</param>
    /// <returns>False if the bytes are not a state or were changed, the key is another, or this object is disposed.</returns>
    public bool TryOpen(ReadOnlySpan<byte> state, Span<byte> buffer, out Span<byte> plain)
    {
        plain = default;
        if (state.Length < Overhead || !state.StartsWith(Format))
        {
            return false;
        }

        int length = state.Length - Overhead;
        Span<byte> opened = length <= buffer.Length ? buffer[..length] : new byte[length];
        foreach (SaltedCipherCache ciphers in _ciphers)
        {
            if (TryOpen(ciphers, state, opened))
            {
                plain = opened;
                return true;
            }
        }

        return false;
    }

    public void Dispose() => Array.ForEach(_ciphers, static ciphers => ciphers.Dispose());

    private static bool TryOpen(SaltedCipherCache ciphers, ReadOnlySpan<byte> state, Span<byte> opened)
    {
        if (ciphers.TryTake(state.Slice(FormatLength, SaltedCipherCache.SaltLength)) is not { } opening)
        {
            return false;
        }

        try
        {
            opening.Cipher.Decrypt(state.Slice(NonceOffset, SaltedCipherCache.NonceLength), state[Overhead..],
                state.Slice(TagOffset, SaltedCipherCache.TagLength), opened, Format);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
        finally
        {
            ciphers.Return(opening);
        }
    }
}
