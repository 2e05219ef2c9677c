using System.Numerics;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Parses diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G) into CBOR. The work grows with the length of the notation, and the
/// result is limited.
/// </summary>
internal static class DiagnosticNotationReader
{
    private const string End = "";

    /// <summary>Parses a whole notation.</summary>
    /// <param name="notation">The notation.</param>
    /// <param name="cbor">The CBOR; empty for invalid notation.</param>
    /// <param name="fault">The fault; its offset counts characters.</param>
    /// <param name="isSequence">Whether any number of items is allowed.</param>
    /// <param name="maxSize">The maximum number of bytes of CBOR.</param>
    public static bool TryRead(ReadOnlySpan<char> notation, out byte[] cbor, out ContentFault fault, bool isSequence, int maxSize)
    {
        NotationCursor text = new(notation);
        NotationCborBuffer output = new(Math.Min(maxSize, Array.MaxLength));
        bool isRead = isSequence
            ? TryReadItems(ref text, output, CborDiagnostics.MaxDepth, End, false, out _)
            : text.TrySkipSpace() && TryReadItem(ref text, output, CborDiagnostics.MaxDepth) && text.TrySkipSpace()
                && (text.IsAtEnd || text.Expected("the end of the text"));
        cbor = isRead ? output.ToArray() : [];
        fault = text.Fault;
        return isRead;
    }

    /// <summary>Reads items separated by commas, and their end.</summary>
    /// <param name="text">The notation, at the first item or the end.</param>
    /// <param name="output">Receives the items.</param>
    /// <param name="depth">The remaining nesting depth.</param>
    /// <param name="close">The end of the items; empty for the end of the text.</param>
    /// <param name="isMap">Whether each item is a key with its value.</param>
    /// <param name="count">The number of items.</param>
    public static bool TryReadItems(
        ref NotationCursor text, NotationCborBuffer output, int depth, string close, bool isMap, out ulong count)
    {
        count = 0;
        while (true)
        {
            if (!text.TrySkipSpace())
            {
                return false;
            }

            if (close.Length == 0 ? text.IsAtEnd : text.TryTake(close))
            {
                return true;
            }

            if (!TryReadItem(ref text, output, depth) || (isMap && !TryReadValue(ref text, output, depth)))
            {
                return false;
            }

            count++;
            if (!TrySkipComma(ref text, close))
            {
                return false;
            }
        }
    }

    private static bool TrySkipComma(ref NotationCursor text, string close) => text.TrySkipSpace()
        && (text.TryTake(",") || (close.Length == 0 ? text.IsAtEnd : text.IsAt(close))
            || text.Expected($"a comma or {(close.Length == 0 ? "the end of the text" : close)}"));

    private static bool TryReadValue(ref NotationCursor text, NotationCborBuffer output, int depth) =>
        text.TrySkipSpace() && (text.TryTake(":") || text.Expected("a colon")) && text.TrySkipSpace()
        && TryReadItem(ref text, output, depth);

    private static bool TryReadItem(ref NotationCursor text, NotationCborBuffer output, int depth)
    {
        int start = text.Position;
        if (depth == 0)
        {
            return text.Fail(start, $"items are nested more than {CborDiagnostics.MaxDepth} deep");
        }

        bool isRead = text.Next switch
        {
            '[' => TryReadContainer(ref text, output, depth, CborMajor.Array),
            '{' => TryReadContainer(ref text, output, depth, CborMajor.Map),
            '(' => TryReadParts(ref text, output, depth),
            '-' or (>= '0' and <= '9') => TryReadNumber(ref text, output, depth),
            _ when NotationStringReader.IsNext(text) => NotationStringReader.TryRead(ref text, output, depth, false, out _),
            _ when char.IsAsciiLetter(text.Next) => TryReadWord(ref text, output),
            _ => text.Expected("an item"),
        };
        return isRead && (!output.IsTooLarge
            || text.Fail(start, $"this item exceeds the limit of {output.MaxSize} bytes of CBOR"));
    }

    private static bool TryReadContainer(ref NotationCursor text, NotationCborBuffer output, int depth, CborMajor major)
    {
        text.Take();
        int start = output.Length;
        int behind = text.Position;
        if (!text.TryReadIndicator(out CborEncodingIndicator indicator))
        {
            return false;
        }

        bool isMap = major == CborMajor.Map;
        bool isIndefinite = indicator == CborEncodingIndicator.Indefinite;
        if (isIndefinite)
        {
            output.Append((byte)(((int)major << 5) | 31));
        }

        if (!TryReadItems(ref text, output, depth - 1, isMap ? "}" : "]", isMap, out ulong count))
        {
            return false;
        }

        if (isIndefinite)
        {
            output.Append(0xff);
            return true;
        }

        if (!NotationCborBuffer.Fits(count, indicator))
        {
            return text.Fail(behind, $"the encoding indicator is too narrow for {count} items");
        }

        output.InsertHead(start, major, count, indicator);
        return true;
    }

    /// <summary>Reads a string of indefinite length with its parts.</summary>
    private static bool TryReadParts(ref NotationCursor text, NotationCborBuffer output, int depth)
    {
        int start = output.Length;
        text.Take();
        if (!text.TryExpect("_") || !text.TrySkipSpace())
        {
            return false;
        }

        output.Append(0x5f);
        bool? isTextString = null;
        do
        {
            int part = text.Position;
            if (!NotationStringReader.IsNext(text))
            {
                return text.Expected(isTextString is null ? "a part of a string (an empty one is ''_ or \"\"_)" : "a part of the string");
            }

            if (!NotationStringReader.TryRead(ref text, output, depth, true, out bool isText))
            {
                return false;
            }

            if ((isTextString ??= isText) != isText)
            {
                return text.Fail(part, isText
                    ? "a byte string like the parts before was expected, but a text string was found"
                    : "a text string like the parts before was expected, but a byte string was found");
            }

            if (!TrySkipComma(ref text, ")") || !text.TrySkipSpace())
            {
                return false;
            }
        }
        while (!text.TryTake(")"));

        if (isTextString == true)
        {
            output.Replace(start, 0x7f);
        }

        output.Append(0xff);
        return true;
    }

    private static bool TryReadNumber(ref NotationCursor text, NotationCborBuffer output, int depth)
    {
        if (!NotationNumbers.TryRead(ref text, output, out bool isTag))
        {
            return false;
        }

        if (!isTag)
        {
            return true;
        }

        text.Take();
        return text.TrySkipSpace() && TryReadItem(ref text, output, depth - 1) && text.TrySkipSpace() && text.TryExpect(")");
    }

    private static bool TryReadWord(ref NotationCursor text, NotationCborBuffer output)
    {
        int start = text.Position;
        switch (text.TakeWord())
        {
            case "false":
                return TryWriteSimple(output, 20);
            case "true":
                return TryWriteSimple(output, 21);
            case "null":
                return TryWriteSimple(output, 22);
            case "undefined":
                return TryWriteSimple(output, 23);
            case "simple":
                return TryReadSimple(ref text, output);
            case "NaN":
                return NotationNumbers.TryFinish(ref text, output, double.NaN, []);
            case "Infinity":
                return NotationNumbers.TryFinish(ref text, output, double.PositiveInfinity, []);
            default:
                return text.ExpectedWord(start, text.Next == '\'' ? "h, b64, b32 or h32 in front of the quote" : "an item");
        }
    }

    private static bool TryReadSimple(ref NotationCursor text, NotationCborBuffer output)
    {
        if (!text.TryExpect("(") || !text.TrySkipSpace())
        {
            return false;
        }

        int start = text.Position;
        if (!NotationNumbers.TryReadUnsigned(ref text, out BigInteger value))
        {
            return false;
        }

        if (value > byte.MaxValue || (value >= 24 && value < 32))
        {
            return text.Fail(start, "a simple value (0 to 23, 32 to 255) was expected, but another number was found");
        }

        return text.TrySkipSpace() && text.TryExpect(")") && TryWriteSimple(output, (byte)value);
    }

    private static bool TryWriteSimple(NotationCborBuffer output, byte value)
    {
        output.AppendHead(CborMajor.Simple, value, CborEncodingIndicator.Shortest);
        return true;
    }
}
