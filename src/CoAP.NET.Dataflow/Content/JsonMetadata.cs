using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Content;

/// <summary>Provides System.Text.Json metadata of types.</summary>
internal static class JsonMetadata
{
    /// <summary>The reason why methods that use it are annotated, and the remedy.</summary>
    public const string Untrimmed = "Values are described by reflection. For trimming and AOT call the overload that takes a "
        + "JsonTypeInfo, of a JsonSerializerContext.";

    /// <summary>Returns the metadata of a type, by reflection where the options have none.</summary>
    /// <param name="options">The source of the metadata; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    [RequiresUnreferencedCode(Untrimmed)]
    [RequiresDynamicCode(Untrimmed)]
    public static JsonTypeInfo<T> Of<T>(JsonSerializerOptions? options)
    {
        options ??= JsonSerializerOptions.Web;
        options.MakeReadOnly(populateMissingResolver: true);
        return (JsonTypeInfo<T>)options.GetTypeInfo(typeof(T));
    }

    /// <summary>Finds the metadata of a type without reflection, unless the options allow it.</summary>
    public static bool TryFind<T>(JsonSerializerOptions options, [NotNullWhen(true)] out JsonTypeInfo<T>? info)
    {
        // Without any resolver there is no metadata, and the query throws.
        info = options.TypeInfoResolver is not null && options.TryGetTypeInfo(typeof(T), out JsonTypeInfo? found)
            ? (JsonTypeInfo<T>)found
            : null;
        return info is not null;
    }
}
