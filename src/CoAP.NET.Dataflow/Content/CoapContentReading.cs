using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>Reads payloads of requests and responses as what their Content-Format says.</summary>
public static partial class CoapContentReading
{
    /// <summary>The payload as a value in JSON, by source-generated metadata, so that trimming and AOT work.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response; an error response is read as well.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the JSON value null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of JSON, or the payload is no JSON of the type. Without a Content-Format it is tried.</exception>
    public static T? ReadJson<T>(this CoapResponse response, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(response);
        return ReadJson(null, response.Payload, response.ContentFormat, typeInfo);
    }

    /// <summary>The payload as a value in JSON, by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of JSON, or the payload is no JSON of the type. Without a
    /// Content-Format it is tried.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadJson<T>(this CoapResponse response, JsonSerializerOptions? options = null) =>
        ReadJson(response, JsonMetadata.Of<T>(options));

    /// <summary>The payload as a value in JSON, by source-generated metadata, so that trimming and AOT work.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the JSON value null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of JSON, or the payload is no JSON of the type. Without a Content-Format it is tried.</exception>
    public static T? ReadJson<T>(this CoapRequest request, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(request);
        return ReadJson(request, request.Payload, request.ContentFormat, typeInfo);
    }

    /// <summary>The payload as a value in JSON, by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of JSON, or the payload is no JSON of the type. Without a
    /// Content-Format it is tried.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadJson<T>(this CoapRequest request, JsonSerializerOptions? options = null) =>
        ReadJson(request, JsonMetadata.Of<T>(options));

    /// <summary>The payload as a SenML Pack in JSON or CBOR (RFC 8428).</summary>
    /// <param name="response">The response.</param>
    /// <param name="profile">The rules that the records follow. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of SenML, or the payload is no pack; then the inner exception says where it is wrong.</exception>
    public static CoapSenmlPack ReadSenml(this CoapResponse response, CoapSenmlProfile profile = default)
    {
        ArgumentNullException.ThrowIfNull(response);
        return ReadSenml(null, response.Payload, response.ContentFormat, profile);
    }

    /// <summary>The payload as a SenML Pack in JSON or CBOR (RFC 8428).</summary>
    /// <param name="request">The request.</param>
    /// <param name="profile">The rules that the records follow. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of SenML, or the payload is no pack; then the inner exception says where it is wrong.</exception>
    public static CoapSenmlPack ReadSenml(this CoapRequest request, CoapSenmlProfile profile = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return ReadSenml(request, request.Payload, request.ContentFormat, profile);
    }

    private static T? ReadJson<T>(CoapRequest? request, ReadOnlyMemory<byte> payload, CoapContentFormat? format, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        if (format is { IsJson: false })
        {
            throw Unsupported(request, format, "JSON");
        }

        try
        {
            return JsonSerializer.Deserialize(payload.Span, typeInfo);
        }
        catch (JsonException exception)
        {
            throw new CoapContentException(request, CoapCode.BadRequest, $"The payload is no JSON of the right form{PlaceOf(exception)}.", exception);
        }
    }

    private static CoapSenmlPack ReadSenml(CoapRequest? request, ReadOnlyMemory<byte> payload, CoapContentFormat? format, CoapSenmlProfile profile)
    {
        if (format != CoapContentFormat.SenmlJson && format != CoapContentFormat.SenmlCbor)
        {
            throw Unsupported(request, format, "SenML");
        }

        return CoapSenmlPack.TryParse(payload.Span, format.Value, out CoapSenmlPack? pack, out CoapSenmlError error, profile: profile)
            ? pack
            : throw new CoapContentException(request, CoapCode.BadRequest, $"The payload is no SenML Pack: {error.Message} (offset {error.Offset}).", new CoapSenmlException(error));
    }

    /// <summary>Where a JSON text is wrong, as the end of a sentence; nothing of the text itself.</summary>
    private static string PlaceOf(JsonException exception) => exception is { LineNumber: { } line, BytePositionInLine: { } position }
        ? FormattableString.Invariant($" (line {line + 1}, byte {position + 1})")
        : string.Empty;

    private static CoapContentException Unsupported(CoapRequest? request, CoapContentFormat? format, string wanted) =>
        new(request, CoapCode.UnsupportedContentFormat, $"The payload is to be read as {wanted}, but its Content-Format is {format?.ToString() ?? "absent"}.");
}
