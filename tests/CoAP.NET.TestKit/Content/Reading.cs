using System.Text.Json.Serialization;

namespace CoAP.NET.Tests.Content;

/// <summary>A representation for tests.</summary>
/// <param name="Room">Where.</param>
/// <param name="Degrees">How warm.</param>
public sealed record Reading(string Room, double Degrees);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Reading))]
internal sealed partial class ReadingContext : JsonSerializerContext;
