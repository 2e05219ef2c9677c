using System.Text.Json.Nodes;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>Makes JSON of lists and of values that may be absent.</summary>
internal static class JsonNodes
{
    public static JsonArray ToJson(this IEnumerable<string> texts) => texts.ToJson(static text => text);

    /// <summary>Returns an array with a value for each item.</summary>
    public static JsonArray ToJson<T>(this IEnumerable<T> items, Func<T, JsonNode?> node) => new([.. items.Select(node)]);

    /// <summary>Adds a property, unless its value is absent.</summary>
    public static void AddKnown(this JsonObject json, string name, JsonNode? value)
    {
        if (value is not null)
        {
            json[name] = value;
        }
    }
}
