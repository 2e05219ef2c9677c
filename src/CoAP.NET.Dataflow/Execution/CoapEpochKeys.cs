using System.Security.Cryptography;

namespace CoAP.NET;

/// <summary>
/// Keys that follow from a secret, a new one in each epoch of the time of day (HKDF with SHA-256, RFC 5869). Processes that share the
/// secret have the same keys, provided that their clocks agree within <see cref="MaxClockDifference"/>: the keys of the epoch before and of
/// the next one are good as well. Thread-safe.
/// </summary>
public sealed class CoapEpochKeys : IDisposable
{
    /// <summary>The length of a key: 32 bytes.</summary>
    public const int KeyLength = 32;

    /// <summary>The shortest secret: 32 bytes.</summary>
    public const int MinSecretLength = 32;

    private const int Kept = 3;

    private readonly TimeProvider _time;
    private readonly long _length;
    private readonly Lock _gate = new();
    private readonly byte[] _root = new byte[KeyLength];

    // Those of the epoch before, the present one and the next one.
    private readonly byte[] _keys = new byte[Kept * KeyLength];
    private long _middle = long.MinValue;
    private bool _isDisposed;

    /// <summary>Makes them.</summary>
    /// <param name="secret">The secret, at least <see cref="MinSecretLength"/> bytes, which must be random. It is not kept.</param>
    /// <param name="purpose">What the keys are for. Those of one purpose say nothing of those of another.</param>
    /// <param name="epoch">How long one is the newest; at least twice <see cref="MaxClockDifference"/>.</param>
    /// <param name="time">The clock.</param>
    /// <exception cref="ArgumentException">The secret or the epoch is too short.</exception>
    public CoapEpochKeys(ReadOnlySpan<byte> secret, string purpose, TimeSpan epoch, TimeProvider time)
    {
        ArgumentException.ThrowIfNullOrEmpty(purpose);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentOutOfRangeException.ThrowIfLessThan(epoch, 2 * MaxClockDifference);
        if (secret.Length < MinSecretLength)
        {
            throw new ArgumentException(
                $"A shared secret has at least {MinSecretLength} random bytes, and not {secret.Length}.", nameof(secret));
        }

        _time = time;
        _length = epoch.Ticks;
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, _root, default, System.Text.Encoding.UTF8.GetBytes($"CoAP.NET {purpose} 1"));
    }

    /// <summary>How far the clocks of processes that share a secret may differ: 1 minute.</summary>
    public static TimeSpan MaxClockDifference { get; } = TimeSpan.FromMinutes(1);

    /// <summary>The present epoch, counted from the year 1 on.</summary>
    public long Current => EpochAt(_time.GetUtcNow().UtcTicks);

    /// <summary>The epoch of a time.</summary>
    /// <param name="utcTicks">The time of day (<see cref="DateTimeOffset.UtcTicks"/>).</param>
    /// <returns>The epoch.</returns>
    public long EpochAt(long utcTicks) => utcTicks / _length;

    /// <summary>When an epoch begins.</summary>
    /// <param name="epoch">The epoch.</param>
    /// <returns>The time of day (<see cref="DateTimeOffset.UtcTicks"/>).</returns>
    public long StartOf(long epoch) => epoch * _length;

    /// <summary>The epoch that somebody meant who told only its lowest bits: of all that have these, the one nearest to now.</summary>
    /// <param name="mark">The lowest bits.</param>
    /// <param name="bits">How many they are, 2 to 8.</param>
    /// <returns>The epoch.</returns>
    public long EpochOf(int mark, int bits)
    {
        int period = 1 << bits;
        int ahead = (int)((mark - Current) & (period - 1));
        return Current + (ahead < period / 2 ? ahead : ahead - period);
    }

    /// <summary>The key of an epoch.</summary>
    /// <param name="epoch">The epoch.</param>
    /// <param name="key">Takes <see cref="KeyLength"/> bytes. Wipe them after use
    /// (<see cref="CryptographicOperations.ZeroMemory"/>).</param>
    /// <returns>False when it is neither the present epoch nor the one before or after it, and after the end: the key is all zeros then,
    /// and must not be used.</returns>
    public bool TryGetKey(long epoch, Span<byte> key)
    {
        key = key[..KeyLength];
        key.Clear();
        long current = Current;
        lock (_gate)
        {
            if (_isDisposed || epoch < current - 1 || epoch > current + 1)
            {
                return false;
            }

            if (_middle != current)
            {
                Derive(current);
            }

            _keys.AsSpan((int)(epoch - current + 1) * KeyLength, KeyLength).CopyTo(key);
            return true;
        }
    }

    /// <summary>Wipes the keys and what they follow from.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(_root);
            CryptographicOperations.ZeroMemory(_keys);
        }
    }

    private void Derive(long middle)
    {
        Span<byte> info = stackalloc byte[sizeof(long)];
        for (int i = 0; i < Kept; i++)
        {
            System.Buffers.Binary.BinaryPrimitives.WriteInt64BigEndian(info, middle - 1 + i);
            HKDF.Expand(HashAlgorithmName.SHA256, _root, _keys.AsSpan(i * KeyLength, KeyLength), info);
        }

        _middle = middle;
    }
}
