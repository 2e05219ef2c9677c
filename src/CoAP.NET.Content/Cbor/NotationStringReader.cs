using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Content.Cbor;

/// <summary>Strings of diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G.1 to G.4).</summary>
internal static class NotationStringReader
{
    public static bool IsNext(in NotationCursor text) => text.Rest switch
    {
        ['"' or '\'', ..] or ['<', '<', ..] or ['h', '\'', ..] => true,
        ['b', '6', '4', '\'', ..] or ['b' or 'h', '3', '2', '\'', ..] => true,
        _ => false,
    };

    /// <summary>Reads a string, including one that consists of several, with its encoding indicator.</summary>
    /// <param name="text">The notation, at a string.</param>
    /// <param name="output">Receives the string.</param>
    /// <param name="depth">The remaining nesting depth of items inside the string.</param>
    /// <param name="isPart">Whether it is a part of a string of indefinite length, which cannot be of indefinite length itself.</param>
    /// <param name="isText">Whether it is a text string.</param>
    public static bool TryRead(ref NotationCursor text, NotationCborBuffer output, int depth, bool isPart, out bool isText)
    {
        int begin = text.Position;
        int start = output.Length;
        bool isMixed = false;
        isText = text.Next == '"';
        CborEncodingIndicator indicator;
        int behind;
        while (true)
        {
            isMixed |= isText != (text.Next == '"');
            if (!TryReadOne(ref text, output, depth))
            {
                return false;
            }

            behind = text.Position;
            if (!text.TryReadIndicator(out indicator))
            {
                return false;
            }

            if (indicator != CborEncodingIndicator.Shortest)
            {
                break;
            }

            if (!text.TrySkipSpace())
            {
                return false;
            }

            bool isPlus = text.TryTake("+");
            if (isPlus && !text.TrySkipSpace())
            {
                return false;
            }

            if (!IsNext(text))
            {
                if (isPlus)
                {
                    return text.Expected("a string");
                }

                break;
            }
        }

        return IsUnicode(ref text, output, begin, start, isText && isMixed)
            && TryWriteHead(ref text, output, start, isText ? CborMajor.TextString : CborMajor.ByteString, indicator, behind, isPart);
    }

    private static bool IsUnicode(ref NotationCursor text, NotationCborBuffer output, int begin, int start, bool isAsked) =>
        !isAsked || output.IsTooLarge || Utf8.IsValid(output.Since(start))
        || text.Fail(begin, "a text was expected, but the bytes that it consists of are not UTF-8");

    private static bool TryWriteHead(
        ref NotationCursor text, NotationCborBuffer output, int start, CborMajor major, CborEncodingIndicator indicator,
        int behind, bool isPart)
    {
        int length = output.Length - start;
        if (indicator == CborEncodingIndicator.Indefinite)
        {
            output.Append([(byte)(((int)major << 5) | 31), 0xff]);
            return (length == 0 && !isPart) || text.Fail(
                behind, "_0, _1, _2, _3 or _i was expected, but _ was found, which is for empty strings alone (others: (_ ...))");
        }

        output.InsertHead(start, major, (ulong)length, indicator);
        return NotationCborBuffer.Fits((ulong)length, indicator) || output.IsTooLarge || text.Fail(
            behind, $"the encoding indicator is too narrow for {length} bytes");
    }

    private static bool TryReadOne(ref NotationCursor text, NotationCborBuffer output, int depth)
    {
        if (text.Next is '"' or '\'')
        {
            return TryReadQuoted(ref text, output);
        }

        if (text.TryTake("<<"))
        {
            return DiagnosticNotationReader.TryReadItems(ref text, output, depth - 1, ">>", false, out _);
        }

        return text.TryTake("h'") ? TryReadDigits(ref text, output, 4, BaseEncodingAlphabets.Base16)
            : text.TryTake("b64'") ? TryReadDigits(ref text, output, 6, BaseEncodingAlphabets.Base64)
            : text.TryTake("b32'") ? TryReadDigits(ref text, output, 5, BaseEncodingAlphabets.Base32)
            : text.TryTake("h32'") ? TryReadDigits(ref text, output, 5, BaseEncodingAlphabets.Base32Hex)
            : text.Expected("a string");
    }

    private static bool TryReadQuoted(ref NotationCursor text, NotationCborBuffer output)
    {
        int start = text.Position;
        char quote = text.Next;
        Span<byte> utf8 = stackalloc byte[4];
        text.Take();
        while (text.Next != quote)
        {
            Rune rune;
            if (text.Next == '\\')
            {
                if (!TryReadEscape(ref text, quote, out rune))
                {
                    return false;
                }
            }
            else if (text.IsAtEnd)
            {
                return text.Expected($"the quote at the end of the string that begins at offset {start}");
            }
            else if (text.Next < ' ')
            {
                return text.Expected("an escape for the control character");
            }
            else if (Rune.DecodeFromUtf16(text.Rest, out rune, out int length) != OperationStatus.Done)
            {
                return text.Expected("a whole surrogate pair");
            }
            else
            {
                text.Take(length);
            }

            output.Append(utf8[..rune.EncodeToUtf8(utf8)]);
        }

        text.Take();
        return true;
    }

    private static bool TryReadEscape(ref NotationCursor text, char quote, out Rune rune)
    {
        int start = text.Position;
        text.Take();
        char escape = text.Next;
        rune = new Rune(escape switch
        {
            'b' => '\b',
            'f' => '\f',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '"' or '\\' or '/' => escape,
            '\'' when quote == '\'' => escape,
            _ => '\0',
        });
        if (escape == 'u')
        {
            text.Take();
            return TryReadCodePoint(ref text, start, out rune);
        }

        if (rune.Value == 0)
        {
            return text.Expected("one of \" \\ / b f n r t u, or ' in single quotes, behind the \\");
        }

        text.Take();
        return true;
    }

    private static bool TryReadCodePoint(ref NotationCursor text, int start, out Rune rune)
    {
        rune = default;
        if (!TryReadUnit(ref text, out char unit))
        {
            return false;
        }

        char low = '\0';
        if (char.IsHighSurrogate(unit) && text.TryTake("\\u") && !TryReadUnit(ref text, out low))
        {
            return false;
        }

        return Rune.TryCreate(unit, out rune) || Rune.TryCreate(unit, low, out rune)
            || text.Fail(start, "a whole surrogate pair was expected, but half of one was found");
    }

    private static bool TryReadUnit(ref NotationCursor text, out char unit)
    {
        int value = 0;
        unit = '\0';
        for (int i = 0; i < 4; i++)
        {
            int digit = BaseEncodingAlphabets.ValueOf(text.Next, BaseEncodingAlphabets.Base16);
            if (digit < 0)
            {
                return text.Expected("a hexadecimal digit");
            }

            value = (value << 4) | digit;
            text.Take();
        }

        unit = (char)value;
        return true;
    }

    // A slash is a digit in base64, so it begins no comment there.
    private static bool TryReadDigits(ref NotationCursor text, NotationCborBuffer output, int bitsOfDigit, string alphabet)
    {
        int start = text.Position;
        int digits = 0;
        int padding = 0;
        int bits = 0;
        int count = 0;
        while (text.TrySkipSpace(isSlashSpace: bitsOfDigit != 6))
        {
            if (text.Next == '\'')
            {
                return TryEndDigits(ref text, start, bitsOfDigit, digits, padding, count, bits);
            }

            int value = padding > 0 ? -1 : BaseEncodingAlphabets.ValueOf(text.Next, alphabet);
            if (text.Next == '=' && bitsOfDigit != 4)
            {
                padding++;
            }
            else if (value < 0)
            {
                return text.Expected($"a digit of {BaseEncodingAlphabets.NameOf(alphabet)} or the single quote at the end");
            }
            else
            {
                digits++;
                bits = (bits << bitsOfDigit) | value;
                count += bitsOfDigit;
                if (count >= 8)
                {
                    count -= 8;
                    output.Append((byte)(bits >> count));
                    bits &= (1 << count) - 1;
                }
            }

            text.Take();
        }

        return false;
    }

    private static bool TryEndDigits(ref NotationCursor text, int start, int bitsOfDigit, int digits, int padding, int count, int bits)
    {
        int group = bitsOfDigit == 6 ? 4 : 8;
        if (count >= bitsOfDigit)
        {
            return text.Expected("one more digit, as no byte ends here,");
        }

        if (padding > 0 && (padding >= group || (digits + padding) % group != 0))
        {
            return text.Fail(
                start, $"a multiple of {group} digits was expected, those of the padding included, but {digits + padding} were found");
        }

        text.Take();
        return bits == 0 || text.Fail(start, "a last digit without bits beyond the last byte was expected, but another one was found");
    }
}

/// <summary>The digits of byte strings in diagnostic notation (RFC 4648).</summary>
internal static class BaseEncodingAlphabets
{
    public const string Base16 = "0123456789ABCDEF";
    public const string Base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    public const string Base32Hex = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    public const string Base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// <summary>Returns the value of a digit; negative for other characters. Case matters only in base64.</summary>
    public static int ValueOf(char digit, string alphabet) => alphabet.IndexOf(alphabet != Base64
        ? char.IsAsciiLetterLower(digit) ? (char)(digit & ~0x20) : digit
        : digit switch
        {
            '-' => '+',
            '_' => '/',
            _ => digit,
        });

    public static string NameOf(string alphabet) =>
        string.Create(CultureInfo.InvariantCulture, $"base{alphabet.Length}{(alphabet == Base32Hex ? "hex" : string.Empty)}");
}
