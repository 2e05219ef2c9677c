using System.Security.Cryptography;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Dtls.SessionBackups;

namespace CoAP.NET.Cluster.Records;

/// <summary>
/// Encrypts states of records with AES-256-GCM. The key of the record is authenticated with its state: a state moved to another key does
/// not open. Each process has its own keys from a random salt, and random nonces. Nonces are therefore unique even if a virtual machine is
/// saved and restored. The salt changes after 2^24 records, far below the limit for random nonces under one key (2^32). With two secrets it
/// opens what was encrypted with either of them. Thread-safe.
/// </summary>
internal sealed class StoreRecordCipher : IDisposable
{
    /// <summary>The additional bytes of an encrypted state: format (<see cref="RecordFormat"/>), salt, nonce, tag.</summary>
    public const int Overhead = TagOffset + SaltedCipherCache.TagLength;

    private const int NonceOffset = 1 + SaltedCipherCache.SaltLength;
    private const int TagOffset = NonceOffset + SaltedCipherCache.NonceLength;
    private const int NameOverhead = 2;
    private const int RecordsOfKey = 1 << 24;

    private readonly CoapRandomSource _random;
    private readonly RecordFormat _format;

    // One for each secret.
    private readonly SaltedCipherCache[] _ciphers;
    private readonly Lock _gate = new();
    private readonly int _recordsOfKey;
    private byte[] _salt = [];
    private int _count;

    private volatile bool _usesPrevious;
    private long _previous;

    /// <summary>Creates a cipher.</summary>
    /// <param name="secrets">The current secret, and possibly the previous one; copied.</param>
    /// <param name="random">The source of salts and nonces.</param>
    /// <param name="recordsOfKey">The number of records per key.</param>
    /// <param name="format">Knows which formats it reads and writes; null for the newest.</param>
    public StoreRecordCipher(
        IReadOnlyList<ReadOnlyMemory<byte>> secrets, CoapRandomSource random, int recordsOfKey = RecordsOfKey, RecordFormat? format = null)
    {
        _recordsOfKey = recordsOfKey;
        _ciphers = [.. secrets.Select(secret => new SaltedCipherCache(secret.Span, "CoAP.NET cluster records 1"u8))];
        _random = random;
        _format = format ?? new RecordFormat();
    }

    /// <summary>Whether it encrypts with the previous secret, because another node does not have the current one yet.</summary>
    public bool UsesPrevious
    {
        get => _usesPrevious;
        set => _usesPrevious = value && _ciphers.Length > 1;
    }

    /// <summary>The number of states that opened with the previous secret only.</summary>
    public long PreviousCount => Interlocked.Read(ref _previous);

    /// <summary>Encrypts a state.</summary>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public byte[] Seal(CoapRecordKey key, ReadOnlySpan<byte> state) =>
        Seal(NameOf(key, stackalloc byte[NameOverhead + CoapRecordKey.MaxLength]), state, _format.Written);

    /// <summary>Encrypts a state in the format that every version reads.</summary>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public byte[] SealForAll(CoapRecordKey key, ReadOnlySpan<byte> state) =>
        Seal(NameOf(key, stackalloc byte[NameOverhead + CoapRecordKey.MaxLength]), state, RecordFormat.Oldest);

    /// <summary>Decrypts a state; null if it was encrypted with another secret or for another record, or is not valid.</summary>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public byte[]? TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState) => TryOpen(key, sealedState, out _);

    /// <summary>Decrypts a state; null if it does not open.</summary>
    /// <param name="key">The key of the record.</param>
    /// <param name="sealedState">The encrypted state.</param>
    /// <param name="isPrevious">Whether it was encrypted with the previous secret.</param>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public byte[]? TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState, out bool isPrevious) =>
        TryOpen(NameOf(key, stackalloc byte[NameOverhead + CoapRecordKey.MaxLength]), sealedState, out isPrevious);

    /// <summary>Decrypts a state in place, without allocation: the bytes after the overhead are the state.</summary>
    /// <param name="key">The key of the record.</param>
    /// <param name="sealedState">The encrypted state, which is overwritten.</param>
    /// <returns>Whether it was decrypted. Otherwise its content is lost.</returns>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public bool TryOpenInPlace(CoapRecordKey key, Span<byte> sealedState)
    {
        if (_ciphers.Length == 1)
        {
            return CanRead(sealedState) && TryOpen(_ciphers[0],
                NameOf(key, stackalloc byte[NameOverhead + CoapRecordKey.MaxLength]), sealedState, sealedState[Overhead..]);
        }

        // A failed attempt overwrites its output, and a second one must follow.
        if (TryOpen(key, sealedState) is not { } state)
        {
            return false;
        }

        state.CopyTo(sealedState[Overhead..]);
        CryptographicOperations.ZeroMemory(state);
        return true;
    }

    public void Dispose() => Array.ForEach(_ciphers, static ciphers => ciphers.Dispose());

    private byte[] Seal(ReadOnlySpan<byte> name, ReadOnlySpan<byte> state, byte format)
    {
        byte[] salt = NextSalt();
        byte[] sealedState = new byte[Overhead + state.Length];
        sealedState[0] = format;
        salt.CopyTo(sealedState, 1);
        Span<byte> nonce = sealedState.AsSpan(NonceOffset, SaltedCipherCache.NonceLength);
        _random.Fill(nonce);
        SaltedCipherCache ciphers = _ciphers[UsesPrevious ? 1 : 0];
        Span<byte> associated = stackalloc byte[1 + NameOverhead + CoapRecordKey.MaxLength];
        associated = Associate(format, name, associated);
        SaltedCipherCache.SaltedCipher sealing = Take(ciphers, salt);
        try
        {
            sealing.Cipher.Encrypt(
                nonce, state, sealedState.AsSpan(Overhead), sealedState.AsSpan(TagOffset, SaltedCipherCache.TagLength), associated);
        }
        finally
        {
            ciphers.Return(sealing);
        }

        return sealedState;
    }

    private byte[]? TryOpen(ReadOnlySpan<byte> name, ReadOnlySpan<byte> sealedState, out bool isPrevious)
    {
        isPrevious = false;
        if (!CanRead(sealedState))
        {
            return null;
        }

        byte[] state = new byte[sealedState.Length - Overhead];
        for (int i = 0; i < _ciphers.Length; i++)
        {
            if (TryOpen(_ciphers[i], name, sealedState, state))
            {
                isPrevious = i > 0;
                Interlocked.Add(ref _previous, i);
                return state;
            }
        }

        return null;
    }

    private bool CanRead(ReadOnlySpan<byte> sealedState) => sealedState.Length >= Overhead && _format.CanRead(sealedState[0]);

    private static bool TryOpen(SaltedCipherCache ciphers, ReadOnlySpan<byte> name, ReadOnlySpan<byte> sealedState, Span<byte> state)
    {
        Span<byte> associated = stackalloc byte[1 + NameOverhead + CoapRecordKey.MaxLength];
        associated = Associate(sealedState[0], name, associated);
        SaltedCipherCache.SaltedCipher opening = Take(ciphers, sealedState.Slice(1, SaltedCipherCache.SaltLength));
        try
        {
            opening.Cipher.Decrypt(sealedState.Slice(NonceOffset, SaltedCipherCache.NonceLength), sealedState[Overhead..],
                sealedState.Slice(TagOffset, SaltedCipherCache.TagLength), state, associated);
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

    private static Span<byte> NameOf(CoapRecordKey key, Span<byte> name)
    {
        name[0] = (byte)key.Kind;
        name[1] = key.Slot.Number;
        key.Bytes.Span.CopyTo(name[NameOverhead..]);
        return name[..(NameOverhead + key.Bytes.Length)];
    }

    // The format is authenticated with the name.
    private static Span<byte> Associate(byte format, ReadOnlySpan<byte> name, Span<byte> buffer)
    {
        buffer[0] = format;
        name.CopyTo(buffer[1..]);
        return buffer[..(name.Length + 1)];
    }

    private byte[] NextSalt()
    {
        lock (_gate)
        {
            if (_count++ % _recordsOfKey == 0)
            {
                _count = 1;
                _salt = new byte[SaltedCipherCache.SaltLength];
                _random.Fill(_salt);
            }

            return _salt;
        }
    }

    private static SaltedCipherCache.SaltedCipher Take(SaltedCipherCache ciphers, ReadOnlySpan<byte> salt) =>
        ciphers.TryTake(salt) ?? throw new ObjectDisposedException(nameof(CoapSealedClusterStore));
}
