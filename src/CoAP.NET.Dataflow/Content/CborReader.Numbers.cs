using System.Globalization;
using System.Numerics;

namespace CoAP.NET.Content;

// Numbers of any form as the nearest double: integers, big integers, floating-point numbers and decimal fractions.
internal ref partial struct CborReader
{
    /// <summary>How many bytes a big integer may have.</summary>
    public const int MaxBignumBytes = 32;

    /// <summary>The tag of a big integer that is not negative (RFC 8949 section 3.4.3).</summary>
    public const ulong PositiveBignum = 2;

    /// <summary>The tag of a negative big integer.</summary>
    public const ulong NegativeBignum = 3;

    /// <summary>The tag of a decimal fraction (RFC 8949 section 3.4.4).</summary>
    public const ulong DecimalFraction = 4;

    private const long MaxExponent = 1_000;

    /// <summary>A number, rounded to the nearest double. Not a number and infinities are faults.</summary>
    public bool TryReadNumber(out double value)
    {
        int start = _position;
        value = 0;
        if (!TryPeek(out CborMajor major))
        {
            return false;
        }

        bool isRead = major switch
        {
            CborMajor.UnsignedInteger or CborMajor.NegativeInteger or CborMajor.Tag => TryReadExact(out value),
            CborMajor.Simple => TryReadFloat(out value),
            _ => Fail(start, "a number was expected"),
        };
        return isRead && (double.IsFinite(value) || Fail(start, "the number is not finite"));
    }

    private bool TryReadExact(out double value)
    {
        int start = _position;
        value = 0;
        if (!TryReadHead(out CborMajor major, out ulong argument, out _))
        {
            return false;
        }

        if (major == CborMajor.Tag && argument == DecimalFraction)
        {
            if (!TryReadDecimalFraction(start, out BigInteger mantissa, out long exponent))
            {
                return false;
            }

            value = Round(mantissa, exponent);
            return true;
        }

        _position = start;
        if (!TryReadInteger(out BigInteger integer))
        {
            return false;
        }

        value = Round(integer, 0);
        return true;
    }

    /// <summary>A decimal fraction without its tag: the mantissa times ten to the power of the exponent.</summary>
    public bool TryReadDecimalFraction(int start, out BigInteger mantissa, out long exponent)
    {
        mantissa = default;
        exponent = 0;
        if (!TryReadArray(out int? count))
        {
            return false;
        }

        if (count is not (null or 2))
        {
            return Fail(start, "a decimal fraction has an exponent and a mantissa");
        }

        if (!TryReadInt(out exponent) || !TryReadInteger(out mantissa))
        {
            return false;
        }

        return ((count is not null || TryTakeBreak()) && exponent is >= -MaxExponent and <= MaxExponent)
            || Fail(start, $"a decimal fraction has an exponent of at most {MaxExponent} and a mantissa");
    }

    private static double Round(BigInteger mantissa, long exponent)
    {
        if (exponent == 0 && mantissa >= int.MinValue && mantissa <= int.MaxValue)
        {
            return (int)mantissa;
        }

        // Through decimal digits, which are rounded once and to the nearest; the conversion of a BigInteger cuts off.
        return double.Parse(string.Create(CultureInfo.InvariantCulture, $"{mantissa}E{exponent}"), NumberStyles.Float, CultureInfo.InvariantCulture);
    }

    /// <summary>An integer of any size, big ones with their tag.</summary>
    public bool TryReadInteger(out BigInteger value)
    {
        int start = _position;
        value = default;
        if (!TryReadHead(out CborMajor major, out ulong argument, out _))
        {
            return false;
        }

        switch (major)
        {
            case CborMajor.UnsignedInteger:
                value = argument;
                return true;
            case CborMajor.NegativeInteger:
                value = -1 - (BigInteger)argument;
                return true;
            case CborMajor.Tag when argument is PositiveBignum or NegativeBignum:
                if (!TryReadBytes(out byte[] bytes))
                {
                    return false;
                }

                // Before anything is computed: digits cost more than bytes.
                if (bytes.Length > MaxBignumBytes)
                {
                    return Fail(start, $"a big integer has at most {MaxBignumBytes} bytes here");
                }

                value = new BigInteger(bytes, isUnsigned: true, isBigEndian: true);
                value = argument == PositiveBignum ? value : -1 - value;
                return true;
            default:
                return Fail(start, "a number was expected");
        }
    }

    private bool TryReadFloat(out double value)
    {
        int start = _position;
        bool isRead = TryReadHead(out _, out ulong bits, out _);
        value = (_position - start) switch
        {
            3 => (double)BitConverter.UInt16BitsToHalf((ushort)bits),
            5 => BitConverter.UInt32BitsToSingle((uint)bits),
            _ => BitConverter.UInt64BitsToDouble(bits),
        };
        return isRead && (_position - start is 3 or 5 or 9 || Fail(start, "a number was expected"));
    }
}
