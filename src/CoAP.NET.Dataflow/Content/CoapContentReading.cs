using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>Extension methods that read payloads of requests and responses by their Content-Format.</summary>
/// <remarks>The package CoAP.NET.Content reads further formats: CBOR, SenML and problem details.</remarks>
public static class CoapContentReading
{
    /// <summary>Reads the payload as a value in JSON, with source-generated metadata for trimming and AOT.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response; error responses are read too.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the JSON value null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is not JSON, or the payload is not valid JSON of the type. A payload
    /// without a Content-Format is read as JSON.</exception>
    public static T? ReadJson<T>(this CoapResponse response, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(typeInfo);
        return response.ContentFormat is { IsJson: false }
            ? throw CoapContentException.Unsupported("JSON", response)
            : TryRead(response.Payload, typeInfo, out T? value, out string? message, out JsonException? cause)
            ? value
            : throw new CoapContentException(response, CoapCode.BadRequest, message, cause);
    }

    /// <summary>Reads the payload as a value in JSON, with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for the JSON value null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is not JSON, or the payload is not valid JSON of the type. A payload
    /// without a Content-Format is read as JSON.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadJson<T>(this CoapResponse response, JsonSerializerOptions? options = null) =>
        ReadJson(response, JsonMetadata.Of<T>(options));

    /// <summary>Reads the payload as a value in JSON, with source-generated metadata for trimming and AOT.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the JSON value null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is not JSON, or the payload is not valid JSON of the type. A payload
    /// without a Content-Format is read as JSON.</exception>
    public static T? ReadJson<T>(this CoapRequestContext request, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(typeInfo);
        return request.ContentFormat is { IsJson: false }
            ? throw CoapContentException.Unsupported("JSON", request)
            : TryRead(request.Payload, typeInfo, out T? value, out string? message, out JsonException? cause)
            ? value
            : throw new CoapContentException(request, CoapCode.BadRequest, message, cause);
    }

    /// <summary>Reads the payload as a value in JSON, with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for the JSON value null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is not JSON, or the payload is not valid JSON of the type. A payload
    /// without a Content-Format is read as JSON.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadJson<T>(this CoapRequestContext request, JsonSerializerOptions? options = null) =>
        ReadJson(request, JsonMetadata.Of<T>(options));

    private static bool TryRead<T>(ReadOnlyMemory<byte> payload, JsonTypeInfo<T> typeInfo, out T? value,
        [NotNullWhen(false)] out string? message, [NotNullWhen(false)] out JsonException? cause)
    {
        (value, message, cause) = (default, null, null);
        try
        {
            value = JsonSerializer.Deserialize(payload.Span, typeInfo);
            return true;
        }
        catch (JsonException exception)
        {
            (message, cause) = ($"The payload is not JSON of the expected form{PlaceOf(exception)}.", exception);
            return false;
        }
    }

    /// <summary>Returns the position of the error in a JSON text, as the end of a sentence, without any of the text itself.</summary>
    private static string PlaceOf(JsonException exception) => exception is { LineNumber: { } line, BytePositionInLine: { } position }
        ? FormattableString.Invariant($" (line {line + 1}, byte {position + 1})")
        : string.Empty;
}
