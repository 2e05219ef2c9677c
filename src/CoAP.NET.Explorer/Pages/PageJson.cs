using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using CoAP.NET.Explorer.Exploring;

namespace CoAP.NET.Explorer.Pages;

/// <summary>The JSON of the pages.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(PageProblem))]
[JsonSerializable(typeof(PageRequest))]
[JsonSerializable(typeof(PageSecurity))]
[JsonSerializable(typeof(ResourcesRequest))]
[JsonSerializable(typeof(DiscoverRequest))]
[JsonSerializable(typeof(ConvertRequest))]
[JsonSerializable(typeof(ConvertAnswer))]
[JsonSerializable(typeof(CodeAnswer))]
[JsonSerializable(typeof(byte[]))]
internal sealed partial class PageJson : JsonSerializerContext
{
    /// <summary>Returns bytes as Base64 without escape sequences.</summary>
    public static JsonNode Base64(byte[] bytes) => JsonValue.Create(bytes, Default.ByteArray)!;
}
