using System.Buffers;
using System.Text.Json;
using System.Text.Unicode;

namespace CoAP.NET;

/// <summary>Applies a JSON Merge Patch, Content-Format 52 (RFC 7396).</summary>
/// <remarks>A PATCH or iPATCH with <see cref="CoapContentFormat.MergePatch"/> requests it (RFC 8132 section 3).</remarks>
public static class CoapMergePatch
{
    private static readonly JsonDocumentOptions s_options = new() { AllowDuplicateProperties = false };

    /// <summary>Applies a patch and returns a new document.</summary>
    /// <remarks>Nothing is changed in place, so no client sees a partly patched resource.</remarks>
    /// <param name="target">The document in UTF-8; empty when it does not exist yet.</param>
    /// <param name="patch">The patch in UTF-8.</param>
    /// <returns>The new document in UTF-8.</returns>
    /// <exception cref="JsonException">
    /// One of them is not JSON, has a duplicate member, or is nested more than 64 deep; or a string is not valid Unicode.
    /// </exception>
    public static byte[] Apply(ReadOnlySpan<byte> target, ReadOnlySpan<byte> patch)
    {
        // Strings that are copied from one document into the other are not decoded on the way.
        if (!Utf8.IsValid(target) || !Utf8.IsValid(patch))
        {
            throw new JsonException("A document is not valid UTF-8.");
        }

        try
        {
            using JsonDocument changes = Parse(patch);
            using JsonDocument? before = target.IsEmpty ? null : Parse(target);
            ArrayBufferWriter<byte> bytes = new();
            using (Utf8JsonWriter writer = new(bytes))
            {
                Merge(before?.RootElement, changes.RootElement, writer);
            }

            return bytes.WrittenSpan.ToArray();
        }
        catch (Exception exception) when (exception is InvalidOperationException or ArgumentException)
        {
            // The reader decodes strings lazily.
            throw new JsonException("A string is not valid Unicode: it is not UTF-8, or has half a surrogate pair.", exception);
        }
    }

    private static JsonDocument Parse(ReadOnlySpan<byte> utf8) => JsonDocument.Parse(utf8.ToArray(), s_options);

    // Members are written one by one and looked up by name once: the cost grows with the sum of both sizes, not with the product.
    private static void Merge(JsonElement? target, JsonElement patch, Utf8JsonWriter writer)
    {
        if (patch.ValueKind != JsonValueKind.Object)
        {
            patch.WriteTo(writer);
            return;
        }

        // Keeps the order of the patch for new members.
        OrderedDictionary<string, JsonElement> changes = new(StringComparer.Ordinal);
        foreach (JsonProperty change in patch.EnumerateObject())
        {
            changes.Add(change.Name, change.Value);
        }

        HashSet<string> applied = new(StringComparer.Ordinal);
        writer.WriteStartObject();
        if (target is { ValueKind: JsonValueKind.Object } document)
        {
            foreach (JsonProperty member in document.EnumerateObject())
            {
                if (!changes.TryGetValue(member.Name, out JsonElement change))
                {
                    member.WriteTo(writer);
                    continue;
                }

                applied.Add(member.Name);
                WriteChange(member.Name, member.Value, change, writer);
            }
        }

        foreach ((string name, JsonElement change) in changes)
        {
            if (!applied.Contains(name))
            {
                WriteChange(name, null, change, writer);
            }
        }

        writer.WriteEndObject();
    }

    private static void WriteChange(string name, JsonElement? target, JsonElement change, Utf8JsonWriter writer)
    {
        if (change.ValueKind != JsonValueKind.Null)
        {
            writer.WritePropertyName(name);
            Merge(target, change, writer);
        }
    }
}
