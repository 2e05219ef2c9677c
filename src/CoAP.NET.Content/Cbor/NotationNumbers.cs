using System.Formats.Cbor;
using System.Globalization;
using System.Numerics;

namespace CoAP.NET.Content.Cbor;

/// <summary>Numbers of diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G.5).</summary>
internal static class NotationNumbers
{
    /// <summary>The maximum number of digits of an integer, because the work for digits grows faster than their number.</summary>
    public const int MaxDigits = 1_024;

    // The number of digits that fit in 64 bits in each radix.
    private const int DigitsAtOnce = 15;

    /// <summary>Reads an integer or a floating-point number.</summary>
    /// <param name="text">The notation, at a digit or a minus.</param>
    /// <param name="output">Receives the number, unless it is the number of a tag.</param>
    /// <param name="isTag">Whether it was the number of a tag. Its head is written, and the parenthesis is next.</param>
    public static bool TryRead(ref NotationCursor text, NotationCborBuffer output, out bool isTag)
    {
        isTag = false;
        int start = text.Position;
        bool isNegative = text.TryTake("-");
        if (isNegative && text.Next == 'I')
        {
            int word = text.Position;
            return text.TakeWord() is "Infinity"
                ? TryFinish(ref text, output, double.NegativeInfinity, [])
                : text.ExpectedWord(word, "Infinity");
        }

        if (!TryReadDigits(ref text, out int radix, out int digits))
        {
            return false;
        }

        if (radix == 16 && text.Next is '.' or 'p' or 'P')
        {
            return TryReadHexFloat(ref text, output, start, digits, isNegative);
        }

        if (radix == 10 && text.Next is '.' or 'e' or 'E')
        {
            return TryReadFloat(ref text, output, start);
        }

        return TryConvert(ref text, radix, digits, out BigInteger magnitude)
            && TryFinish(ref text, output, start, isNegative ? -magnitude : magnitude, out isTag);
    }

    /// <summary>Reads a non-negative integer.</summary>
    public static bool TryReadUnsigned(ref NotationCursor text, out BigInteger value)
    {
        value = default;
        return TryReadDigits(ref text, out int radix, out int digits) && TryConvert(ref text, radix, digits, out value);
    }

    /// <summary>Reads the encoding indicator of a floating-point number and writes the number.</summary>
    /// <param name="text">The notation, possibly at the indicator.</param>
    /// <param name="output">Receives the number.</param>
    /// <param name="value">The number.</param>
    /// <param name="decimals">Its digits, so a shorter number is rounded only once; empty for none.</param>
    public static bool TryFinish(ref NotationCursor text, NotationCborBuffer output, double value, ReadOnlySpan<char> decimals)
    {
        int start = text.Position;
        if (!text.TryReadIndicator(out CborEncodingIndicator indicator))
        {
            return false;
        }

        Half half = indicator == CborEncodingIndicator.Two && !decimals.IsEmpty
            ? Half.Parse(decimals, NumberStyles.Float, CultureInfo.InvariantCulture)
            : (Half)value;
        float single = indicator == CborEncodingIndicator.Four && !decimals.IsEmpty
            ? float.Parse(decimals, NumberStyles.Float, CultureInfo.InvariantCulture)
            : (float)value;
        bool isFinite = double.IsFinite(value);
        ulong bits = double.IsNaN(value) ? 0x7ff8_0000_0000_0000 : BitConverter.DoubleToUInt64Bits(value);
        ulong singleBits = double.IsNaN(value) ? 0x7fc0_0000 : BitConverter.SingleToUInt32Bits(single);
        ulong halfBits = double.IsNaN(value) ? 0x7e00u : BitConverter.HalfToUInt16Bits(half);
        switch (indicator)
        {
            case CborEncodingIndicator.Shortest when double.IsNaN(value) || BitConverter.DoubleToUInt64Bits((double)half) == bits:
            case CborEncodingIndicator.Two when Half.IsFinite(half) || !isFinite:
                output.AppendFloat(2, halfBits);
                return true;
            case CborEncodingIndicator.Shortest when BitConverter.DoubleToUInt64Bits(single) == bits:
            case CborEncodingIndicator.Four when float.IsFinite(single) || !isFinite:
                output.AppendFloat(4, singleBits);
                return true;
            case CborEncodingIndicator.Shortest or CborEncodingIndicator.Eight:
                output.AppendFloat(8, bits);
                return true;
            case CborEncodingIndicator.Two or CborEncodingIndicator.Four:
                return text.Fail(start, "a wider encoding indicator was expected, as the number is beyond the range of this one");
            default:
                return text.Fail(start, $"_1, _2 or _3 was expected, but {text.Since(start)} follows a floating-point number");
        }
    }

    private static bool TryFinish(ref NotationCursor text, NotationCborBuffer output, int start, BigInteger value, out bool isTag)
    {
        isTag = false;
        int behind = text.Position;
        if (!text.TryReadIndicator(out CborEncodingIndicator indicator))
        {
            return false;
        }

        bool isNegative = value.Sign < 0;
        BigInteger argument = isNegative ? -1 - value : value;
        isTag = text.Next == '(';
        if (isTag && (text.Since(start)[0] == '-' || argument > ulong.MaxValue))
        {
            return text.Fail(start, $"a tag from 0 to {ulong.MaxValue} was expected, but another number was found");
        }

        if (argument > ulong.MaxValue)
        {
            if (indicator != CborEncodingIndicator.Shortest)
            {
                return text.Fail(behind, "no encoding indicator was expected, but one follows a number beyond 64 bits");
            }

            byte[] bytes = argument.ToByteArray(isUnsigned: true, isBigEndian: true);
            ulong tag = (ulong)(isNegative ? CborTag.NegativeBigNum : CborTag.UnsignedBigNum);
            output.AppendHead(CborMajor.Tag, tag, CborEncodingIndicator.Shortest);
            output.AppendHead(CborMajor.ByteString, (ulong)bytes.Length, CborEncodingIndicator.Shortest);
            output.Append(bytes);
            return true;
        }

        if (indicator == CborEncodingIndicator.Indefinite || !NotationCborBuffer.Fits((ulong)argument, indicator))
        {
            return text.Fail(behind, $"an encoding indicator that the number fits was expected, but {text.Since(behind)} was found");
        }

        CborMajor major = isTag ? CborMajor.Tag : isNegative ? CborMajor.NegativeInteger : CborMajor.UnsignedInteger;
        output.AppendHead(major, (ulong)argument, indicator);
        return true;
    }

    /// <summary>Reads the prefix of a radix and the digits.</summary>
    private static bool TryReadDigits(ref NotationCursor text, out int radix, out int digits)
    {
        int start = text.Position;
        radix = text.Rest switch
        {
            ['0', 'x' or 'X', ..] => 16,
            ['0', 'o' or 'O', ..] => 8,
            ['0', 'b' or 'B', ..] => 2,
            _ => 10,
        };
        text.Take(radix == 10 ? 0 : 2);
        digits = text.Position;
        TakeDigits(ref text, radix);
        ReadOnlySpan<char> taken = text.Since(digits);
        if (taken.IsEmpty)
        {
            return text.Expected(radix switch
            {
                16 => "a hexadecimal digit",
                8 => "an octal digit",
                2 => "a binary digit",
                _ => "a digit",
            });
        }

        return radix != 10 || taken.Length == 1 || taken[0] != '0' || text.Fail(
            start, "a number without zeros in front was expected, but a digit follows 0 (octal numbers begin with 0o)");
    }

    private static void TakeDigits(ref NotationCursor text, int radix)
    {
        while (DigitOf(text.Next) < radix)
        {
            text.Take();
        }
    }

    private static int DigitOf(char digit) =>
        char.IsAsciiDigit(digit) ? digit - '0' : char.IsAsciiHexDigit(digit) ? (digit | 0x20) - 'a' + 10 : int.MaxValue;

    private static bool TryConvert(ref NotationCursor text, int radix, int start, out BigInteger value)
    {
        value = default;
        ReadOnlySpan<char> digits = text.Since(start);
        if (digits.Length > MaxDigits)
        {
            return text.Fail(start, $"an integer of at most {MaxDigits} digits was expected, but {digits.Length} digits were found");
        }

        for (int i = 0; i < digits.Length; i += DigitsAtOnce)
        {
            ulong part = 0;
            ulong scale = 1;
            foreach (char digit in digits.Slice(i, Math.Min(DigitsAtOnce, digits.Length - i)))
            {
                part = (part * (ulong)radix) + (ulong)DigitOf(digit);
                scale *= (ulong)radix;
            }

            value = i == 0 ? part : (value * scale) + part;
        }

        return true;
    }

    private static bool TryReadFloat(ref NotationCursor text, NotationCborBuffer output, int start)
    {
        if (text.TryTake(".") && !TryTakeSomeDigits(ref text))
        {
            return false;
        }

        if (text.Next is 'e' or 'E' && !TryTakeExponent(ref text))
        {
            return false;
        }

        ReadOnlySpan<char> decimals = text.Since(start);
        double value = double.Parse(decimals, NumberStyles.Float, CultureInfo.InvariantCulture);
        return double.IsFinite(value) ? TryFinish(ref text, output, value, decimals)
            : text.Fail(start, "a number in the range of a double was expected, but a larger one was found");
    }

    // Refuses a value that a double does not hold exactly: the writer of a hexadecimal number wants exactly these bits.
    private static bool TryReadHexFloat(ref NotationCursor text, NotationCborBuffer output, int start, int digits, bool isNegative)
    {
        ulong mantissa = 0;
        long exponent = 0;
        bool isExact = true;
        foreach (char digit in text.Since(digits))
        {
            Add(DigitOf(digit), 0, ref mantissa, ref exponent, ref isExact);
        }

        if (text.TryTake("."))
        {
            int fraction = text.Position;
            TakeDigits(ref text, 16);
            if (fraction == text.Position)
            {
                return text.Expected("a hexadecimal digit");
            }

            foreach (char digit in text.Since(fraction))
            {
                Add(DigitOf(digit), -4, ref mantissa, ref exponent, ref isExact);
            }
        }

        if (text.Next is not ('p' or 'P'))
        {
            return text.Expected("the exponent of a hexadecimal number (p)");
        }

        int sign = text.Position + 1;
        if (!TryTakeExponent(ref text))
        {
            return false;
        }

        // A longer exponent is beyond all doubles, whatever digits precede it. For zero it does not matter.
        bool isShort = int.TryParse(text.Since(sign), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int binary);
        exponent = Math.Clamp(exponent + binary, -1_000_000, 1_000_000);
        int zeros = mantissa == 0 ? 0 : BitOperations.TrailingZeroCount(mantissa);
        mantissa >>= zeros;
        exponent = mantissa == 0 ? 0 : exponent + zeros;
        double value = Math.ScaleB(mantissa, (int)exponent);
        isExact &= mantissa == 0
            || (isShort && mantissa < 1UL << 53 && double.IsFinite(value) && Math.ScaleB(value, (int)-exponent) == mantissa);
        return isExact ? TryFinish(ref text, output, isNegative ? -value : value, [])
            : text.Fail(start, "a number that a double holds exactly was expected, but another one was found");
    }

    /// <summary>Adds a hexadecimal digit to a mantissa.</summary>
    private static void Add(int digit, int shift, ref ulong mantissa, ref long exponent, ref bool isExact)
    {
        bool isRoom = mantissa >> 60 == 0;
        mantissa = isRoom ? (mantissa << 4) | (uint)digit : mantissa;
        exponent += isRoom ? shift : shift + 4;
        isExact &= isRoom || digit == 0;
    }

    private static bool TryTakeExponent(ref NotationCursor text)
    {
        text.Take();
        if (text.Next is '+' or '-')
        {
            text.Take();
        }

        return TryTakeSomeDigits(ref text);
    }

    private static bool TryTakeSomeDigits(ref NotationCursor text)
    {
        int start = text.Position;
        TakeDigits(ref text, 10);
        return text.Position > start || text.Expected("a digit");
    }
}
