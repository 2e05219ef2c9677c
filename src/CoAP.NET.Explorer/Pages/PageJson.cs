using System.Text.Json.Serialization;
using CoAP.NET.Explorer.Exploring;

namespace CoAP.NET.Explorer.Pages;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(PageProblem))]
[JsonSerializable(typeof(EditorRequest))]
[JsonSerializable(typeof(UserCoapCredentials))]
[JsonSerializable(typeof(ResourcesRequest))]
[JsonSerializable(typeof(DiscoverRequest))]
[JsonSerializable(typeof(ConvertRequest))]
[JsonSerializable(typeof(ConvertAnswer))]
[JsonSerializable(typeof(CodeSnippetsAnswer))]
internal sealed partial class PageJson : JsonSerializerContext;
