using System.Security.Cryptography;

namespace CoAP.NET.Cluster;

/// <summary>
/// Seals states of records with AES-256-GCM. The key of the record is authenticated with its state, so a state that somebody put under
/// another key does not open. Each process has keys of its own, by a random salt, and random nonces: so no nonce comes twice where a
/// virtual machine is saved and restored either. After 2^24 records the salt is another one, far below what random nonces under one key
/// allow (2^32). Thread-safe.
/// </summary>
internal sealed class RecordCipher : IDisposable
{
    /// <summary>How many bytes a sealed state is longer: version, salt, nonce, tag.</summary>
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

    /// <summary>Makes one.</summary>
    /// <param name="secret">What keys follow from; copied.</param>
    /// <param name="random">The source of salts and nonces.</param>
    /// <param name="recordsOfKey">How many records a key seals.</param>
    public RecordCipher(ReadOnlySpan<byte> secret, CoapRandomSource random, int recordsOfKey = RecordsOfKey)
    {
        _recordsOfKey = recordsOfKey;
        _ciphers = new SaltedCiphers(secret, "CoAP.NET cluster records 1"u8);
        _random = random;
    }

    /// <summary>Seals a state.</summary>
    /// <exception cref="ObjectDisposedException">This object was disposed of.</exception>
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

    /// <summary>Opens a sealed state; null when it was sealed with another secret, for another record, or is none.</summary>
    /// <exception cref="ObjectDisposedException">This object was disposed of.</exception>
    public byte[]? TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState)
    {
        byte[] state = new byte[Math.Max(0, sealedState.Length - Overhead)];
        return TryOpen(key, sealedState, state) ? state : null;
    }

    /// <summary>Opens a sealed state where it lies, so that nothing is allocated: what is behind the overhead is the state then.</summary>
    /// <param name="key">The key of the record.</param>
    /// <param name="sealedState">The sealed state, which is overwritten.</param>
    /// <returns>Whether it was opened. Otherwise nothing of it is left.</returns>
    /// <exception cref="ObjectDisposedException">This object was disposed of.</exception>
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
