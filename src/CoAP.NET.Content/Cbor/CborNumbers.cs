using System.Globalization;
using System.Numerics;

namespace CoAP.NET.Content.Cbor;

/// <summary>Numbers in CBOR of any form: integers, big integers, floating-point numbers and decimal fractions.</summary>
internal static class CborNumbers
{
    /// <summary>The maximum number of bytes of a big integer.</summary>
    public const int MaxBignumBytes = 32;

    /// <summary>The tag of a big integer that is not negative (RFC 8949 section 3.4.3).</summary>
    public const ulong PositiveBignum = 2;

    /// <summary>The tag of a negative big integer.</summary>
    public const ulong NegativeBignum = 3;

    /// <summary>The tag of a decimal fraction (RFC 8949 section 3.4.4).</summary>
    public const ulong DecimalFraction = 4;

    private const long MaxExponent = 1_000;

    /// <summary>Reads a number, rounded to the nearest double. Not-a-number and infinities are faults.</summary>
    public static bool TryReadNumber(this ref CborReader reader, out double value)
    {
        int start = reader.Position;
        value = 0;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        bool isRead = major switch
        {
            CborMajor.UnsignedInteger or CborMajor.NegativeInteger => TryReadRounded(ref reader, out value),
            CborMajor.Tag =>
                reader.TryTakeTag(DecimalFraction) ? TryReadFraction(ref reader, start, out value) : TryReadRounded(ref reader, out value),
            CborMajor.Simple => TryReadFloat(ref reader, out value),
            _ => reader.Fail(start, "a number was expected"),
        };
        return isRead && (double.IsFinite(value) || reader.Fail(start, "the number is not finite"));
    }

    /// <summary>Reads a decimal fraction without its tag: the mantissa times ten to the power of the exponent.</summary>
    public static bool TryReadDecimalFraction(this ref CborReader reader, int start, out BigInteger mantissa, out long exponent)
    {
        mantissa = default;
        exponent = 0;
        if (!reader.TryReadArray(out int? count))
        {
            return false;
        }

        if (count is not (null or 2))
        {
            return reader.Fail(start, "a decimal fraction has an exponent and a mantissa");
        }

        if (!reader.TryReadInt(out exponent) || !reader.TryReadInteger(out mantissa))
        {
            return false;
        }

        return ((count is not null || reader.TryTakeBreak()) && exponent is >= -MaxExponent and <= MaxExponent)
            || reader.Fail(start, $"a decimal fraction has an exponent of at most {MaxExponent} and a mantissa");
    }

    /// <summary>Reads an integer of any size; big ones have their tag.</summary>
    public static bool TryReadInteger(this ref CborReader reader, out BigInteger value)
    {
        int start = reader.Position;
        value = default;
        if (!reader.TryReadHead(out CborHead head))
        {
            return false;
        }

        switch (head.Major)
        {
            case CborMajor.UnsignedInteger:
                value = head.Argument;
                return true;
            case CborMajor.NegativeInteger:
                value = -1 - (BigInteger)head.Argument;
                return true;
            case CborMajor.Tag when head.Argument is PositiveBignum or NegativeBignum:
                if (!reader.TryReadBytes(out byte[] bytes))
                {
                    return false;
                }

                // Checked before any computation, because digits cost more than bytes.
                if (bytes.Length > MaxBignumBytes)
                {
                    return reader.Fail(start, $"a big integer has at most {MaxBignumBytes} bytes here");
                }

                value = new BigInteger(bytes, isUnsigned: true, isBigEndian: true);
                value = head.Argument == PositiveBignum ? value : -1 - value;
                return true;
            default:
                return reader.Fail(start, "a number was expected");
        }
    }

    private static bool TryReadRounded(ref CborReader reader, out double value)
    {
        bool isRead = reader.TryReadInteger(out BigInteger integer);
        value = Round(integer, 0);
        return isRead;
    }

    private static bool TryReadFraction(ref CborReader reader, int start, out double value)
    {
        bool isRead = reader.TryReadDecimalFraction(start, out BigInteger mantissa, out long exponent);
        value = isRead ? Round(mantissa, exponent) : 0;
        return isRead;
    }

    private static bool TryReadFloat(ref CborReader reader, out double value)
    {
        int start = reader.Position;
        bool isRead = reader.TryReadHead(out CborHead head);
        value = head.Float;
        return isRead && (head.IsFloat || reader.Fail(start, "a number was expected"));
    }

    private static double Round(BigInteger mantissa, long exponent)
    {
        if (exponent == 0 && mantissa >= int.MinValue && mantissa <= int.MaxValue)
        {
            return (int)mantissa;
        }

        // Converts through decimal digits, which are rounded once to the nearest; the conversion of a BigInteger truncates.
        string digits = string.Create(CultureInfo.InvariantCulture, $"{mantissa}E{exponent}");
        return double.Parse(digits, NumberStyles.Float, CultureInfo.InvariantCulture);
    }
}
