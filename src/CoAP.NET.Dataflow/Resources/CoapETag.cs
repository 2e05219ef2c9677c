using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET;

/// <summary>
/// An entity-tag: 1 to 8 opaque bytes that tell one representation of a resource from another over time (RFC 7252 section 5.10.6). A value;
/// compared byte by byte.
/// </summary>
public readonly struct CoapETag : IEquatable<CoapETag>
{
    /// <summary>The largest number of bytes.</summary>
    public const int MaxLength = 8;

    // The bytes from the top of the number down; the bytes beyond the length are zero.
    private readonly ulong _bytes;
    private readonly byte _length;

    /// <summary>Makes an entity-tag.</summary>
    /// <param name="bytes">1 to 8 bytes.</param>
    /// <exception cref="ArgumentException">There are none or more than 8.</exception>
    public CoapETag(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length is 0 or > MaxLength)
        {
            throw new ArgumentException($"An entity-tag has 1 to 8 bytes (RFC 7252 section 5.10.6), not {bytes.Length}.", nameof(bytes));
        }

        Span<byte> padded = stackalloc byte[MaxLength];
        padded.Clear();
        bytes.CopyTo(padded);
        _bytes = BinaryPrimitives.ReadUInt64BigEndian(padded);
        _length = (byte)bytes.Length;
    }

    /// <summary>The number of bytes, 1 to 8; 0 only for <c>default</c>, which is no entity-tag.</summary>
    public int Length => _length;

    /// <summary>Makes an entity-tag of a version number, in as few bytes as it needs.</summary>
    /// <param name="version">The number, which must change whenever the representation does.</param>
    /// <returns>The entity-tag.</returns>
    public static CoapETag FromVersion(ulong version)
    {
        Span<byte> bytes = stackalloc byte[MaxLength];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, version);
        return new CoapETag(version == 0 ? bytes[7..] : bytes[(int)(ulong.LeadingZeroCount(version) / 8)..]);
    }

    /// <summary>Makes an entity-tag of 8 bytes by hashing a representation (the beginning of its SHA-256).</summary>
    /// <param name="content">The bytes of the representation.</param>
    /// <returns>The entity-tag; equal for equal bytes.</returns>
    public static CoapETag FromContent(ReadOnlySpan<byte> content)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(content, hash);
        return new CoapETag(hash[..MaxLength]);
    }

    /// <summary>
    /// Makes an entity-tag of 8 bytes by hashing a representation together with its Content-Format, so that two formats of one resource
    /// differ.
    /// </summary>
    /// <param name="content">The representation.</param>
    /// <returns>The entity-tag.</returns>
    public static CoapETag FromContent(CoapContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> bytes = stackalloc byte[SHA256.HashSizeInBytes];
        BinaryPrimitives.WriteInt32BigEndian(bytes, content.Format?.Value ?? -1);
        hash.AppendData(bytes[..4]);
        hash.AppendData(content.Bytes.Span);
        hash.GetHashAndReset(bytes);
        return new CoapETag(bytes[..MaxLength]);
    }

    /// <summary>Whether two entity-tags are equal.</summary>
    /// <param name="left">The left one.</param>
    /// <param name="right">The right one.</param>
    public static bool operator ==(CoapETag left, CoapETag right) => left.Equals(right);

    /// <summary>Whether two entity-tags differ.</summary>
    /// <param name="left">The left one.</param>
    /// <param name="right">The right one.</param>
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

    /// <summary>The bytes as an array.</summary>
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

    /// <summary>The bytes as hexadecimal digits.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Convert.ToHexStringLower(ToArray());

    internal bool Matches(ReadOnlySpan<byte> bytes)
    {
        Span<byte> own = stackalloc byte[MaxLength];
        return own[..CopyTo(own)].SequenceEqual(bytes);
    }
}
