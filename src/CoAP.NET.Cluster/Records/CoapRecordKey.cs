using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Records;

/// <summary>
/// The key of a record. The slot is a part of it: the record moves between nodes with its slot, and records are read by slot.
/// </summary>
internal readonly struct CoapRecordKey : IEquatable<CoapRecordKey>
{
    /// <summary>The maximum length of <see cref="Bytes"/>: 255.</summary>
    public const int MaxLength = 255;

    private readonly byte[]? _bytes;

    /// <summary>Creates a key.</summary>
    /// <param name="kind">The kind of the record.</param>
    /// <param name="slot">The slot of the record.</param>
    /// <param name="bytes">1 to 255 bytes that are unique within the kind and slot. They are copied.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bytes"/> is empty or too long.</exception>
    public CoapRecordKey(CoapRecordKind kind, CoapSlot slot, ReadOnlySpan<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfZero(bytes.Length, nameof(bytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes.Length, MaxLength, nameof(bytes));
        Kind = kind;
        Slot = slot;
        _bytes = bytes.ToArray();
    }

    public CoapRecordKind Kind { get; }

    public CoapSlot Slot { get; }

    /// <summary>The bytes that identify the record within its kind and slot.</summary>
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
    /// <returns>True if they are.</returns>
    public static bool operator ==(CoapRecordKey left, CoapRecordKey right) => left.Equals(right);

    /// <summary>Whether two keys differ.</summary>
    /// <returns>True if they do.</returns>
    public static bool operator !=(CoapRecordKey left, CoapRecordKey right) => !left.Equals(right);
}
