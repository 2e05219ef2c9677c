using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Execution;

/// <summary>Derives a new key from a secret for each epoch of the time of day (HKDF with SHA-256, RFC 5869). Thread-safe.</summary>
/// <remarks>
/// Processes that share the secret have the same keys, provided that their clocks agree within <see cref="MaxClockDifference"/>. The keys
/// of the previous and the next epoch are valid too.
/// </remarks>
internal sealed class RotatingKeyProvider : IDisposable
{
    /// <summary>The length of a key in bytes: 32.</summary>
    public const int KeyLength = 32;

    /// <summary>The minimum length of the secret in bytes: 32.</summary>
    public const int MinSecretLength = 32;

    private const int Kept = 3;

    private readonly TimeProvider _time;
    private readonly long _length;
    private readonly Lock _gate = new();
    private readonly byte[] _root = new byte[KeyLength];

    // The keys of the previous, the current and the next epoch.
    private readonly byte[] _keys = new byte[Kept * KeyLength];
    private long _middle = long.MinValue;
    private bool _isDisposed;

    /// <summary>Derives the keys.</summary>
    /// <param name="secret">The secret: at least <see cref="MinSecretLength"/> random bytes. It is not kept.</param>
    /// <param name="purpose">The purpose of the keys. Keys of different purposes are independent.</param>
    /// <param name="epoch">The duration of an epoch; at least twice <see cref="MaxClockDifference"/>.</param>
    /// <param name="time">The clock.</param>
    /// <exception cref="ArgumentException"><paramref name="secret"/> or <paramref name="epoch"/> is too short.</exception>
    public RotatingKeyProvider(ReadOnlySpan<byte> secret, string purpose, TimeSpan epoch, TimeProvider time)
    {
        ArgumentException.ThrowIfNullOrEmpty(purpose);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentOutOfRangeException.ThrowIfLessThan(epoch, 2 * MaxClockDifference);
        if (secret.Length < MinSecretLength)
        {
            throw new ArgumentException(
                $"The shared secret has {secret.Length} bytes. Use at least {MinSecretLength} random bytes.", nameof(secret));
        }

        _time = time;
        _length = epoch.Ticks;
        HkdfSha256.DeriveKey(secret, _root, default, System.Text.Encoding.UTF8.GetBytes($"CoAP.NET {purpose} 1"));
    }

    /// <summary>The maximum difference between the clocks of processes that share a secret: 1 minute.</summary>
    public static TimeSpan MaxClockDifference { get; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// The keys of the previous one of two secrets, which verify values too; null for one secret. They are disposed of with these keys.
    /// </summary>
    internal RotatingKeyProvider? Previous { get; init; }

    /// <summary>Whether new values are made with <see cref="Previous"/>; null for never.</summary>
    internal Func<bool>? UsesPrevious { private get; init; }

    /// <summary>The keys for new values: these or the <see cref="Previous"/> ones.</summary>
    internal RotatingKeyProvider ForNew => Previous is { } previous && UsesPrevious?.Invoke() == true ? previous : this;

    /// <summary>The current epoch, counted from the year 1.</summary>
    public long Current => EpochAt(_time.GetUtcNow().UtcTicks);

    /// <summary>Returns the epoch of a time.</summary>
    /// <param name="utcTicks">The time of day (<see cref="DateTimeOffset.UtcTicks"/>).</param>
    /// <returns>The epoch.</returns>
    public long EpochAt(long utcTicks) => utcTicks / _length;

    /// <summary>Returns the start of an epoch.</summary>
    /// <returns>The time of day (<see cref="DateTimeOffset.UtcTicks"/>).</returns>
    public long StartOf(long epoch) => epoch * _length;

    /// <summary>Finds the epoch with the given lowest bits that is nearest to now.</summary>
    /// <param name="mark">The lowest bits.</param>
    /// <param name="bits">The number of bits, 2 to 8.</param>
    /// <returns>The epoch.</returns>
    public long EpochOf(int mark, int bits)
    {
        int period = 1 << bits;
        int ahead = (int)((mark - Current) & (period - 1));
        return Current + (ahead < period / 2 ? ahead : ahead - period);
    }

    /// <summary>Gets the key of an epoch.</summary>
    /// <param name="epoch">The epoch.</param>
    /// <param name="key">
    /// Receives <see cref="KeyLength"/> bytes. Wipe them after use (<see cref="CryptographicOperations.ZeroMemory"/>).
    /// </param>
    /// <returns>
    /// False unless it is the current epoch or the one before or after it, and after disposal. The key is then all zeros and must not be
    /// used.
    /// </returns>
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

    /// <summary>Wipes the keys and the secret that they derive from.</summary>
    public void Dispose()
    {
        Previous?.Dispose();
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
            HkdfSha256.Expand(_root, _keys.AsSpan(i * KeyLength, KeyLength), info);
        }

        _middle = middle;
    }
}
