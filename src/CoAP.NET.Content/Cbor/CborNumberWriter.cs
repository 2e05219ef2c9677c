using System.Formats.Cbor;
using System.Numerics;

namespace CoAP.NET.Content.Cbor;

/// <summary>Writes numbers that the writer of System.Formats.Cbor does not write by itself.</summary>
internal static class CborNumberWriter
{
    /// <summary>
    /// Creates a writer of one item or a sequence. It does not remember the keys of maps, and writes half a surrogate pair as U+FFFD.
    /// </summary>
    public static CborWriter Create(int capacity = -1) => new(CborConformanceMode.Lax, false, allowMultipleRootLevelValues: true, capacity);

    /// <summary>Writes an integer of any size. One beyond 64 bits and a sign gets a tag (RFC 8949 section 3.4.3).</summary>
    public static void WriteInteger(this CborWriter writer, BigInteger value)
    {
        BigInteger argument = value.Sign < 0 ? -1 - value : value;
        if (argument > ulong.MaxValue)
        {
            writer.WriteBigInteger(value);
        }
        else if (value.Sign < 0)
        {
            writer.WriteCborNegativeIntegerRepresentation((ulong)argument);
        }
        else
        {
            writer.WriteUInt64((ulong)argument);
        }
    }

    /// <summary>Writes a number as an integer if a double holds it exactly, otherwise as a floating-point number.</summary>
    public static void WriteNumber(this CborWriter writer, double value)
    {
        const double Exact = 1L << 53;
        if (Math.Abs(value) <= Exact && Math.Truncate(value) == value && !(value == 0 && double.IsNegative(value)))
        {
            writer.WriteInt64((long)value);
        }
        else
        {
            writer.WriteDouble(value);
        }
    }
}
