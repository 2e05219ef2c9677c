using System.Text.Json.Serialization;

namespace CoAP.NET.Content.Tests;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Lamp))]
internal sealed partial class LampContext : JsonSerializerContext;

/// <summary>A representation for tests.</summary>
/// <param name="On">Whether it is on.</param>
public sealed record Lamp([property: JsonRequired] bool On);
