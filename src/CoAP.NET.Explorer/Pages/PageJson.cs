using System.Text.Json.Serialization;
using CoAP.NET.Explorer.Dashboard;
using CoAP.NET.Explorer.Exploring;

namespace CoAP.NET.Explorer.Pages;

/// <summary>The JSON serialization of calls and answers of the page.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(PageProblem))]
[JsonSerializable(typeof(EditorRequest))]
[JsonSerializable(typeof(UserCoapCredentials))]
[JsonSerializable(typeof(ResourcesRequest))]
[JsonSerializable(typeof(DiscoverServersRequest))]
[JsonSerializable(typeof(PayloadBytesRequest))]
[JsonSerializable(typeof(PeersRequest))]
[JsonSerializable(typeof(TraceRequest))]
[JsonSerializable(typeof(ConvertAnswer))]
[JsonSerializable(typeof(CodeSnippetsAnswer))]
internal sealed partial class PageJson : JsonSerializerContext;
