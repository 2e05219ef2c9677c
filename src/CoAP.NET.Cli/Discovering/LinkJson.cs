using System.Text.Json;
using CoAP.NET.Cli.Output;

namespace CoAP.NET.Cli.Discovering;

/// <summary>
/// Discovered links as JSON, an object per server and line. Scripts depend on the names: they stay, and new ones may come.
/// </summary>
internal static class LinkJson
{
    public static void Write(IReadOnlyList<CoapLink> links, string baseUri, string peer, CliOutput output)
    {
        output.WriteJson(json =>
        {
            json.WriteStartObject();
            json.WriteString("uri", baseUri);
            json.WriteString("peer", peer);
            json.WriteStartArray("links");
            foreach (CoapLink link in links)
            {
                Write(json, link, baseUri);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static void Write(Utf8JsonWriter json, CoapLink link, string baseUri)
    {
        json.WriteStartObject();
        json.WriteString("target", link.Target);
        json.WriteString("uri", link.ResolveTarget(baseUri));
        WriteList(json, "rt", link.ResourceTypes);
        WriteList(json, "if", link.Interfaces);
        json.WriteStartArray("ct");
        foreach (CoapContentFormat format in link.ContentFormats)
        {
            json.WriteNumberValue(format.Value);
        }

        json.WriteEndArray();
        WriteList(json, "mediaTypes", [.. link.ContentFormats.Select(format => format.MediaType).OfType<string>()]);
        if (link.Size is { } size)
        {
            json.WriteNumber("sz", size);
        }

        json.WriteBoolean("obs", link.IsObservable);
        if (link.Title is { } title)
        {
            json.WriteString("title", title);
        }

        json.WriteStartObject("attributes");
        foreach (IGrouping<string, CoapLinkAttribute> attribute in link.Attributes.GroupBy(attribute => attribute.Name,
            StringComparer.OrdinalIgnoreCase))
        {
            json.WriteString(attribute.Key, attribute.First().Value);
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void WriteList(Utf8JsonWriter json, string name, IReadOnlyList<string> values)
    {
        json.WriteStartArray(name);
        foreach (string value in values)
        {
            json.WriteStringValue(value);
        }

        json.WriteEndArray();
    }
}
