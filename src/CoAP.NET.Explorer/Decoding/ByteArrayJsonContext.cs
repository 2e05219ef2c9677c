using System.Text.Json.Nodes;
using System.Text.Json.Serialization;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>Bytes in JSON: Base64 without escape sequences.</summary>
[JsonSerializable(typeof(byte[]))]
internal sealed partial class ByteArrayJsonContext : JsonSerializerContext
{
    /// <summary>Returns bytes as JSON.</summary>
    public static JsonNode Of(byte[] bytes) => JsonValue.Create(bytes, Default.ByteArray)!;
}
