using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Encodings.Web;

namespace CoAP.NET.Content;

// One item with all that lies in it in diagnostic notation (RFC 8949 section 8).
internal ref partial struct CborReader
{
    private const int MaxDiagnosticDepth = 64;

    /// <summary>Writes the next item in diagnostic notation.</summary>
    /// <param name="text">Takes the notation; nothing of an item that is not well-formed.</param>
    /// <param name="width">The characters that a line may have before arrays and maps are laid out over several lines; <see cref="int.MaxValue"/> for never.</param>
    public bool TryReadDiagnostic(StringBuilder text, int width = int.MaxValue)
    {
        int start = _position;
        int length = text.Length;
        DiagnosticText output = new(text, width);
        bool isRead = TryDescribe(output, MaxDiagnosticDepth, 0);
        if (isRead && output.NeedsLayout)
        {
            text.Length = length;
            _position = start;
            output.BeginLayout();
            isRead = TryDescribe(output, MaxDiagnosticDepth, 0);
        }

        text.Length = isRead ? text.Length : length;
        return isRead;
    }

    private bool TryDescribe(DiagnosticText output, int depth, int indent)
    {
        int start = _position;
        if (depth == 0)
        {
            return Fail(start, $"items lie more than {MaxDiagnosticDepth} deep in each other");
        }

        if (!TryReadHead(out CborMajor major, out ulong argument, out bool isIndefinite))
        {
            return false;
        }

        StringBuilder text = output.Text;
        switch (major)
        {
            case CborMajor.UnsignedInteger:
                text.Append(CultureInfo.InvariantCulture, $"{argument}");
                return true;
            case CborMajor.NegativeInteger:
                text.Append(CultureInfo.InvariantCulture, $"{-1 - (Int128)argument}");
                return true;
            case CborMajor.ByteString or CborMajor.TextString:
                _position = start;
                return TryDescribeString(text, major, isIndefinite);
            case CborMajor.Array:
                return TryDescribeItems(output, '[', ']', 1, start, argument, isIndefinite, depth, indent);
            case CborMajor.Map:
                return TryDescribeItems(output, '{', '}', 2, start, argument, isIndefinite, depth, indent);
            case CborMajor.Tag:
                return TryDescribeTag(output, start, argument, depth, indent);
            default:
                text.Append((_position - start) switch
                {
                    3 => FloatText.Of((double)BitConverter.UInt16BitsToHalf((ushort)argument)),
                    5 => FloatText.Of(BitConverter.UInt32BitsToSingle((uint)argument)),
                    9 => FloatText.Of(BitConverter.UInt64BitsToDouble(argument)),
                    _ => argument switch
                    {
                        20 => "false",
                        21 => "true",
                        22 => "null",
                        23 => "undefined",
                        _ => string.Create(CultureInfo.InvariantCulture, $"simple({argument})"),
                    },
                });
                return true;
        }
    }

    private bool TryDescribeTag(DiagnosticText output, int start, ulong tag, int depth, int indent)
    {
        StringBuilder text = output.Text;

        // Big integers are numbers to people; those beyond reason stay what they are.
        if (tag is PositiveBignum or NegativeBignum)
        {
            CborReader ahead = this;
            ahead._position = start;
            if (ahead.TryReadInteger(out BigInteger integer))
            {
                _position = ahead._position;
                text.Append(CultureInfo.InvariantCulture, $"{integer}");
                return true;
            }
        }

        text.Append(CultureInfo.InvariantCulture, $"{tag}(");
        bool isRead = TryDescribe(output, depth - 1, indent);
        text.Append(')');
        return isRead;
    }

    private bool TryDescribeString(StringBuilder text, CborMajor major, bool isIndefinite)
    {
        if (!isIndefinite)
        {
            return TryDescribeChunk(text, major);
        }

        // Part by part, as where a string was divided is a part of what was sent.
        _position++;
        int parts = 0;
        while (!TryTakeBreak())
        {
            int start = _position;
            if (!TryReadHead(out CborMajor inner, out _, out bool isNested))
            {
                return false;
            }

            if (inner != major || isNested)
            {
                return Fail(start, "a part of a string of indefinite length must be a string of the same type and of definite length");
            }

            _position = start;
            text.Append(parts++ == 0 ? "(_ " : ", ");
            if (!TryDescribeChunk(text, major))
            {
                return false;
            }
        }

        text.Append(parts > 0 ? ")" : major == CborMajor.ByteString ? "''_" : "\"\"_");
        return true;
    }

    private bool TryDescribeChunk(StringBuilder text, CborMajor major)
    {
        bool isRead = TryReadString(major, "a string", out byte[] bytes);
        _ = major == CborMajor.ByteString
            ? text.Append("h'").Append(Convert.ToHexStringLower(bytes)).Append('\'')
            : text.Append('"').Append(JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(Encoding.UTF8.GetString(bytes))).Append('"');
        return isRead;
    }

    private bool TryDescribeItems(DiagnosticText output, char open, char close, int each, int start, ulong count, bool isIndefinite, int depth, int indent)
    {
        if (!isIndefinite && count > (ulong)((_data.Length - _position) / each))
        {
            return Fail(start, "the length is beyond the end of the data");
        }

        StringBuilder text = output.Text;
        int container = output.BeginContainer();
        bool isFolded = output.IsFolded(container, indent);
        text.Append(open).Append(isIndefinite ? isFolded ? "_" : "_ " : string.Empty);
        int length = 0;
        for (ulong i = 0; isIndefinite ? !TryTakeBreak() : i < count; i++)
        {
            text.Append(i == 0 ? string.Empty : isFolded ? "," : ", ");
            if (isFolded)
            {
                text.Append('\n').Append(' ', indent + 2);
            }

            int before = text.Length;
            if (!TryDescribe(output, depth - 1, indent + 2) || (each == 2 && !TryDescribe(output.AfterKey(), depth - 1, indent + 2)))
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
        text.Append(close);
        return true;
    }
}
