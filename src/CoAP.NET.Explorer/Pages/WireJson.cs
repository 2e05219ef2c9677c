using System.Text.Json;
using CoAP.NET.Explorer.Decoding;

namespace CoAP.NET.Explorer.Pages;

/// <summary>Writes a message on the wire as JSON: its content, its bytes, and the meaning of each of them.</summary>
internal static class WireJson
{
    // The beginning of a longer message is sufficient.
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

    /// <summary>Writes the bytes of a message, and the meaning of each of them.</summary>
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
