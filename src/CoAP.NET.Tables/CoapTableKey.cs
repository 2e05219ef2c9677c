using CoAP.NET.Cryptography;

namespace CoAP.NET.Tables;

/// <summary>The key of an entry of a <see cref="CoapReplicatedTable"/>.</summary>
/// <remarks>
/// Its first byte is its slot, and so determines the node that decides about it. Keys that belong together, such as those of one device,
/// can share the first byte.
/// </remarks>
internal readonly struct CoapTableKey : IEquatable<CoapTableKey>
{
    /// <summary>The maximum length of <see cref="Bytes"/>: 64.</summary>
    public const int MaxLength = 64;

    /// <summary>The length of a key from <see cref="FromName"/>: 16.</summary>
    public const int HashLength = 16;

    private readonly byte[]? _bytes;

    /// <summary>Creates a key.</summary>
    /// <param name="bytes">1 to 64 bytes, which are copied. The first one distributes the entries over the nodes: if strangers choose the
    /// names of keys, use <see cref="CoapReplicatedTable.KeyOf"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytes"/> is empty or too long.</exception>
    public CoapTableKey(ReadOnlySpan<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfZero(bytes.Length, nameof(bytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes.Length, MaxLength, nameof(bytes));
        _bytes = bytes.ToArray();
    }

    /// <summary>The bytes; empty for the default value, which is not a key.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>The slot, 0 to 255: the first byte; 0 for the default value.</summary>
    public byte Slot => _bytes is { Length: > 0 } bytes ? bytes[0] : (byte)0;

    /// <summary>
    /// Creates a key for a name with a keyed hash (the first 16 bytes of HMAC-SHA-256). <see cref="CoapReplicatedTable.KeyOf"/> uses the
    /// secret of a table.
    /// </summary>
    /// <param name="secret">A secret that all nodes share. With an empty one, attackers can find names in the same slot.</param>
    /// <param name="name">The name, of any length.</param>
    /// <returns>The key.</returns>
    public static CoapTableKey FromName(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> name)
    {
        Span<byte> hash = stackalloc byte[Sha256.HashLength];
        HmacSha256.HashData(secret, name, hash);
        return new CoapTableKey(hash[..HashLength]);
    }

    /// <inheritdoc/>
    public bool Equals(CoapTableKey other) => Bytes.SequenceEqual(other.Bytes);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapTableKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashOf(Bytes);

    /// <summary>The bytes in hexadecimal.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Convert.ToHexStringLower(Bytes);

    /// <summary>Whether two keys are equal.</summary>
    /// <returns>True if they are.</returns>
    public static bool operator ==(CoapTableKey left, CoapTableKey right) => left.Equals(right);

    /// <summary>Whether two keys differ.</summary>
    /// <returns>True if they do.</returns>
    public static bool operator !=(CoapTableKey left, CoapTableKey right) => !left.Equals(right);

    /// <summary>Returns the hash of a key's bytes, which differs between processes.</summary>
    internal static int HashOf(ReadOnlySpan<byte> bytes)
    {
        HashCode hash = default;
        hash.AddBytes(bytes);
        return hash.ToHashCode();
    }
}
