using System.Text.Json.Nodes;
using CoAP.NET.Cli.Output;

namespace CoAP.NET.Cli.Discovering;

/// <summary>
/// Discovered links as JSON, an object per server and line. Scripts depend on the names: they stay, and new ones may come.
/// </summary>
internal static class LinkJson
{
    public static void Write(IReadOnlyList<CoapLink> links, string baseUri, string peer, CliOutput output) => output.WriteJson(new()
    {
        ["uri"] = baseUri,
        ["peer"] = peer,
        ["links"] = links.ToJson(link => Of(link, baseUri)),
    });

    private static JsonObject Of(CoapLink link, string baseUri)
    {
        JsonObject json = new()
        {
            ["target"] = link.Target,
            ["uri"] = link.ResolveTarget(baseUri),
            ["rt"] = link.ResourceTypes.ToJson(),
            ["if"] = link.Interfaces.ToJson(),
            ["ct"] = link.ContentFormats.ToJson(static format => format.Value),
            ["mediaTypes"] = link.ContentFormats.Select(static format => format.MediaType).OfType<string>().ToJson(),
        };
        json.AddKnown("sz", link.Size);
        json["obs"] = link.IsObservable;
        json.AddKnown("title", link.Title);
        json["attributes"] = new JsonObject(link.Attributes.DistinctBy(static one => one.Name, StringComparer.OrdinalIgnoreCase)
            .Select(static one => KeyValuePair.Create(one.Name, (JsonNode?)one.Value)));
        return json;
    }
}
