using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Decoding;

namespace CoAP.NET.Explorer.Pages;

/// <summary>A message on the wire as JSON: its content, its bytes, and the meaning of each of them.</summary>
internal static class WireJson
{
    // The beginning of a longer message is sufficient.
    private const int MostBytes = 4096;

    public static void Add(JsonObject json, DecodedMessage message)
    {
        json["message"] = DecodedMessageJsonWriter.Add(new JsonObject { ["summary"] = message.Summary.Split("  (", 2)[0] }, message);
        AddBytes(json, message);
    }

    /// <summary>Adds the bytes of a message, and the meaning of each of them.</summary>
    public static void AddBytes(JsonObject json, DecodedMessage message)
    {
        json["hex"] = Convert.ToHexStringLower(message.Bytes.Span[..Math.Min(message.Bytes.Length, MostBytes)]);
        json["fields"] = message.Fields.ToJson(static field => new JsonObject
        {
            ["offset"] = field.Offset,
            ["length"] = field.Length,
            ["text"] = field.Text,
            ["level"] = field.Level,
        });
    }
}
