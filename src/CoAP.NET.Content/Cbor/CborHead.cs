using System.Buffers.Binary;

namespace CoAP.NET.Content.Cbor;

/// <summary>The head of an item: its initial byte and its argument (RFC 8949 section 3).</summary>
/// <param name="Major">The major type.</param>
/// <param name="Argument">The argument; for a floating-point number its bits.</param>
/// <param name="IsIndefinite">Whether a break ends the item instead of a length.</param>
/// <param name="Length">The bytes of the head.</param>
internal readonly record struct CborHead(CborMajor Major, ulong Argument, bool IsIndefinite, int Length)
{
    private const int Indefinite = 31;

    public bool IsInteger => Major is CborMajor.UnsignedInteger or CborMajor.NegativeInteger;

    /// <summary>Whether it is the head of a floating-point number, in half, single or double precision (RFC 8949 section 3.3).</summary>
    public bool IsFloat => Major == CborMajor.Simple && Length is 3 or 5 or 9;

    public double Float => Length switch
    {
        3 => (double)BitConverter.UInt16BitsToHalf((ushort)Argument),
        5 => BitConverter.UInt32BitsToSingle((uint)Argument),
        _ => BitConverter.UInt64BitsToDouble(Argument),
    };

    /// <summary>Gets the integer, if it fits in 64 bits with sign.</summary>
    public bool TryGetInt64(out long value)
    {
        value = Major == CborMajor.NegativeInteger ? ~(long)Argument : (long)Argument;
        return IsInteger && Argument <= long.MaxValue;
    }

    /// <summary>Reads the head at the beginning of some bytes.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="head">The head; for an invalid one as much as is known.</param>
    /// <returns>The error; null for none.</returns>
    public static string? Read(ReadOnlySpan<byte> bytes, out CborHead head)
    {
        head = default;
        if (bytes.IsEmpty)
        {
            return "the data ends too early";
        }

        CborMajor major = (CborMajor)(bytes[0] >> 5);
        int information = bytes[0] & 0x1f;
        if (information < 24)
        {
            head = new CborHead(major, (ulong)information, false, 1);
            return null;
        }

        if (information == Indefinite)
        {
            head = new CborHead(major, 0, true, 1);
            return major is CborMajor.ByteString or CborMajor.TextString or CborMajor.Array or CborMajor.Map ? null
                : major == CborMajor.Simple ? "a break is outside of an item of indefinite length"
                : "the item has no indefinite length";
        }

        if (information > 27)
        {
            return "the additional information is reserved";
        }

        int length = 1 << (information - 24);
        if (length > bytes.Length - 1)
        {
            return "the data ends too early";
        }

        ReadOnlySpan<byte> argument = bytes.Slice(1, length);
        head = new CborHead(
            major,
            length switch
            {
                1 => argument[0],
                2 => BinaryPrimitives.ReadUInt16BigEndian(argument),
                4 => BinaryPrimitives.ReadUInt32BigEndian(argument),
                _ => BinaryPrimitives.ReadUInt64BigEndian(argument),
            },
            false,
            1 + length);
        return major == CborMajor.Simple && length == 1 && head.Argument < 32 ? "a simple value below 32 takes one byte" : null;
    }
}
