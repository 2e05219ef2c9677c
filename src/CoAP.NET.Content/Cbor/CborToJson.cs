using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// CBOR as JSON, item by item (RFC 8949 section 6.1), for readers of .NET types. So it differs from the advice there in two places: big
/// integers and decimal fractions become JSON numbers, and byte strings the base64 of RFC 4648 section 4 unless a tag (21, 23) asks for
/// another text, because that is what System.Text.Json reads into <c>decimal</c>, <c>BigInteger</c> and <c>byte[]</c>.
/// </summary>
internal static class CborToJson
{
    /// <summary>How deep arrays, maps and tags may lie in each other, as in System.Text.Json by default.</summary>
    public const int MaxDepth = 64;

    private const ulong ExpectBase64Url = 21;
    private const ulong ExpectBase64 = 22;
    private const ulong ExpectBase16 = 23;

    // The text is read again at once and never shown, so nothing needs an escape for HTML; the calls below always nest rightly.
    private static readonly JsonWriterOptions s_options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true
    };

    /// <summary>Converts one item, after which nothing may follow.</summary>
    /// <param name="cbor">The item.</param>
    /// <param name="json">Takes the JSON in UTF-8; what it has after a fault means nothing.</param>
    /// <param name="fault">What is wrong.</param>
    public static bool TryConvert(ReadOnlySpan<byte> cbor, IBufferWriter<byte> json, out ContentFault fault)
    {
        CborReader reader = new(cbor);
        using Utf8JsonWriter writer = new(json, s_options);
        bool isRead = TryConvertItem(ref reader, writer, MaxDepth, ExpectBase64) && reader.TryEnd();
        fault = isRead ? default : reader.Fault;
        return isRead;
    }

    private static bool TryConvertItem(ref CborReader reader, Utf8JsonWriter writer, int depth, ulong expected)
    {
        int start = reader.Position;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        if (depth == 0 && major is CborMajor.Array or CborMajor.Map or CborMajor.Tag)
        {
            return reader.Fail(start, $"items lie more than {MaxDepth} deep in each other");
        }

        switch (major)
        {
            case CborMajor.UnsignedInteger:
                bool isRead = reader.TryReadUInt(out ulong positive);
                writer.WriteNumberValue(positive);
                return isRead;
            case CborMajor.NegativeInteger:
                return TryConvertInteger(ref reader, writer);
            case CborMajor.ByteString:
                return TryConvertBytes(ref reader, writer, expected);
            case CborMajor.TextString:
                isRead = reader.TryReadText(out string text);
                writer.WriteStringValue(text);
                return isRead;
            case CborMajor.Array:
                return TryConvertArray(ref reader, writer, depth - 1, expected);
            case CborMajor.Map:
                return TryConvertMap(ref reader, writer, depth - 1, expected);
            case CborMajor.Tag:
                return TryConvertTagged(ref reader, writer, depth - 1, expected);
            default:
                return TryConvertSimple(ref reader, writer);
        }
    }

    private static bool TryConvertInteger(ref CborReader reader, Utf8JsonWriter writer)
    {
        if (!reader.TryReadInteger(out BigInteger integer))
        {
            return false;
        }

        writer.WriteRawValue(integer.ToString(CultureInfo.InvariantCulture), skipInputValidation: true);
        return true;
    }

    private static bool TryConvertBytes(ref CborReader reader, Utf8JsonWriter writer, ulong expected)
    {
        if (!reader.TryReadBytes(out byte[] bytes))
        {
            return false;
        }

        switch (expected)
        {
            case ExpectBase64Url:
                writer.WriteStringValue(System.Buffers.Text.Base64Url.EncodeToString(bytes));
                break;
            case ExpectBase16:
                writer.WriteStringValue(Convert.ToHexString(bytes));
                break;
            default:
                writer.WriteBase64StringValue(bytes);
                break;
        }

        return true;
    }

    private static bool TryConvertArray(ref CborReader reader, Utf8JsonWriter writer, int depth, ulong expected)
    {
        if (!reader.TryReadArray(out int? count))
        {
            return false;
        }

        writer.WriteStartArray();
        for (int i = 0; count is null ? !reader.TryTakeBreak() : i < count; i++)
        {
            if (!TryConvertItem(ref reader, writer, depth, expected))
            {
                return false;
            }
        }

        writer.WriteEndArray();
        return true;
    }

    private static bool TryConvertMap(ref CborReader reader, Utf8JsonWriter writer, int depth, ulong expected)
    {
        if (!reader.TryReadMap(out int? count))
        {
            return false;
        }

        writer.WriteStartObject();
        for (int i = 0; count is null ? !reader.TryTakeBreak() : i < count; i++)
        {
            if (!TryConvertKey(ref reader, writer) || !TryConvertItem(ref reader, writer, depth, expected))
            {
                return false;
            }
        }

        writer.WriteEndObject();
        return true;
    }

    // JSON has names only; integers have one text each, other keys have none.
    private static bool TryConvertKey(ref CborReader reader, Utf8JsonWriter writer)
    {
        int start = reader.Position;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        if (major == CborMajor.TextString)
        {
            bool isRead = reader.TryReadText(out string name);
            writer.WritePropertyName(name);
            return isRead;
        }

        if (major is not (CborMajor.UnsignedInteger or CborMajor.NegativeInteger))
        {
            return reader.Fail(start, "the key of a map is neither a text nor an integer");
        }

        if (!reader.TryReadInteger(out BigInteger number))
        {
            return false;
        }

        writer.WritePropertyName(number.ToString(CultureInfo.InvariantCulture));
        return true;
    }

    private static bool TryConvertTagged(ref CborReader reader, Utf8JsonWriter writer, int depth, ulong expected)
    {
        int start = reader.Position;
        CborReader ahead = reader;
        if (ahead.TryReadTag(out ulong tag) && tag is CborNumbers.PositiveBignum or CborNumbers.NegativeBignum)
        {
            return TryConvertInteger(ref reader, writer);
        }

        if (!reader.TryReadTag(out tag))
        {
            return false;
        }

        if (tag != CborNumbers.DecimalFraction)
        {
            // Other tags than these are left out, and what they belong to stays (RFC 8949 section 6.1).
            return TryConvertItem(ref reader, writer, depth, tag is ExpectBase64Url or ExpectBase64 or ExpectBase16 ? tag : expected);
        }

        if (!reader.TryReadDecimalFraction(start, out BigInteger mantissa, out long exponent))
        {
            return false;
        }

        writer.WriteRawValue(string.Create(CultureInfo.InvariantCulture, $"{mantissa}E{exponent}"), skipInputValidation: true);
        return true;
    }

    private static bool TryConvertSimple(ref CborReader reader, Utf8JsonWriter writer)
    {
        if (!reader.TryReadSimple(out int value, out double? number))
        {
            return false;
        }

        if (number is { } real && double.IsFinite(real))
        {
            writer.WriteNumberValue(real);
        }
        else if (number is null && value is 20 or 21)
        {
            writer.WriteBooleanValue(value == 21);
        }
        else
        {
            // Null, undefined and everything that JSON has no word for.
            writer.WriteNullValue();
        }

        return true;
    }
}
