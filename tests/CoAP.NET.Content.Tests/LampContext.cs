using System.Text.Json.Serialization;

namespace CoAP.NET.Content.Tests;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Lamp))]
internal sealed partial class LampContext : JsonSerializerContext;
