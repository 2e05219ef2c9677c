using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Reads payloads in CBOR (RFC 8949) as values that System.Text.Json describes.</summary>
public static class CoapCborReading
{
    /// <summary>
    /// The payload as a value in CBOR, by source-generated metadata, so that trimming and AOT work. Keys of maps are texts, or integers
    /// taken for their digits; byte strings become <c>byte[]</c>, big integers and decimal fractions the numbers they are.
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response; an error response is read as well.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the CBOR values null and undefined.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of CBOR, or the payload is no CBOR of the type. Without a
    /// Content-Format it is tried.</exception>
    public static T? ReadCbor<T>(this CoapResponse response, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(response);
        return Read(response.Payload, response.ContentFormat, typeInfo, null);
    }

    /// <summary>The payload as a value in CBOR, by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="response">The response.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of CBOR, or the payload is no CBOR of the type. Without a
    /// Content-Format it is tried.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadCbor<T>(this CoapResponse response, JsonSerializerOptions? options = null) =>
        ReadCbor(response, JsonMetadata.Of<T>(options));

    /// <summary>
    /// The payload as a value in CBOR, by source-generated metadata, so that trimming and AOT work; see
    /// <see cref="ReadCbor{T}(CoapResponse, JsonTypeInfo{T})"/>.
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <returns>The value; null for the CBOR values null and undefined.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of CBOR, or the payload is no CBOR of the type. Without a
    /// Content-Format it is tried.</exception>
    public static T? ReadCbor<T>(this CoapRequest request, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(request);
        return Read(request.Payload, request.ContentFormat, typeInfo, request);
    }

    /// <summary>The payload as a value in CBOR, by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapContentException">The Content-Format is none of CBOR, or the payload is no CBOR of the type. Without a
    /// Content-Format it is tried.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static T? ReadCbor<T>(this CoapRequest request, JsonSerializerOptions? options = null) =>
        ReadCbor(request, JsonMetadata.Of<T>(options));

    private static T? Read<T>(ReadOnlyMemory<byte> payload, CoapContentFormat? format, JsonTypeInfo<T> typeInfo, CoapRequest? request)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        if (format is { IsCbor: false })
        {
            throw CoapContentException.Unsupported("CBOR", format, request);
        }

        ArrayBufferWriter<byte> json = new();
        if (!CborToJson.TryConvert(payload.Span, json, out ContentFault fault))
        {
            string message = $"The payload is no CBOR that can be read: {fault.Message} (offset {fault.Offset}).";
            throw new CoapContentException(CoapCode.BadRequest, message, request);
        }

        try
        {
            return JsonSerializer.Deserialize(json.WrittenSpan, typeInfo);
        }
        catch (JsonException exception)
        {
            throw new CoapContentException(CoapCode.BadRequest, "The payload is no CBOR of the wanted type.", request, exception);
        }
    }
}
