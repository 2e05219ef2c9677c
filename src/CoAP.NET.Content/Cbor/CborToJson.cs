using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Converts CBOR to JSON, item by item (RFC 8949 section 6.1), for readers of .NET types. It differs from the RFC in two places. Big
/// integers and decimal fractions become JSON numbers. Byte strings become base64 (RFC 4648 section 4), unless a tag (21, 23) requests
/// another text. System.Text.Json reads these into <c>decimal</c>, <c>BigInteger</c> and <c>byte[]</c>.
/// </summary>
internal static class CborToJson
{
    /// <summary>The maximum nesting depth of arrays, maps and tags, the same as the default of System.Text.Json.</summary>
    public const int MaxDepth = 64;

    private const ulong ExpectBase64Url = 21;
    private const ulong ExpectBase64 = 22;
    private const ulong ExpectBase16 = 23;

    // The text is parsed again at once and never shown, so it needs no HTML escapes. The calls below always nest correctly.
    private static readonly JsonWriterOptions s_options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true
    };

    private static readonly BigInteger s_smallest = -1 - (BigInteger)ulong.MaxValue;

    /// <summary>Converts one item, for readers of .NET types. Nothing may follow the item.</summary>
    /// <param name="cbor">The item.</param>
    /// <param name="json">Receives the JSON in UTF-8; invalid after a fault.</param>
    /// <param name="fault">The fault.</param>
    public static bool TryConvert(ReadOnlySpan<byte> cbor, IBufferWriter<byte> json, out ContentFault fault) =>
        TryConvert(cbor, json, new CborToJsonRules(MaxDepth, ExpectBase64), out fault);

    /// <summary>Converts one item for other readers of JSON, as RFC 8949 section 6.1 advises. Nothing may follow the item.</summary>
    /// <param name="cbor">The item.</param>
    /// <param name="json">Receives the JSON in UTF-8; invalid after a fault.</param>
    /// <param name="maxSize">
    /// The maximum number of bytes of JSON. The conversion may exceed it by one string or number before it stops.
    /// </param>
    /// <param name="fault">The fault.</param>
    /// <exception cref="CborTooLargeException">The JSON exceeds <paramref name="maxSize"/>.</exception>
    public static bool TryConvertForOthers(ReadOnlySpan<byte> cbor, IBufferWriter<byte> json, int maxSize, out ContentFault fault) =>
        TryConvert(cbor, json, new CborToJsonRules(MaxDepth, ExpectBase64Url) { IsForOthers = true, MaxSize = maxSize }, out fault);

    private static bool TryConvert(ReadOnlySpan<byte> cbor, IBufferWriter<byte> json, CborToJsonRules rules, out ContentFault fault)
    {
        CborReader reader = new(cbor);
        using Utf8JsonWriter writer = new(json, s_options);
        bool isRead = TryConvertItem(ref reader, writer, rules) && reader.TryEnd();
        fault = isRead ? default : reader.Fault;
        return isRead;
    }

    private static bool TryConvertItem(ref CborReader reader, Utf8JsonWriter writer, CborToJsonRules rules)
    {
        int start = reader.Position;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        if (writer.BytesCommitted + writer.BytesPending > rules.MaxSize)
        {
            throw new CborTooLargeException();
        }

        if (rules.Depth == 0 && major is CborMajor.Array or CborMajor.Map or CborMajor.Tag)
        {
            return reader.Fail(start, $"items are nested more than {MaxDepth} deep");
        }

        switch (major)
        {
            case CborMajor.UnsignedInteger:
                bool isRead = reader.TryReadUInt(out ulong positive);
                writer.WriteNumberValue(positive);
                return isRead;
            case CborMajor.NegativeInteger:
                return TryConvertInteger(ref reader, writer, rules);
            case CborMajor.ByteString:
                return TryConvertBytes(ref reader, writer, rules.Expected);
            case CborMajor.TextString:
                isRead = reader.TryReadText(out string text);
                writer.WriteStringValue(text);
                return isRead;
            case CborMajor.Array:
                return TryConvertArray(ref reader, writer, rules.Inside());
            case CborMajor.Map:
                return TryConvertMap(ref reader, writer, rules.Inside());
            case CborMajor.Tag:
                return TryConvertTagged(ref reader, writer, rules.Inside());
            default:
                return TryConvertSimple(ref reader, writer);
        }
    }

    private static bool TryConvertInteger(ref CborReader reader, Utf8JsonWriter writer, CborToJsonRules rules)
    {
        if (!reader.TryReadInteger(out BigInteger integer))
        {
            return false;
        }

        if (rules.IsForOthers && (integer > ulong.MaxValue || integer < s_smallest))
        {
            writer.WriteStringValue(BignumText(integer));
            return true;
        }

        writer.WriteRawValue(integer.ToString(CultureInfo.InvariantCulture), skipInputValidation: true);
        return true;
    }

    // A reader of JSON might round a number to the nearest double and silently lose digits.
    private static string BignumText(BigInteger integer)
    {
        byte[] bytes = (integer.Sign < 0 ? -1 - integer : integer).ToByteArray(isUnsigned: true, isBigEndian: true);
        return (integer.Sign < 0 ? "~" : string.Empty) + System.Buffers.Text.Base64Url.EncodeToString(bytes);
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

    private static bool TryConvertArray(ref CborReader reader, Utf8JsonWriter writer, CborToJsonRules rules)
    {
        if (!reader.TryReadArray(out int? count))
        {
            return false;
        }

        writer.WriteStartArray();
        for (int i = 0; count is null ? !reader.TryTakeBreak() : i < count; i++)
        {
            if (!TryConvertItem(ref reader, writer, rules))
            {
                return false;
            }
        }

        writer.WriteEndArray();
        return true;
    }

    private static bool TryConvertMap(ref CborReader reader, Utf8JsonWriter writer, CborToJsonRules rules)
    {
        if (!reader.TryReadMap(out int? count))
        {
            return false;
        }

        // Different readers could interpret a duplicate key differently (RFC 8949 section 5.6).
        HashSet<string>? seen = rules.IsForOthers ? new HashSet<string>(StringComparer.Ordinal) : null;
        writer.WriteStartObject();
        for (int i = 0; count is null ? !reader.TryTakeBreak() : i < count; i++)
        {
            if (!TryConvertKey(ref reader, writer, seen) || !TryConvertItem(ref reader, writer, rules))
            {
                return false;
            }
        }

        writer.WriteEndObject();
        return true;
    }

    // JSON has only names. Integers have one text each, other keys have none.
    private static bool TryConvertKey(ref CborReader reader, Utf8JsonWriter writer, HashSet<string>? seen)
    {
        int start = reader.Position;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        string name;
        if (major == CborMajor.TextString)
        {
            if (!reader.TryReadText(out name))
            {
                return false;
            }
        }
        else if (major is not (CborMajor.UnsignedInteger or CborMajor.NegativeInteger))
        {
            return reader.Fail(start, "the key of a map is neither a text nor an integer");
        }
        else if (!reader.TryReadInteger(out BigInteger number))
        {
            return false;
        }
        else
        {
            name = number.ToString(CultureInfo.InvariantCulture);
        }

        if (seen?.Add(name) is false)
        {
            return reader.Fail(start, "a map has a duplicate key");
        }

        writer.WritePropertyName(name);
        return true;
    }

    private static bool TryConvertTagged(ref CborReader reader, Utf8JsonWriter writer, CborToJsonRules rules)
    {
        int start = reader.Position;
        CborReader ahead = reader;
        if (ahead.TryReadTag(out ulong tag) && tag is CborNumbers.PositiveBignum or CborNumbers.NegativeBignum)
        {
            return TryConvertInteger(ref reader, writer, rules);
        }

        if (!reader.TryReadTag(out tag))
        {
            return false;
        }

        if (tag != CborNumbers.DecimalFraction)
        {
            // Tags other than these are left out, and their content stays (RFC 8949 section 6.1).
            return TryConvertItem(
                ref reader, writer, tag is ExpectBase64Url or ExpectBase64 or ExpectBase16 ? rules with { Expected = tag } : rules);
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
            // Null, undefined and everything else without an equivalent in JSON.
            writer.WriteNullValue();
        }

        return true;
    }
}
