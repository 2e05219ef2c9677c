using System.Text.Json.Serialization;

namespace CoAP.NET.Explorer.Pages;

/// <summary>The JSON of the pages.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(PageProblem))]
[JsonSerializable(typeof(DroppedEvents))]
internal sealed partial class PageJson : JsonSerializerContext;
