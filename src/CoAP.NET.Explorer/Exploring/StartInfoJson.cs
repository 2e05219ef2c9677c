using System.Reflection;
using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Decoding;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>The information that the page needs at its start: names, numbers, and permissions.</summary>
internal static class StartInfoJson
{
    private static readonly string[] s_schemes = ["coap", "coaps", "coap+tcp", "coaps+tcp", "coap+ws", "coaps+ws"];

    public static string Of(CoapExplorerOptions options, ExplorerTargets targets) => new JsonObject
    {
        ["version"] = typeof(CoapClient).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion.Split('+')[0],
        ["target"] = targets.First,
        ["targets"] = targets.Offered?.ToJson(),
        ["canDiscover"] = options.AllowDiscovery,
        ["allowsSecrets"] = options.AllowSecretsOfUsers,
        ["maxBody"] = options.MaxBodySize,
        ["profiles"] = options.Profiles.ToJson(
            static profile => new JsonObject { ["name"] = profile.Name, ["host"] = profile.Host }),
        ["schemes"] = s_schemes.ToJson(),
        ["methods"] = ExplorerRequestFactory.Methods.ToJson(),
        ["options"] = CoapOptionRegistry.Default.Factories.Select(static factory => factory.Definition)
            .Where(static definition => definition.SignallingCode is null).OrderBy(static definition => definition.Number).ToJson(Of),
        ["formats"] = CoapContentFormat.Registered.ToJson(static format => new JsonObject
        {
            ["number"] = format.Value,
            ["name"] = format.ContentCoding is { } coding ? $"{format.MediaType}; {coding}" : format.MediaType,
        }),
    }.ToJsonString();

    private static JsonObject Of(OptionDefinition definition) => new()
    {
        ["number"] = definition.Number,
        ["name"] = definition.Name,
        ["format"] = definition.Format switch
        {
            OptionFormat.Empty => "empty",
            OptionFormat.UInt => "uint",
            OptionFormat.String => "string",
            _ => "opaque",
        },
        ["min"] = definition.MinLength,
        ["max"] = definition.MaxLength,
        ["repeatable"] = definition.IsRepeatable,
        ["critical"] = definition.IsCritical,
        ["unsafe"] = definition.IsUnsafe,
        ["noCacheKey"] = definition.IsNoCacheKey,
        ["request"] = definition.Use.HasFlag(OptionApplicability.Request),
        ["response"] = definition.Use.HasFlag(OptionApplicability.Response),
    };
}
