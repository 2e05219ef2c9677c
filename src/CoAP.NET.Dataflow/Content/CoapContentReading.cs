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
        return ReadJson(null, response.Payload, response.ContentFormat, typeInfo);
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
    public static T? ReadJson<T>(this CoapRequest request, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(request);
        return ReadJson(request, request.Payload, request.ContentFormat, typeInfo);
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
    public static T? ReadJson<T>(this CoapRequest request, JsonSerializerOptions? options = null) =>
        ReadJson(request, JsonMetadata.Of<T>(options));

    private static T? ReadJson<T>(CoapRequest? request, ReadOnlyMemory<byte> payload, CoapContentFormat? format, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        if (format is { IsJson: false })
        {
            throw CoapContentException.Unsupported("JSON", format, request);
        }

        try
        {
            return JsonSerializer.Deserialize(payload.Span, typeInfo);
        }
        catch (JsonException exception)
        {
            throw new CoapContentException(CoapCode.BadRequest, $"The payload is no JSON of the right form{PlaceOf(exception)}.", request,
                exception);
        }
    }

    /// <summary>Returns the position of the error in a JSON text, as the end of a sentence, without any of the text itself.</summary>
    private static string PlaceOf(JsonException exception) => exception is { LineNumber: { } line, BytePositionInLine: { } position }
        ? FormattableString.Invariant($" (line {line + 1}, byte {position + 1})")
        : string.Empty;
}
