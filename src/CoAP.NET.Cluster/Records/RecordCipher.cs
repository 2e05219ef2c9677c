using System.Security.Cryptography;
using CoAP.NET.Dtls.Keeping;

namespace CoAP.NET.Cluster;

/// <summary>
/// Encrypts states of records with AES-256-GCM. The key of the record is authenticated with its state: a state moved to another key does
/// not open. Each process has its own keys from a random salt, and random nonces. Nonces are therefore unique even if a virtual machine is
/// saved and restored. The salt changes after 2^24 records, far below the limit for random nonces under one key (2^32). Thread-safe.
/// </summary>
internal sealed class RecordCipher : IDisposable
{
    /// <summary>The additional bytes of an encrypted state: version, salt, nonce, tag.</summary>
    public const int Overhead = TagOffset + SaltedCiphers.TagLength;

    private const byte Version = 1;
    private const int NonceOffset = 1 + SaltedCiphers.SaltLength;
    private const int TagOffset = NonceOffset + SaltedCiphers.NonceLength;
    private const int NameOverhead = 2;
    private const int RecordsOfKey = 1 << 24;

    private readonly CoapRandomSource _random;
    private readonly SaltedCiphers _ciphers;
    private readonly Lock _gate = new();
    private readonly int _recordsOfKey;
    private byte[] _salt = [];
    private int _count;

    /// <summary>Creates a cipher.</summary>
    /// <param name="secret">The secret from which keys are derived; copied.</param>
    /// <param name="random">The source of salts and nonces.</param>
    /// <param name="recordsOfKey">The number of records per key.</param>
    public RecordCipher(ReadOnlySpan<byte> secret, CoapRandomSource random, int recordsOfKey = RecordsOfKey)
    {
        _recordsOfKey = recordsOfKey;
        _ciphers = new SaltedCiphers(secret, "CoAP.NET cluster records 1"u8);
        _random = random;
    }

    /// <summary>Encrypts a state.</summary>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public byte[] Seal(CoapRecordKey key, ReadOnlySpan<byte> state)
    {
        byte[] salt = NextSalt();
        byte[] sealedState = new byte[Overhead + state.Length];
        sealedState[0] = Version;
        salt.CopyTo(sealedState, 1);
        Span<byte> nonce = sealedState.AsSpan(NonceOffset, SaltedCiphers.NonceLength);
        _random.Fill(nonce);
        Span<byte> name = stackalloc byte[NameOverhead + CoapRecordKey.MaxLength];
        name = NameOf(key, name);
        SaltedCiphers.SaltedCipher sealing = Take(salt);
        try
        {
            sealing.Cipher.Encrypt(
                nonce, state, sealedState.AsSpan(Overhead), sealedState.AsSpan(TagOffset, SaltedCiphers.TagLength), name);
        }
        finally
        {
            _ciphers.Return(sealing);
        }

        return sealedState;
    }

    /// <summary>Decrypts a state; null if it was encrypted with another secret or for another record, or is not valid.</summary>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public byte[]? TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState)
    {
        byte[] state = new byte[Math.Max(0, sealedState.Length - Overhead)];
        return TryOpen(key, sealedState, state) ? state : null;
    }

    /// <summary>Decrypts a state in place, without allocation: the bytes after the overhead are the state.</summary>
    /// <param name="key">The key of the record.</param>
    /// <param name="sealedState">The encrypted state, which is overwritten.</param>
    /// <returns>Whether it was decrypted. Otherwise its content is lost.</returns>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public bool TryOpenInPlace(CoapRecordKey key, Span<byte> sealedState) =>
        sealedState.Length >= Overhead && TryOpen(key, sealedState, sealedState[Overhead..]);

    private bool TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState, Span<byte> state)
    {
        if (sealedState.Length < Overhead || sealedState[0] != Version)
        {
            return false;
        }

        Span<byte> name = stackalloc byte[NameOverhead + CoapRecordKey.MaxLength];
        name = NameOf(key, name);
        SaltedCiphers.SaltedCipher opening = Take(sealedState.Slice(1, SaltedCiphers.SaltLength));
        try
        {
            opening.Cipher.Decrypt(sealedState.Slice(NonceOffset, SaltedCiphers.NonceLength), sealedState[Overhead..],
                sealedState.Slice(TagOffset, SaltedCiphers.TagLength), state, name);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
        finally
        {
            _ciphers.Return(opening);
        }
    }

    public void Dispose() => _ciphers.Dispose();

    private static Span<byte> NameOf(CoapRecordKey key, Span<byte> name)
    {
        name[0] = (byte)key.Kind;
        name[1] = key.Slot.Number;
        key.Bytes.Span.CopyTo(name[NameOverhead..]);
        return name[..(NameOverhead + key.Bytes.Length)];
    }

    private byte[] NextSalt()
    {
        lock (_gate)
        {
            if (_count++ % _recordsOfKey == 0)
            {
                _count = 1;
                _salt = new byte[SaltedCiphers.SaltLength];
                _random.Fill(_salt);
            }

            return _salt;
        }
    }

    private SaltedCiphers.SaltedCipher Take(ReadOnlySpan<byte> salt) =>
        _ciphers.TryTake(salt) ?? throw new ObjectDisposedException(nameof(CoapSealedClusterStore));
}
