using System.Security.Cryptography;

namespace CoAP.NET.Cluster;

/// <summary>
/// Seals states of records with AES-256-GCM. Each record has a key of its own, which follows from the secret of the cluster and from the
/// key of the record, and a random nonce for each write. So no key is used for more writes than random nonces allow (2^32), however many
/// records there are, and a state that somebody put under another key does not open. Thread-safe.
/// </summary>
internal sealed class RecordCipher : IDisposable
{
    /// <summary>How many bytes a sealed state is longer: version, nonce, tag.</summary>
    public const int Overhead = 1 + NonceLength + TagLength;

    private const byte Version = 1;
    private const int NonceLength = 12;
    private const int TagLength = 16;
    private const int KeyLength = 32;
    private const int NameOverhead = 2;

    private readonly byte[] _master = new byte[KeyLength];
    private readonly CoapRandomSource _random;
    private readonly Lock _gate = new();
    private bool _isDisposed;

    public RecordCipher(ReadOnlySpan<byte> secret, CoapRandomSource random)
    {
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, _master, default, "CoAP.NET cluster records 1"u8);
        _random = random;
    }

    public byte[] Seal(CoapRecordKey key, ReadOnlySpan<byte> state)
    {
        byte[] sealedState = new byte[Overhead + state.Length];
        sealedState[0] = Version;
        Span<byte> nonce = sealedState.AsSpan(1, NonceLength);
        _random.Fill(nonce);
        Span<byte> name = stackalloc byte[NameOverhead + CoapRecordKey.MaxLength];
        name = NameOf(key, name);
        using AesGcm aes = CipherOf(name);
        aes.Encrypt(nonce, state, sealedState.AsSpan(Overhead), sealedState.AsSpan(1 + NonceLength, TagLength), name);
        return sealedState;
    }

    /// <summary>Opens a sealed state; null when it was sealed with another secret, for another record, or is none.</summary>
    public byte[]? TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState)
    {
        if (sealedState.Length < Overhead || sealedState[0] != Version)
        {
            return null;
        }

        byte[] state = new byte[sealedState.Length - Overhead];
        Span<byte> name = stackalloc byte[NameOverhead + CoapRecordKey.MaxLength];
        name = NameOf(key, name);
        using AesGcm aes = CipherOf(name);
        try
        {
            aes.Decrypt(sealedState.Slice(1, NonceLength), sealedState[Overhead..], sealedState.Slice(1 + NonceLength, TagLength), state,
                name);
            return state;
        }
        catch (AuthenticationTagMismatchException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(_master);
        }
    }

    private static Span<byte> NameOf(CoapRecordKey key, Span<byte> name)
    {
        name[0] = (byte)key.Kind;
        name[1] = key.Slot.Number;
        key.Bytes.Span.CopyTo(name[NameOverhead..]);
        return name[..(NameOverhead + key.Bytes.Length)];
    }

    private AesGcm CipherOf(ReadOnlySpan<byte> name)
    {
        Span<byte> key = stackalloc byte[KeyLength];
        Span<byte> master = stackalloc byte[KeyLength];
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _master.CopyTo(master);
        }

        HMACSHA256.HashData(master, name, key);
        AesGcm aes = new(key, TagLength);
        CryptographicOperations.ZeroMemory(key);
        CryptographicOperations.ZeroMemory(master);
        return aes;
    }
}
