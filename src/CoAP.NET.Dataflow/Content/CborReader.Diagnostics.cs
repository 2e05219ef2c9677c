using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Encodings.Web;

namespace CoAP.NET.Content;

// One item with all that lies in it in diagnostic notation (RFC 8949 section 8).
internal ref partial struct CborReader
{
    private const int MaxDiagnosticDepth = 64;

    /// <summary>The next item in diagnostic notation.</summary>
    /// <param name="text">The notation.</param>
    /// <param name="width">The characters that a line may have before arrays and maps are laid out over several lines; <see cref="int.MaxValue"/> for never.</param>
    public bool TryReadDiagnostic(out string text, int width = int.MaxValue) => TryDescribe(MaxDiagnosticDepth, 0, width, out text);

    private bool TryDescribe(int depth, int indent, int width, out string text)
    {
        int start = _position;
        text = string.Empty;
        if (depth == 0)
        {
            return Fail(start, $"items lie more than {MaxDiagnosticDepth} deep in each other");
        }

        if (!TryReadHead(out CborMajor major, out ulong argument, out bool isIndefinite))
        {
            return false;
        }

        switch (major)
        {
            case CborMajor.UnsignedInteger:
                text = argument.ToString(CultureInfo.InvariantCulture);
                return true;
            case CborMajor.NegativeInteger:
                text = (-1 - (BigInteger)argument).ToString(CultureInfo.InvariantCulture);
                return true;
            case CborMajor.ByteString or CborMajor.TextString:
                _position = start;
                return TryDescribeString(major, isIndefinite, out text);
            case CborMajor.Array:
                return TryDescribeItems('[', ']', 1, start, argument, isIndefinite, depth, indent, width, out text);
            case CborMajor.Map:
                return TryDescribeItems('{', '}', 2, start, argument, isIndefinite, depth, indent, width, out text);
            case CborMajor.Tag:
                return TryDescribeTag(start, argument, depth, indent, width, out text);
            default:
                text = (_position - start) switch
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
                };
                return true;
        }
    }

    private bool TryDescribeTag(int start, ulong tag, int depth, int indent, int width, out string text)
    {
        // Big integers are numbers to people; those beyond reason stay what they are.
        if (tag is PositiveBignum or NegativeBignum)
        {
            CborReader ahead = this;
            ahead._position = start;
            if (ahead.TryReadInteger(out BigInteger integer))
            {
                _position = ahead._position;
                text = integer.ToString(CultureInfo.InvariantCulture);
                return true;
            }
        }

        bool isRead = TryDescribe(depth - 1, indent, width, out string inner);
        text = string.Create(CultureInfo.InvariantCulture, $"{tag}({inner})");
        return isRead;
    }

    private bool TryDescribeString(CborMajor major, bool isIndefinite, out string text)
    {
        text = string.Empty;
        if (!isIndefinite)
        {
            return TryDescribeChunk(major, out text);
        }

        // Part by part, as where a string was divided is a part of what was sent.
        _position++;
        List<string> parts = [];
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
            if (!TryDescribeChunk(major, out string part))
            {
                return false;
            }

            parts.Add(part);
        }

        text = parts.Count > 0 ? $"(_ {string.Join(", ", parts)})" : major == CborMajor.ByteString ? "''_" : "\"\"_";
        return true;
    }

    private bool TryDescribeChunk(CborMajor major, out string text)
    {
        bool isRead = TryReadString(major, "a string", out byte[] bytes);
        text = major == CborMajor.ByteString
            ? $"h'{Convert.ToHexStringLower(bytes)}'"
            : $"\"{JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(Encoding.UTF8.GetString(bytes))}\"";
        return isRead;
    }

    private bool TryDescribeItems(
        char open, char close, int each, int start, ulong count, bool isIndefinite, int depth, int indent, int width, out string text)
    {
        text = string.Empty;
        if (!isIndefinite && count > (ulong)((_data.Length - _position) / each))
        {
            return Fail(start, "the length is beyond the end of the data");
        }

        List<string> items = [];
        int length = indent;
        for (ulong i = 0; isIndefinite ? !TryTakeBreak() : i < count; i++)
        {
            if (!TryDescribe(depth - 1, indent + 2, width, out string item))
            {
                return false;
            }

            if (each == 2)
            {
                if (!TryDescribe(depth - 1, indent + 2, width, out string value))
                {
                    return false;
                }

                item = $"{item}: {value}";
            }

            items.Add(item);
            length += item.Length + 2;
        }

        bool isFolded = items.Count > 0 && (length > width || items.Exists(item => item.Contains('\n', StringComparison.Ordinal)));
        string head = isIndefinite ? $"{open}_" : $"{open}";
        string line = '\n' + new string(' ', indent);
        text = isFolded ? $"{head}{line}  {string.Join($",{line}  ", items)}{line}{close}"
            : isIndefinite ? $"{head} {string.Join(", ", items)}{close}"
            : $"{head}{string.Join(", ", items)}{close}";
        return true;
    }
}
