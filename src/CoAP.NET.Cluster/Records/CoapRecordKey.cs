namespace CoAP.NET.Cluster;

/// <summary>
/// The name of a record. Its slot is a part of it: with the slot it moves from node to node, and by the slot it is read.
/// </summary>
public readonly struct CoapRecordKey : IEquatable<CoapRecordKey>
{
    /// <summary>The length of <see cref="Bytes"/> at most: 255.</summary>
    public const int MaxLength = 255;

    private readonly byte[]? _bytes;

    /// <summary>Makes one.</summary>
    /// <param name="kind">What the record is about.</param>
    /// <param name="slot">With which slot it moves.</param>
    /// <param name="bytes">What tells it from others of that kind and slot, 1 to 255 bytes, which are copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are none, or too many.</exception>
    public CoapRecordKey(CoapRecordKind kind, CoapSlot slot, ReadOnlySpan<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfZero(bytes.Length, nameof(bytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes.Length, MaxLength, nameof(bytes));
        Kind = kind;
        Slot = slot;
        _bytes = bytes.ToArray();
    }

    /// <summary>What the record is about.</summary>
    public CoapRecordKind Kind { get; }

    /// <summary>With which slot it moves.</summary>
    public CoapSlot Slot { get; }

    /// <summary>What tells it from others of its kind and slot.</summary>
    public ReadOnlyMemory<byte> Bytes => _bytes;

    /// <inheritdoc/>
    public bool Equals(CoapRecordKey other) =>
        Kind == other.Kind && Slot == other.Slot && Bytes.Span.SequenceEqual(other.Bytes.Span);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapRecordKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.Add((Kind, Slot));
        hash.AddBytes(Bytes.Span);
        return hash.ToHashCode();
    }

    /// <summary>Kind, slot and bytes in hexadecimal.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Kind}/{Slot}/{Convert.ToHexStringLower(Bytes.Span)}";

    /// <summary>Whether two keys are equal.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other.</param>
    /// <returns>Whether they are.</returns>
    public static bool operator ==(CoapRecordKey left, CoapRecordKey right) => left.Equals(right);

    /// <summary>Whether two keys differ.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other.</param>
    /// <returns>Whether they do.</returns>
    public static bool operator !=(CoapRecordKey left, CoapRecordKey right) => !left.Equals(right);
}
