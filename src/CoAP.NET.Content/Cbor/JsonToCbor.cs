using System.Formats.Cbor;
using System.Globalization;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Converts JSON to CBOR (RFC 8949 section 6.2) in the preferred serialization. Numbers without a fraction become integers, even big ones.
/// Others become the shortest floating-point number with the precision of a double.
/// </summary>
internal static class JsonToCbor
{
    // The reader of this library accepts big integers of 77 digits at most; longer ones become floating-point numbers, as the RFC allows.
    private const int MaxDigits = 77;

    /// <summary>Converts a value with its content.</summary>
    /// <exception cref="JsonException">
    /// The value is nested more than 64 deep, has a number beyond the range of a double, or half a surrogate pair.
    /// </exception>
    public static byte[] Convert(JsonElement element)
    {
        CborWriter writer = CborNumberWriter.Create();
        try
        {
            Convert(element, writer, CborToJson.MaxDepth);
        }
        catch (InvalidOperationException exception)
        {
            throw new JsonException("A string is not valid Unicode: it has half a surrogate pair.", exception);
        }

        return writer.Encode();
    }

    private static void Convert(JsonElement element, CborWriter writer, int depth)
    {
        if (depth == 0 && element.ValueKind is JsonValueKind.Object or JsonValueKind.Array)
        {
            throw new JsonException($"Values are nested more than {CborToJson.MaxDepth} deep.");
        }

        switch (element.ValueKind)
        {
            case JsonValueKind.Object:
                writer.WriteStartMap(element.GetPropertyCount());
                foreach (JsonProperty property in element.EnumerateObject())
                {
                    writer.WriteTextString(property.Name);
                    Convert(property.Value, writer, depth - 1);
                }

                writer.WriteEndMap();
                break;
            case JsonValueKind.Array:
                writer.WriteStartArray(element.GetArrayLength());
                foreach (JsonElement item in element.EnumerateArray())
                {
                    Convert(item, writer, depth - 1);
                }

                writer.WriteEndArray();
                break;
            case JsonValueKind.String:
                writer.WriteTextString(element.GetString()!);
                break;
            case JsonValueKind.Number:
                ConvertNumber(element, writer);
                break;
            case JsonValueKind.True or JsonValueKind.False:
                writer.WriteBoolean(element.ValueKind == JsonValueKind.True);
                break;
            default:
                writer.WriteNull();
                break;
        }
    }

    private static void ConvertNumber(JsonElement element, CborWriter writer)
    {
        ReadOnlySpan<byte> text = JsonMarshal.GetRawUtf8Value(element);
        if (text.IndexOfAny(".eE"u8) < 0 && !text.SequenceEqual("-0"u8))
        {
            if (element.TryGetInt64(out long integer))
            {
                writer.WriteInt64(integer);
                return;
            }

            if (text.Length <= MaxDigits)
            {
                writer.WriteInteger(BigInteger.Parse(element.GetRawText(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture));
                return;
            }
        }

        double number = element.GetDouble();
        if (!double.IsFinite(number))
        {
            throw new JsonException("A number is beyond the range of a double.");
        }

        writer.WriteNumber(number);
    }
}
