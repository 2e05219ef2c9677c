using System.Buffers;
using System.Formats.Cbor;
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
    public static bool TryConvert(ReadOnlyMemory<byte> cbor, IBufferWriter<byte> json, out ContentFault fault) =>
        TryConvert(cbor, json, new CborToJsonContext(MaxDepth, CborTag.Base64StringLaterEncoding), out fault);

    /// <summary>Converts one item for other readers of JSON, as RFC 8949 section 6.1 advises. Nothing may follow the item.</summary>
    /// <param name="cbor">The item.</param>
    /// <param name="json">Receives the JSON in UTF-8; invalid after a fault.</param>
    /// <param name="maxSize">
    /// The maximum number of bytes of JSON. The conversion may exceed it by one string or number before it stops.
    /// </param>
    /// <param name="fault">The fault.</param>
    /// <exception cref="CborTooLargeException">The JSON exceeds <paramref name="maxSize"/>.</exception>
    public static bool TryConvertForOthers(ReadOnlyMemory<byte> cbor, IBufferWriter<byte> json, int maxSize, out ContentFault fault) =>
        TryConvert(
            cbor, json, new CborToJsonContext(MaxDepth, CborTag.Base64UrlLaterEncoding) { IsForOthers = true, MaxSize = maxSize },
            out fault);

    private static bool TryConvert(ReadOnlyMemory<byte> cbor, IBufferWriter<byte> json, CborToJsonContext rules, out ContentFault fault)
    {
        using Utf8JsonWriter writer = new(json, s_options);
        return UntrustedCborReader.TryRead(
            cbor,
            reader =>
            {
                ConvertAll(reader, writer, rules);
                return true;
            },
            out _,
        out fault);
    }

    // A loop, and no recursion: an exception that passes many frames costs much time.
    private static void ConvertAll(CborReader reader, Utf8JsonWriter writer, CborToJsonContext rules)
    {
        Stack<CborToJsonContext> outer = new();
        do
        {
            CborReaderState state = reader.PeekState();
            if (state is CborReaderState.EndArray or CborReaderState.EndMap)
            {
                End(reader, writer, state);
                rules = outer.Pop();
                continue;
            }

            if (rules.IsMap)
            {
                ConvertKey(reader, writer, rules.Seen);
            }

            CborToJsonContext inner = TakeTags(reader, rules);
            state = reader.PeekState();
            if (writer.BytesCommitted + writer.BytesPending > rules.MaxSize)
            {
                throw new CborTooLargeException();
            }

            if (state is CborReaderState.StartArray or CborReaderState.StartMap)
            {
                outer.Push(rules);
                rules = Begin(reader, writer, inner.Inside(reader), state);
            }
            else
            {
                ConvertScalar(reader, writer, inner, state);
            }
        }
        while (outer.Count > 0);
    }

    private static CborToJsonContext Begin(CborReader reader, Utf8JsonWriter writer, CborToJsonContext rules, CborReaderState state)
    {
        if (state == CborReaderState.StartArray)
        {
            reader.ReadStartArray();
            writer.WriteStartArray();
            return rules with { IsMap = false };
        }

        reader.ReadStartMap();
        writer.WriteStartObject();

        // Different readers could interpret a duplicate key differently (RFC 8949 section 5.6).
        return rules with { IsMap = true, Seen = rules.IsForOthers ? new HashSet<string>(StringComparer.Ordinal) : null };
    }

    private static void End(CborReader reader, Utf8JsonWriter writer, CborReaderState state)
    {
        if (state == CborReaderState.EndArray)
        {
            reader.ReadEndArray();
            writer.WriteEndArray();
        }
        else
        {
            reader.ReadEndMap();
            writer.WriteEndObject();
        }
    }

    // Tags of numbers stay. Others are left out, and their content stays (RFC 8949 section 6.1).
    private static CborToJsonContext TakeTags(CborReader reader, CborToJsonContext rules)
    {
        while (reader.PeekState() == CborReaderState.Tag
            && reader.PeekTag() is not (CborTag.UnsignedBigNum or CborTag.NegativeBigNum or CborTag.DecimalFraction))
        {
            rules = rules.Inside(reader);
            CborTag tag = reader.ReadTag();
            rules = tag is CborTag.Base64UrlLaterEncoding or CborTag.Base64StringLaterEncoding or CborTag.Base16StringLaterEncoding
                ? rules with { Expected = tag }
                : rules;
        }

        return rules;
    }

    private static void ConvertScalar(CborReader reader, Utf8JsonWriter writer, CborToJsonContext rules, CborReaderState state)
    {
        switch (state)
        {
            case CborReaderState.UnsignedInteger:
                writer.WriteNumberValue(reader.ReadUInt64());
                break;
            case CborReaderState.Tag when reader.PeekTag() == CborTag.DecimalFraction:
                (BigInteger mantissa, long exponent) = reader.ReadDecimalFraction();
                writer.WriteRawValue(string.Create(CultureInfo.InvariantCulture, $"{mantissa}E{exponent}"), skipInputValidation: true);
                break;
            case CborReaderState.NegativeInteger or CborReaderState.Tag:
                ConvertInteger(reader.ReadInteger(), writer, rules);
                break;
            case CborReaderState.ByteString or CborReaderState.StartIndefiniteLengthByteString:
                ConvertBytes(reader.ReadByteString(), writer, rules.Expected);
                break;
            case CborReaderState.TextString or CborReaderState.StartIndefiniteLengthTextString:
                writer.WriteStringValue(reader.ReadUtf8().Span);
                break;
            case CborReaderState.HalfPrecisionFloat or CborReaderState.SinglePrecisionFloat or CborReaderState.DoublePrecisionFloat:
                ConvertFloat(reader.ReadDouble(), writer);
                break;
            case CborReaderState.Boolean:
                writer.WriteBooleanValue(reader.ReadBoolean());
                break;
            default:
                // Null, undefined and everything else without an equivalent in JSON.
                reader.ReadSimple();
                writer.WriteNullValue();
                break;
        }
    }

    private static void ConvertInteger(BigInteger integer, Utf8JsonWriter writer, CborToJsonContext rules)
    {
        if (rules.IsForOthers && (integer > ulong.MaxValue || integer < s_smallest))
        {
            writer.WriteStringValue(BignumText(integer));
            return;
        }

        writer.WriteRawValue(integer.ToString(CultureInfo.InvariantCulture), skipInputValidation: true);
    }

    // A reader of JSON might round a number to the nearest double and silently lose digits.
    private static string BignumText(BigInteger integer)
    {
        byte[] bytes = (integer.Sign < 0 ? -1 - integer : integer).ToByteArray(isUnsigned: true, isBigEndian: true);
        return (integer.Sign < 0 ? "~" : string.Empty) + System.Buffers.Text.Base64Url.EncodeToString(bytes);
    }

    private static void ConvertBytes(byte[] bytes, Utf8JsonWriter writer, CborTag expected)
    {
        switch (expected)
        {
            case CborTag.Base64UrlLaterEncoding:
                writer.WriteStringValue(System.Buffers.Text.Base64Url.EncodeToString(bytes));
                break;
            case CborTag.Base16StringLaterEncoding:
                writer.WriteStringValue(Convert.ToHexString(bytes));
                break;
            default:
                writer.WriteBase64StringValue(bytes);
                break;
        }
    }

    private static void ConvertFloat(double number, Utf8JsonWriter writer)
    {
        if (double.IsFinite(number))
        {
            writer.WriteNumberValue(number);
        }
        else
        {
            writer.WriteNullValue();
        }
    }

    private static void ConvertKey(CborReader reader, Utf8JsonWriter writer, HashSet<string>? seen)
    {
        int start = reader.BytesRemaining;
        string name = ReadName(reader);
        if (seen?.Add(name) is false)
        {
            throw new CborFaultException(start, "a map has a duplicate key");
        }

        writer.WritePropertyName(name);
    }

    // JSON has only names. Integers have one text each, other keys have none.
    private static string ReadName(CborReader reader) => reader.PeekState() switch
    {
        CborReaderState.TextString or CborReaderState.StartIndefiniteLengthTextString => reader.ReadText(),
        CborReaderState.UnsignedInteger or CborReaderState.NegativeInteger =>
            reader.ReadInteger().ToString(CultureInfo.InvariantCulture),
        _ => throw reader.Fault("the key of a map is neither a text nor an integer"),
    };
}

/// <summary>The conversion rules at one place of a CBOR document.</summary>
/// <param name="Depth">The remaining nesting depth of arrays, maps and tags.</param>
/// <param name="Expected">The tag that selects the text for byte strings (RFC 8949 section 3.4.5.2).</param>
internal readonly record struct CborToJsonContext(int Depth, CborTag Expected)
{
    /// <summary>
    /// Whether the JSON is for other readers: integers beyond 64 bits become texts (RFC 8949 section 6.1), and duplicate keys are refused.
    /// </summary>
    public bool IsForOthers { get; init; }

    /// <summary>The maximum number of bytes of JSON.</summary>
    public int MaxSize { get; init; } = int.MaxValue;

    /// <summary>Whether the items are keys and values by turns.</summary>
    public bool IsMap { get; init; }

    /// <summary>The names in a map so far; null if duplicates are allowed.</summary>
    public HashSet<string>? Seen { get; init; }

    /// <summary>Returns the rules inside the next item.</summary>
    public CborToJsonContext Inside(CborReader reader) => Depth > 0
        ? this with { Depth = Depth - 1 }
        : throw reader.Fault($"items are nested more than {CborToJson.MaxDepth} deep");
}
