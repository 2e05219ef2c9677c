using System.Formats.Cbor;
using System.Globalization;
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
    public static bool TryFormat(ReadOnlyMemory<byte> bytes, out string text, out ContentFault fault, int width = int.MaxValue,
        bool isSequence = false)
    {
        StringBuilder all = new();
        int complete = 0;
        bool isRead = UntrustedCborReader.TryRead(
            bytes,
            reader =>
            {
                while (complete == 0 ? !isSequence || reader.BytesRemaining > 0 : isSequence && reader.BytesRemaining > 0)
                {
                    all.Append(complete == 0 ? "" : ",\n");
                    Describe(reader, bytes, all, width);
                    complete = all.Length;
                }

                return true;
            },
            out _,
            out fault,
            isSequence);

        // Remove everything of a malformed item, including the comma before it.
        all.Length = complete;
        text = all.ToString();
        return isRead;
    }

    /// <summary>Formats the next item, over several lines if it is too long for one.</summary>
    private static void Describe(CborReader reader, ReadOnlyMemory<byte> bytes, StringBuilder text, int width)
    {
        ReadOnlyMemory<byte> rest = bytes[^reader.BytesRemaining..];
        int length = text.Length;
        DiagnosticNotationBuilder output = new(text, width);
        Describe(reader, output, MaxDepth, 0);
        if (output.NeedsLayout)
        {
            text.Length = length;
            output.BeginLayout();
            Describe(new CborReader(rest, CborConformanceMode.Lax), output, MaxDepth, 0);
        }
    }

    private static void Describe(CborReader reader, DiagnosticNotationBuilder output, int depth, int indent)
    {
        if (depth == 0)
        {
            throw reader.Fault($"items are nested more than {MaxDepth} deep");
        }

        StringBuilder text = output.Text;
        CborReaderState state = reader.PeekState();
        switch (state)
        {
            case CborReaderState.UnsignedInteger:
                text.Append(CultureInfo.InvariantCulture, $"{reader.ReadUInt64()}");
                break;
            case CborReaderState.NegativeInteger:
                text.Append(CultureInfo.InvariantCulture, $"{-1 - (Int128)reader.ReadCborNegativeIntegerRepresentation()}");
                break;
            case CborReaderState.ByteString or CborReaderState.TextString:
                AppendString(text, reader);
                break;
            case CborReaderState.StartIndefiniteLengthByteString:
                reader.ReadStartIndefiniteLengthByteString();
                AppendParts(text, reader, "''_");
                reader.ReadEndIndefiniteLengthByteString();
                break;
            case CborReaderState.StartIndefiniteLengthTextString:
                reader.ReadStartIndefiniteLengthTextString();
                AppendParts(text, reader, "\"\"_");
                reader.ReadEndIndefiniteLengthTextString();
                break;
            case CborReaderState.StartArray:
                DescribeItems(reader, output, reader.ReadStartArray() is null, CborReaderState.EndArray, depth - 1, indent);
                reader.ReadEndArray();
                break;
            case CborReaderState.StartMap:
                DescribeItems(reader, output, reader.ReadStartMap() is null, CborReaderState.EndMap, depth - 1, indent);
                reader.ReadEndMap();
                break;
            case CborReaderState.Tag:
                DescribeTag(reader, output, depth - 1, indent);
                break;
            case CborReaderState.HalfPrecisionFloat or CborReaderState.SinglePrecisionFloat or CborReaderState.DoublePrecisionFloat:
                text.Append(FloatFormatter.Of(reader.ReadDouble()));
                break;
            default:
                text.Append(NameOf(reader.ReadSimple()));
                break;
        }
    }

    private static string NameOf(int simple) => simple switch
    {
        20 => "false",
        21 => "true",
        22 => "null",
        23 => "undefined",
        _ => string.Create(CultureInfo.InvariantCulture, $"simple({simple})"),
    };

    private static void DescribeTag(CborReader reader, DiagnosticNotationBuilder output, int depth, int indent)
    {
        StringBuilder text = output.Text;
        CborTag tag = reader.ReadTag();

        // Big integers are shown as numbers; oversized ones and those of several parts stay tagged byte strings.
        if (tag is CborTag.UnsignedBigNum or CborTag.NegativeBigNum && reader.PeekState() == CborReaderState.ByteString)
        {
            ReadOnlySpan<byte> magnitude = reader.ReadDefiniteLengthByteString().Span;
            _ = magnitude.Length <= UntrustedCborReader.MaxBignumBytes
                ? text.Append(CultureInfo.InvariantCulture, $"{UntrustedCborReader.BignumOf(tag, magnitude)}")
                : Append(text.Append(CultureInfo.InvariantCulture, $"{(ulong)tag}("), isText: false, magnitude).Append(')');
            return;
        }

        text.Append(CultureInfo.InvariantCulture, $"{(ulong)tag}(");
        Describe(reader, output, depth, indent);
        text.Append(')');
    }

    // Part by part, because the division of a string is part of the encoding.
    private static void AppendParts(StringBuilder text, CborReader reader, string empty)
    {
        int parts = 0;
        while (reader.PeekState() is CborReaderState.ByteString or CborReaderState.TextString)
        {
            text.Append(parts++ == 0 ? "(_ " : ", ");
            AppendString(text, reader);
        }

        text.Append(parts > 0 ? ")" : empty);
    }

    private static void AppendString(StringBuilder text, CborReader reader)
    {
        bool isText = reader.PeekState() == CborReaderState.TextString;
        Append(text, isText, (isText ? reader.ReadUtf8() : reader.ReadDefiniteLengthByteString()).Span);
    }

    private static StringBuilder Append(StringBuilder text, bool isText, ReadOnlySpan<byte> bytes) => isText
        ? text.Append('"').Append(JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(Encoding.UTF8.GetString(bytes))).Append('"')
        : text.Append("h'").Append(Convert.ToHexStringLower(bytes)).Append('\'');

    private static void DescribeItems(
        CborReader reader, DiagnosticNotationBuilder output, bool isIndefinite, CborReaderState end, int depth, int indent)
    {
        StringBuilder text = output.Text;
        bool isMap = end == CborReaderState.EndMap;
        int container = output.BeginContainer();
        bool isFolded = output.IsFolded(container, indent);
        text.Append(isMap ? '{' : '[').Append(!isIndefinite ? string.Empty : isFolded ? "_" : "_ ");
        int length = 0;
        for (int i = 0; reader.PeekState() != end; i++)
        {
            text.Append(i == 0 ? string.Empty : isFolded ? "," : ", ");
            if (isFolded)
            {
                text.Append('\n').Append(' ', indent + 2);
            }

            int before = text.Length;
            Describe(reader, output, depth, indent + 2);
            if (isMap)
            {
                Describe(reader, output.AfterKey(), depth, indent + 2);
            }

            length += text.Length - before + 2;
        }

        if (isFolded)
        {
            text.Append('\n').Append(' ', indent);
        }

        output.EndContainer(container, indent, length);
        text.Append(isMap ? '}' : ']');
    }
}
