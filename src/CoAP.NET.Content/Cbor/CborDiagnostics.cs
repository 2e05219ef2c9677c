using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Encodings.Web;

namespace CoAP.NET.Content.Cbor;

/// <summary>Formats CBOR in diagnostic notation (RFC 8949 section 8), which is human-readable.</summary>
internal static class CborDiagnostics
{
    /// <summary>The maximum nesting depth.</summary>
    public const int MaxDepth = 64;

    /// <summary>Formats CBOR in diagnostic notation.</summary>
    /// <param name="bytes">One item, or a sequence of any number of items (RFC 8742).</param>
    /// <param name="text">
    /// The notation, with each item of a sequence on its own line. For invalid CBOR, the notation of the items before the fault.
    /// </param>
    /// <param name="fault">The fault in the bytes.</param>
    /// <param name="width">The maximum line length in characters before arrays and maps are split over several lines.</param>
    /// <param name="isSequence">Whether several items may follow each other.</param>
    /// <returns>Whether all bytes are well-formed.</returns>
    public static bool TryFormat(ReadOnlySpan<byte> bytes, out string text, out ContentFault fault, int width = int.MaxValue,
        bool isSequence = false)
    {
        CborReader reader = new(bytes);
        StringBuilder all = new();
        bool isRead = true;
        for (bool isFirst = true; isRead && (isFirst ? !isSequence || !reader.IsAtEnd : !reader.IsAtEnd); isFirst = false)
        {
            int before = all.Length;
            all.Append(isFirst ? "" : ",\n");
            isRead = (isFirst || isSequence || reader.TryEnd()) && TryRead(ref reader, all, width);

            // Remove everything of a malformed item, including the comma before it.
            all.Length = isRead ? all.Length : before;
        }

        text = all.ToString();
        fault = reader.Fault;
        return isRead;
    }

    /// <summary>Formats the next item, over several lines if it is too long for one.</summary>
    private static bool TryRead(ref CborReader reader, StringBuilder text, int width)
    {
        CborReader again = reader;
        int length = text.Length;
        DiagnosticText output = new(text, width);
        bool isRead = TryDescribe(ref reader, output, MaxDepth, 0);
        if (isRead && output.NeedsLayout)
        {
            text.Length = length;
            reader = again;
            output.BeginLayout();
            isRead = TryDescribe(ref reader, output, MaxDepth, 0);
        }

        return isRead;
    }

    private static bool TryDescribe(ref CborReader reader, DiagnosticText output, int depth, int indent)
    {
        CborReader start = reader;
        if (depth == 0)
        {
            return reader.Fail(start.Position, $"items are nested more than {MaxDepth} deep");
        }

        if (!reader.TryReadHead(out CborHead head))
        {
            return false;
        }

        StringBuilder text = output.Text;
        switch (head.Major)
        {
            case CborMajor.UnsignedInteger:
                text.Append(CultureInfo.InvariantCulture, $"{head.Argument}");
                return true;
            case CborMajor.NegativeInteger:
                text.Append(CultureInfo.InvariantCulture, $"{-1 - (Int128)head.Argument}");
                return true;
            case CborMajor.ByteString or CborMajor.TextString:
                return head.IsIndefinite ? TryDescribeParts(ref reader, text, head.Major) : TryDescribeString(ref reader, text, head);
            case CborMajor.Array or CborMajor.Map:
                return reader.TryHold(head) && TryDescribeItems(ref reader, output, head, depth - 1, indent);
            case CborMajor.Tag:
                return TryDescribeTag(ref reader, output, start, head.Argument, depth - 1, indent);
            default:
                text.Append(head.IsFloat ? FloatText.Of(head.Float) : NameOf(head.Argument));
                return true;
        }
    }

    private static string NameOf(ulong simple) => simple switch
    {
        20 => "false",
        21 => "true",
        22 => "null",
        23 => "undefined",
        _ => string.Create(CultureInfo.InvariantCulture, $"simple({simple})"),
    };

    private static bool TryDescribeTag(ref CborReader reader, DiagnosticText output, CborReader start, ulong tag, int depth, int indent)
    {
        StringBuilder text = output.Text;

        // Big integers are shown as numbers; oversized ones stay tagged byte strings.
        if (tag is CborNumbers.PositiveBignum or CborNumbers.NegativeBignum && start.TryReadInteger(out BigInteger integer))
        {
            reader = start;
            text.Append(CultureInfo.InvariantCulture, $"{integer}");
            return true;
        }

        text.Append(CultureInfo.InvariantCulture, $"{tag}(");
        bool isRead = TryDescribe(ref reader, output, depth, indent);
        text.Append(')');
        return isRead;
    }

    private static bool TryDescribeString(ref CborReader reader, StringBuilder text, CborHead head)
    {
        bool isRead = reader.TryTake(head, out ReadOnlySpan<byte> bytes);
        Append(text, head.Major, bytes);
        return isRead;
    }

    // Part by part, because the division of a string is part of the encoding.
    private static bool TryDescribeParts(ref CborReader reader, StringBuilder text, CborMajor major)
    {
        int parts = 0;
        while (!reader.TryTakeBreak())
        {
            if (!reader.TryReadPart(major, out ReadOnlySpan<byte> part))
            {
                return false;
            }

            text.Append(parts++ == 0 ? "(_ " : ", ");
            Append(text, major, part);
        }

        text.Append(parts > 0 ? ")" : major == CborMajor.ByteString ? "''_" : "\"\"_");
        return true;
    }

    private static void Append(StringBuilder text, CborMajor major, ReadOnlySpan<byte> bytes) => _ = major == CborMajor.ByteString
        ? text.Append("h'").Append(Convert.ToHexStringLower(bytes)).Append('\'')
        : text.Append('"').Append(JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(Encoding.UTF8.GetString(bytes))).Append('"');

    private static bool TryDescribeItems(ref CborReader reader, DiagnosticText output, CborHead head, int depth, int indent)
    {
        StringBuilder text = output.Text;
        bool isMap = head.Major == CborMajor.Map;
        int container = output.BeginContainer();
        bool isFolded = output.IsFolded(container, indent);
        text.Append(isMap ? '{' : '[').Append(!head.IsIndefinite ? string.Empty : isFolded ? "_" : "_ ");
        int length = 0;
        for (ulong i = 0; head.IsIndefinite ? !reader.TryTakeBreak() : i < head.Argument; i++)
        {
            text.Append(i == 0 ? string.Empty : isFolded ? "," : ", ");
            if (isFolded)
            {
                text.Append('\n').Append(' ', indent + 2);
            }

            int before = text.Length;
            if (!TryDescribe(ref reader, output, depth, indent + 2)
                || (isMap && !TryDescribe(ref reader, output.AfterKey(), depth, indent + 2)))
            {
                return false;
            }

            length += text.Length - before + 2;
        }

        if (isFolded)
        {
            text.Append('\n').Append(' ', indent);
        }

        output.EndContainer(container, indent, length);
        text.Append(isMap ? '}' : ']');
        return true;
    }
}
