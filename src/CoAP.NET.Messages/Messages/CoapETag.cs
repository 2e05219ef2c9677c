using System.Buffers.Binary;
using System.IO.Hashing;

namespace CoAP.NET;

/// <summary>
/// An entity-tag: 1 to 8 opaque bytes that distinguish representations of a resource over time (RFC 7252 section 5.10.6).
/// </summary>
/// <remarks>A value type; compared byte by byte.</remarks>
public readonly struct CoapETag : IEquatable<CoapETag>
{
    /// <summary>The maximum number of bytes.</summary>
    public const int MaxLength = 8;

    // The bytes, starting at the most significant byte; the bytes beyond the length are zero.
    private readonly ulong _bytes;
    private readonly byte _length;

    /// <summary>Creates an entity-tag.</summary>
    /// <param name="bytes">1 to 8 bytes.</param>
    /// <exception cref="ArgumentException">The span is empty or has more than 8 bytes.</exception>
    public CoapETag(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length is 0 or > MaxLength)
        {
            throw new ArgumentException($"The entity-tag has {bytes.Length} bytes; it must have 1 to 8 (RFC 7252 section "
                + "5.10.6).", nameof(bytes));
        }

        Span<byte> padded = stackalloc byte[MaxLength];
        padded.Clear();
        bytes.CopyTo(padded);
        _bytes = BinaryPrimitives.ReadUInt64BigEndian(padded);
        _length = (byte)bytes.Length;
    }

    /// <summary>The number of bytes, 1 to 8; 0 only for <c>default</c>, which is not a valid entity-tag.</summary>
    public int Length => _length;

    /// <summary>Creates an entity-tag from a version number, with the minimum number of bytes.</summary>
    /// <param name="version">The number, which must change with each change of the representation.</param>
    /// <returns>The entity-tag.</returns>
    public static CoapETag FromVersion(ulong version)
    {
        Span<byte> bytes = stackalloc byte[MaxLength];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, version);
        return new CoapETag(version == 0 ? bytes[7..] : bytes[(int)(ulong.LeadingZeroCount(version) / 8)..]);
    }

    /// <summary>
    /// Creates an entity-tag of 8 bytes from the hash of a representation (the beginning of its XXH128), and of its Content-Format.
    /// </summary>
    /// <remarks>
    /// Equal for equal bytes in every process, also after a restart. The hash is fast and not cryptographic: who chooses the content can
    /// make two contents with one tag. Use another hash where that matters, such as for contents that clients must not exchange.
    /// </remarks>
    /// <param name="content">The bytes of the representation.</param>
    /// <param name="format">Its Content-Format, so that two formats of one resource differ; null for a resource with one format.</param>
    /// <returns>The entity-tag.</returns>
    public static CoapETag FromContent(ReadOnlySpan<byte> content, CoapContentFormat? format = null)
    {
        Span<byte> hash = stackalloc byte[16];
        XxHash128.Hash(content, hash, seed: 1L + (format?.Value ?? -1));
        return new CoapETag(hash[..MaxLength]);
    }

    /// <summary>Returns whether two entity-tags are equal.</summary>
    /// <param name="left">The first entity-tag.</param>
    /// <param name="right">The second entity-tag.</param>
    public static bool operator ==(CoapETag left, CoapETag right) => left.Equals(right);

    /// <summary>Returns whether two entity-tags differ.</summary>
    /// <param name="left">The first entity-tag.</param>
    /// <param name="right">The second entity-tag.</param>
    public static bool operator !=(CoapETag left, CoapETag right) => !left.Equals(right);

    /// <summary>Writes the bytes.</summary>
    /// <param name="destination">At least <see cref="Length"/> bytes; 8 are always enough.</param>
    /// <returns>The number of bytes written.</returns>
    /// <exception cref="ArgumentException">The destination is too short.</exception>
    public int CopyTo(Span<byte> destination)
    {
        Span<byte> bytes = stackalloc byte[MaxLength];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, _bytes);
        bytes[.._length].CopyTo(destination);
        return _length;
    }

    /// <summary>Returns the bytes as an array.</summary>
    /// <returns>A new array.</returns>
    public byte[] ToArray()
    {
        byte[] bytes = new byte[_length];
        CopyTo(bytes);
        return bytes;
    }

    /// <inheritdoc/>
    public bool Equals(CoapETag other) => _bytes == other._bytes && _length == other._length;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapETag other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_bytes, _length);

    /// <summary>Returns the bytes as hexadecimal digits.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Convert.ToHexStringLower(ToArray());

    /// <summary>Returns whether the bytes are those of the entity-tag.</summary>
    /// <param name="bytes">The bytes.</param>
    internal bool Matches(ReadOnlySpan<byte> bytes)
    {
        Span<byte> own = stackalloc byte[MaxLength];
        return own[..CopyTo(own)].SequenceEqual(bytes);
    }
}
