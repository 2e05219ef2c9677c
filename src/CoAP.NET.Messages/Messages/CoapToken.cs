using System.Buffers.Binary;

namespace CoAP.NET;

/// <summary>
/// A token: 0 to 8 bytes that match a response to its request (RFC 7252 section 5.3.1), up to 65,804 bytes if both sides support extended
/// tokens (RFC 8974).
/// </summary>
/// <remarks>A value type; compared byte by byte.</remarks>
public readonly struct CoapToken : IEquatable<CoapToken>
{
    /// <summary>The maximum token length that every peer supports, in bytes (RFC 7252 section 3).</summary>
    public const int MaxLength = 8;

    /// <summary>The maximum length of extended tokens, in bytes (RFC 8974 section 2.1).</summary>
    internal const int MaxExtendedLength = 65_804;

    // Encodes the length of a token with inline bytes: the array of that length. Its content is never read.
    private static readonly byte[][] s_lengths = [[], new byte[1], new byte[2], new byte[3], new byte[4], new byte[5], new byte[6],
        new byte[7], new byte[8]];

    // Up to eight bytes, the first byte most significant, so that a token of ordinary length needs no allocation.
    private readonly ulong _inline;

    // The bytes of an extended token; for others an array of the same length, which saves a third field in each message. Null if empty.
    private readonly byte[]? _bytes;

    /// <summary>Copies a token.</summary>
    /// <param name="bytes">The bytes, 0 to 65,804.</param>
    /// <exception cref="ArgumentException">There are more than 65,804 bytes.</exception>
    public CoapToken(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > MaxExtendedLength)
        {
            throw new ArgumentException($"The token has {bytes.Length} bytes; at most {MaxExtendedLength} are allowed (RFC 8974).",
                nameof(bytes));
        }

        if (bytes.Length <= MaxLength)
        {
            _bytes = bytes.IsEmpty ? null : s_lengths[bytes.Length];
            Span<byte> padded = stackalloc byte[MaxLength];
            padded.Clear();
            bytes.CopyTo(padded);
            _inline = BinaryPrimitives.ReadUInt64BigEndian(padded);
        }
        else
        {
            _bytes = bytes.ToArray();
            _inline = BinaryPrimitives.ReadUInt64BigEndian(bytes);
        }
    }

    /// <summary>The empty token.</summary>
    public static CoapToken Empty => default;

    /// <summary>The number of bytes, 0 to 65,804.</summary>
    public int Length => _bytes is { } bytes ? bytes.Length : 0;

    /// <summary>Whether the token needs the extension of RFC 8974 because it is longer than eight bytes.</summary>
    internal bool IsExtended => Length > MaxLength;

    /// <summary>Returns whether two tokens differ.</summary>
    /// <param name="left">The left token.</param>
    /// <param name="right">The right token.</param>
    public static bool operator !=(CoapToken left, CoapToken right) => !left.Equals(right);

    /// <summary>Returns whether two tokens have the same bytes.</summary>
    /// <param name="left">The left token.</param>
    /// <param name="right">The right token.</param>
    public static bool operator ==(CoapToken left, CoapToken right) => left.Equals(right);

    /// <summary>Writes the bytes.</summary>
    /// <param name="destination">At least <see cref="Length"/> bytes.</param>
    /// <exception cref="ArgumentException">The destination is too short.</exception>
    public void CopyTo(Span<byte> destination)
    {
        if (IsExtended)
        {
            _bytes.CopyTo(destination);
            return;
        }

        Span<byte> padded = stackalloc byte[MaxLength];
        BinaryPrimitives.WriteUInt64BigEndian(padded, _inline);
        padded[..Length].CopyTo(destination);
    }

    /// <summary>Returns the bytes in a new array.</summary>
    /// <returns>The bytes.</returns>
    public byte[] ToArray()
    {
        byte[] bytes = new byte[Length];
        CopyTo(bytes);
        return bytes;
    }

    /// <inheritdoc/>
    public bool Equals(CoapToken other) =>
        _inline == other._inline
        && (ReferenceEquals(_bytes, other._bytes) || (IsExtended && _bytes.AsSpan().SequenceEqual(other._bytes)));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapToken other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_inline, Length);

    /// <summary>Returns the bytes as lower-case hexadecimal digits; empty for the empty token.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Convert.ToHexStringLower(ToArray());
}
