using System.Globalization;

namespace CoAP.NET.Cluster.Maps;

/// <summary>One of the 256 parts into which the devices of a cluster are divided.</summary>
/// <remarks>
/// A slot has one owner at a time, and moves as a whole. The slot of a DTLS session is the first byte of its Connection ID (RFC 9146);
/// <see cref="OfName(ReadOnlySpan{byte})"/> returns the slot of a name.
/// </remarks>
/// <param name="Number">The number, 0 to 255.</param>
internal readonly record struct CoapSlot(byte Number) : IComparable<CoapSlot>
{
    /// <summary>The number of slots: 256.</summary>
    public const int Count = 256;

    // FNV-1a: the same on every node and in every version, unlike the hashes of the platform.
    private const uint FnvBasis = 2_166_136_261;
    private const uint FnvPrime = 16_777_619;

    /// <summary>All slots, from 0 on.</summary>
    public static IReadOnlyList<CoapSlot> All { get; } =
        [.. Enumerable.Range(0, Count).Select(static number => new CoapSlot((byte)number))];

    /// <summary>
    /// Returns the slot of a name, such as that of a device. It is the same on every node and in every version of the library.
    /// </summary>
    /// <param name="name">The bytes of the name.</param>
    /// <returns>The slot.</returns>
    public static CoapSlot OfName(ReadOnlySpan<byte> name)
    {
        uint hash = FnvBasis;
        foreach (byte part in name)
        {
            hash = unchecked((hash ^ part) * FnvPrime);
        }

        return new CoapSlot((byte)(hash ^ (hash >> 8) ^ (hash >> 16) ^ (hash >> 24)));
    }

    /// <inheritdoc/>
    public int CompareTo(CoapSlot other) => Number.CompareTo(other.Number);

    /// <summary>The number in decimal.</summary>
    public override string ToString() => Number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Whether one slot comes before another.</summary>
    public static bool operator <(CoapSlot left, CoapSlot right) => left.Number < right.Number;

    /// <summary>Whether one slot comes after another.</summary>
    public static bool operator >(CoapSlot left, CoapSlot right) => left.Number > right.Number;

    /// <summary>Whether one slot comes before another or is the same.</summary>
    public static bool operator <=(CoapSlot left, CoapSlot right) => left.Number <= right.Number;

    /// <summary>Whether one slot comes after another or is the same.</summary>
    public static bool operator >=(CoapSlot left, CoapSlot right) => left.Number >= right.Number;
}
