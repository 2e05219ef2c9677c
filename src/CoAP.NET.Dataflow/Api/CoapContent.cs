using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>A representation to send: bytes and their Content-Format (RFC 7252 section 5.5.1).</summary>
/// <remarks>The package CoAP.NET.Content adds <c>CoapContent.Cbor</c> and <c>CoapContent.Senml</c>.</remarks>
public sealed partial class CoapContent
{
    /// <summary>Creates a content from bytes.</summary>
    /// <param name="bytes">The bytes; not copied, so they must not change while they are sent.</param>
    /// <param name="format">The Content-Format; null to leave the option out.</param>
    public CoapContent(ReadOnlyMemory<byte> bytes, CoapContentFormat? format = null)
    {
        Bytes = bytes;
        Format = format;
    }

    /// <summary>The bytes; empty for a content of a stream or a file.</summary>
    public ReadOnlyMemory<byte> Bytes { get; }

    /// <summary>The Content-Format; null if the option is absent.</summary>
    public CoapContentFormat? Format { get; }

    /// <summary>Creates a content from text in UTF-8.</summary>
    /// <param name="text">The text.</param>
    /// <param name="format">The Content-Format; default <c>text/plain;charset=utf-8</c>.</param>
    /// <returns>The content.</returns>
    public static CoapContent Text(string text, CoapContentFormat? format = null) =>
        new(Encoding.UTF8.GetBytes(text), format ?? CoapContentFormat.TextPlain);

    /// <summary>Creates a content from bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    /// <param name="format">The Content-Format; default <c>application/octet-stream</c>.</param>
    /// <returns>The content.</returns>
    public static CoapContent Binary(ReadOnlyMemory<byte> bytes, CoapContentFormat? format = null) =>
        new(bytes, format ?? CoapContentFormat.OctetStream);

    /// <summary>Creates a content from a value as JSON, with source-generated metadata for trimming and AOT.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The content with Content-Format <c>application/json</c>.</returns>
    public static CoapContent Json<T>(T value, JsonTypeInfo<T> typeInfo) =>
        new(JsonSerializer.SerializeToUtf8Bytes(value, typeInfo), CoapContentFormat.Json);

    /// <summary>Creates a content from a value as JSON, with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The content with Content-Format <c>application/json</c>.</returns>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static CoapContent Json<T>(T value, JsonSerializerOptions? options = null) => Json(value, JsonMetadata.Of<T>(options));
}
