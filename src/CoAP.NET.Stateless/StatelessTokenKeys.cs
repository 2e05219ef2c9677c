using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.Stateless;

/// <summary>The tokens of stateless requests of one client object: their keys, and the accepted responses.</summary>
/// <param name="number">The random number of the run.</param>
/// <param name="offset">The offset from the monotonic clock to the time in tokens of this process; null for another process.</param>
/// <param name="words">The number of 64-bit words for accepted responses.</param>
/// <param name="keys">The keys of epochs, which its keys derive from.</param>
internal sealed class StatelessTokenKeys(ulong number, long? offset, int words, RotatingKeyProvider keys) : IDisposable
{
    /// <summary>The length of the tag of a token in bytes.</summary>
    public const int TagLength = 12;

    /// <summary>The length of a key in bytes.</summary>
    public const int KeyLength = ProcessorAesCcm.KeyLength;

    private readonly List<(long Epoch, AesCcmCipher Cipher)> _ciphers = [];
    private ulong[]? _taken;
    private ulong _takenNext;

    public ulong Number => number;

    public long? Offset => offset;

    public RotatingKeyProvider Keys => keys;

    /// <summary>Whether this process created them.</summary>
    public bool IsOwn => offset is not null;

    /// <summary>The time of the last accepted response, in units of 100 ns.</summary>
    public long Heard { get; private set; } = long.MinValue / 2;

    /// <summary>Returns the cipher of its tokens in an epoch.</summary>
    /// <returns>Null without a key for that epoch.</returns>
    public AesCcmCipher? CipherOf(long epoch, ReadOnlySpan<byte> name)
    {
        foreach ((long known, AesCcmCipher made) in _ciphers)
        {
            if (known == epoch)
            {
                return made;
            }
        }

        Span<byte> root = stackalloc byte[RotatingKeyProvider.KeyLength];
        if (!keys.TryGetKey(epoch, root))
        {
            return null;
        }

        byte[] info = new byte[sizeof(ulong) + name.Length];
        BinaryPrimitives.WriteUInt64BigEndian(info, number);
        name.CopyTo(info.AsSpan(sizeof(ulong)));
        Span<byte> key = stackalloc byte[KeyLength];
        HkdfSha256.Expand(root, key, info);
        AesCcmCipher cipher = new(key);
        CryptographicOperations.ZeroMemory(root);
        CryptographicOperations.ZeroMemory(key);

        // Ciphers of older epochs open only expired tokens.
        foreach ((long Epoch, AesCcmCipher Cipher) old in _ciphers.FindAll(other => other.Epoch < epoch - 2))
        {
            _ciphers.Remove(old);
            old.Cipher.Dispose();
        }

        _ciphers.Add((epoch, cipher));
        return cipher;
    }

    /// <summary>Whether the response to a token is new, and not older than the known ones.</summary>
    public bool Takes(ulong request) => _taken is null || ReplayBits.Takes(_takenNext, _taken, request);

    /// <summary>Records an accepted response.</summary>
    /// <param name="request">The number of its token.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Add(ulong request, long now)
    {
        _taken ??= new ulong[words];
        ReplayBits.Add(ref _takenNext, _taken, request);
        Heard = now;
    }

    /// <summary>Wipes its keys.</summary>
    public void Dispose()
    {
        foreach ((_, AesCcmCipher cipher) in _ciphers)
        {
            cipher.Dispose();
        }

        _ciphers.Clear();
    }
}
