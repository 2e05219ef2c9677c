using System.Reflection;
using System.Text.Json;
using CoAP.NET.Options;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Writes the information that the page needs at its start: names, numbers, and permissions.</summary>
internal static class AboutJson
{
    private static readonly string[] s_schemes = ["coap", "coaps", "coap+tcp", "coaps+tcp", "coap+ws", "coaps+ws"];

    /// <summary>Writes the JSON.</summary>
    public static byte[] Write(CoapExplorerOptions options, ExplorerTargets targets)
    {
        using MemoryStream bytes = new();
        using (Utf8JsonWriter json = new(bytes))
        {
            json.WriteStartObject();
            json.WriteString("version", typeof(CoapClient).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
                ?.InformationalVersion.Split('+')[0]);
            json.WriteString("target", targets.First);
            WriteTargets(json, targets.Offered);
            json.WriteBoolean("canDiscover", options.AllowDiscovery);
            json.WriteBoolean("allowsSecrets", options.AllowSecretsOfUsers);
            json.WriteNumber("maxBody", options.MaxBodySize);
            json.WriteStartArray("profiles");
            foreach (CoapExplorerProfile profile in options.Profiles)
            {
                json.WriteStartObject();
                json.WriteString("name", profile.Name);
                json.WriteString("host", profile.Host);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            WriteTexts(json, "schemes", s_schemes);
            WriteTexts(json, "methods", RequestReader.Methods);
            WriteOptions(json);
            WriteFormats(json);
            json.WriteEndObject();
        }

        return bytes.ToArray();
    }

    private static void WriteTargets(Utf8JsonWriter json, IReadOnlyList<string>? targets)
    {
        if (targets is null)
        {
            json.WriteNull("targets");
        }
        else
        {
            WriteTexts(json, "targets", targets);
        }
    }

    private static void WriteTexts(Utf8JsonWriter json, string name, IEnumerable<string> texts)
    {
        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }

    private static void WriteOptions(Utf8JsonWriter json)
    {
        json.WriteStartArray("options");
        foreach (OptionDefinition definition in CoapOptionRegistry.Default.Factories.Select(static factory => factory.Definition)
            .Where(static definition => definition.SignallingCode is null).OrderBy(static definition => definition.Number))
        {
            json.WriteStartObject();
            json.WriteNumber("number", definition.Number);
            json.WriteString("name", definition.Name);
            json.WriteString("format", definition.Format switch
            {
                OptionFormat.Empty => "empty",
                OptionFormat.UInt => "uint",
                OptionFormat.String => "string",
                _ => "opaque",
            });
            json.WriteNumber("min", definition.MinLength);
            json.WriteNumber("max", definition.MaxLength);
            json.WriteBoolean("repeatable", definition.IsRepeatable);
            json.WriteBoolean("critical", definition.IsCritical);
            json.WriteBoolean("unsafe", definition.IsUnsafe);
            json.WriteBoolean("noCacheKey", definition.IsNoCacheKey);
            json.WriteBoolean("request", definition.Use.HasFlag(OptionUse.Request));
            json.WriteBoolean("response", definition.Use.HasFlag(OptionUse.Response));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteFormats(Utf8JsonWriter json)
    {
        json.WriteStartArray("formats");
        foreach (CoapContentFormat format in CoapContentFormat.Registered)
        {
            json.WriteStartObject();
            json.WriteNumber("number", format.Value);
            json.WriteString("name", format.ContentCoding is { } coding ? $"{format.MediaType}; {coding}" : format.MediaType);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
