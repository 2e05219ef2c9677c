using System.Text.Json;
using System.Text.Json.Nodes;

namespace CoAP.NET;

/// <summary>Applies a JSON Merge Patch, Content-Format 52 (RFC 7396): what a PATCH or iPATCH with <see cref="CoapContentFormat.MergePatch"/> asks for (RFC 8132 section 3).</summary>
public static class CoapMergePatch
{
    private static readonly JsonDocumentOptions s_options = new() { AllowDuplicateProperties = false };

    /// <summary>Applies a patch. Nothing is changed in place, so that a resource is never seen half patched.</summary>
    /// <param name="target">The document in UTF-8; of no bytes when there is none yet.</param>
    /// <param name="patch">The patch in UTF-8.</param>
    /// <returns>The new document in UTF-8.</returns>
    /// <exception cref="JsonException">One of them is no JSON, has a member twice, or is nested more than 64 deep.</exception>
    public static byte[] Apply(ReadOnlySpan<byte> target, ReadOnlySpan<byte> patch)
    {
        JsonNode? result = Merge(target.IsEmpty ? null : JsonNode.Parse(target, documentOptions: s_options), JsonNode.Parse(patch, documentOptions: s_options));
        using MemoryStream bytes = new();
        using (Utf8JsonWriter writer = new(bytes))
        {
            if (result is null)
            {
                writer.WriteNullValue();
            }
            else
            {
                result.WriteTo(writer);
            }
        }

        return bytes.ToArray();
    }

    private static JsonNode? Merge(JsonNode? target, JsonNode? patch)
    {
        if (patch is not JsonObject changes)
        {
            return patch;
        }

        JsonObject result = target as JsonObject ?? [];
        foreach (string name in changes.Select(change => change.Key).ToArray())
        {
            // A node has one parent: each is taken out of where it was before it goes elsewhere.
            JsonNode? change = changes[name];
            changes.Remove(name);
            JsonNode? old = result[name];
            if (change is null)
            {
                result.Remove(name);
            }
            else if (old is JsonObject && change is JsonObject)
            {
                Merge(old, change);
            }
            else
            {
                result[name] = Merge(null, change);
            }
        }

        return result;
    }
}
