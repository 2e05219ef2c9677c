using System.Text.Json.Serialization;

namespace Gateway;

/// <summary>What the boiler tells.</summary>
internal sealed record Reading(double Temperature);

/// <summary>What the boiler is told.</summary>
internal sealed record Command(double Target);

/// <summary>How both are written, in CBOR and in JSON.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Reading))]
[JsonSerializable(typeof(Command))]
internal sealed partial class GatewayJson : JsonSerializerContext;
