using System.Text.Json;
using CoAP.NET.Decoding;

namespace CoAP.NET.Explorer.Pages;

/// <summary>A message on the wire as JSON: what it says, its bytes, and what each of them means.</summary>
internal static class WireJson
{
    // Of a longer one the beginning is enough for a person.
    private const int MostBytes = 4096;

    /// <summary>Writes the properties of a message.</summary>
    public static void Write(Utf8JsonWriter json, DecodedMessage message)
    {
        json.WriteStartObject("message");
        json.WriteString("summary", message.Summary.Split("  (", 2)[0]);
        MessageJson.Write(json, message);
        json.WriteEndObject();
        WriteBytes(json, message);
    }

    /// <summary>Writes the bytes of a message, and what each of them means.</summary>
    public static void WriteBytes(Utf8JsonWriter json, DecodedMessage message)
    {
        ReadOnlySpan<byte> bytes = message.Bytes.Span;
        json.WriteString("hex", Convert.ToHexStringLower(bytes[..Math.Min(bytes.Length, MostBytes)]));
        json.WriteStartArray("fields");
        foreach (DecodedField field in message.Fields)
        {
            json.WriteStartObject();
            json.WriteNumber("offset", field.Offset);
            json.WriteNumber("length", field.Length);
            json.WriteString("text", field.Text);
            json.WriteNumber("level", field.Level);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
