using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Content;

/// <summary>Provides System.Text.Json metadata of types by reflection.</summary>
internal static class JsonMetadata
{
    /// <summary>The reason why methods that use it are annotated, and the remedy.</summary>
    public const string Untrimmed = "Values are described by reflection. For trimming and AOT call the overload that takes a "
        + "JsonTypeInfo, of a JsonSerializerContext.";

    /// <summary>Returns the metadata of a type.</summary>
    /// <param name="options">The source of the metadata; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    [RequiresUnreferencedCode(Untrimmed)]
    [RequiresDynamicCode(Untrimmed)]
    public static JsonTypeInfo<T> Of<T>(JsonSerializerOptions? options)
    {
        options ??= JsonSerializerOptions.Web;
        options.MakeReadOnly(populateMissingResolver: true);
        return (JsonTypeInfo<T>)options.GetTypeInfo(typeof(T));
    }
}
