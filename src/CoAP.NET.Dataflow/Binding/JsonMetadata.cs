using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Binding;

/// <summary>Finds metadata of System.Text.Json for types.</summary>
internal static class JsonMetadata
{
    /// <summary>Finds metadata without reflection, unless the options allow it.</summary>
    public static bool TryFind<T>(CoapJsonOptions options, [NotNullWhen(true)] out JsonTypeInfo<T>? info)
    {
        JsonSerializerOptions json = options.SerializerOptions;

        // Without any resolver there is no metadata, and the query throws.
        info = json.TypeInfoResolver is not null && json.TryGetTypeInfo(typeof(T), out JsonTypeInfo? found) ? (JsonTypeInfo<T>)found : null;
        return info is not null;
    }
}
