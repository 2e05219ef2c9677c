using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Reads payloads in CBOR (RFC 8949) into values that System.Text.Json describes.</summary>
public static class CoapCborReading
{
    /// <summary>Reads the payload as a CBOR value with source-generated metadata, for trimming and AOT.</summary>
    /// <remarks>
    /// Keys of maps are texts, or integers, which become their digits. Byte strings become <c>byte[]</c>; big integers and decimal
    /// fractions become numbers.
    /// </remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response; error responses are read too.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the CBOR values null and undefined.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not CBOR, or the payload is malformed or of another type. Without a Content-Format the method tries CBOR.
    /// </exception>
    public static T? ReadCbor<T>(this CoapResponse response, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(typeInfo);
        return response.ContentFormat is { IsCbor: false }
            ? throw CoapContentException.Unsupported("CBOR", response)
            : TryRead(response.Payload, typeInfo, out T? value, out string? message, out JsonException? cause)
            ? value
            : throw new CoapContentException(response, CoapCode.BadRequest, message, cause);
    }

    /// <summary>Reads the payload as a CBOR value with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for a CBOR null.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not CBOR, or the payload is malformed or of another type. Without a Content-Format the method tries CBOR.
    /// </exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadCbor<T>(this CoapResponse response, JsonSerializerOptions? options = null) =>
        ReadCbor(response, JsonMetadata.Of<T>(options));

    /// <summary>
    /// Reads the payload as a CBOR value with source-generated metadata, for trimming and AOT; see
    /// <see cref="ReadCbor{T}(CoapResponse, JsonTypeInfo{T})"/>.
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the CBOR values null and undefined.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not CBOR, or the payload is malformed or of another type. Without a Content-Format the method tries CBOR.
    /// </exception>
    public static T? ReadCbor<T>(this CoapRequest request, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(typeInfo);
        return request.ContentFormat is { IsCbor: false }
            ? throw CoapContentException.Unsupported("CBOR", request)
            : TryRead(request.Payload, typeInfo, out T? value, out string? message, out JsonException? cause)
            ? value
            : throw new CoapContentException(request, CoapCode.BadRequest, message, cause);
    }

    /// <summary>Reads the payload as a CBOR value with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for a CBOR null.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not CBOR, or the payload is malformed or of another type. Without a Content-Format the method tries CBOR.
    /// </exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadCbor<T>(this CoapRequest request, JsonSerializerOptions? options = null) =>
        ReadCbor(request, JsonMetadata.Of<T>(options));

    private static bool TryRead<T>(ReadOnlyMemory<byte> payload, JsonTypeInfo<T> typeInfo, out T? value,
        [NotNullWhen(false)] out string? message, out JsonException? cause)
    {
        (value, message, cause) = (default, null, null);
        ArrayBufferWriter<byte> json = new();
        if (!CborToJson.TryConvert(payload, json, out ContentFault fault))
        {
            message = $"The payload is not readable CBOR: {fault.Message} (offset {fault.Offset}).";
            return false;
        }

        try
        {
            value = JsonSerializer.Deserialize(json.WrittenSpan, typeInfo);
            return true;
        }
        catch (JsonException exception)
        {
            (message, cause) = ("The payload does not match the requested type.", exception);
            return false;
        }
    }
}
