using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Sends and reads bodies in CBOR, SenML (RFC 8428) and concise problem details (RFC 9290).</summary>
public static class CoapContentExtensions
{
    extension(CoapContent)
    {
        /// <summary>Encodes a value as CBOR (RFC 8949) with source-generated metadata, for trimming and AOT.</summary>
        /// <remarks>
        /// The encoding has what System.Text.Json would write, with the names of the properties, in the preferred serialization.
        /// <c>byte[]</c> becomes base64 text, as in JSON. A <c>decimal</c> with a fraction becomes the nearest double.
        /// </remarks>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
        /// <returns>The content with Content-Format <c>application/cbor</c>.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        public static CoapContent Cbor<T>(T value, JsonTypeInfo<T> typeInfo) =>
            new(JsonToCbor.Convert(JsonSerializer.SerializeToElement(value, typeInfo)), CoapContentFormat.Cbor);

        /// <summary>Encodes a value as CBOR (RFC 8949) with reflection; otherwise like the overload with metadata.</summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
        /// <returns>The content with Content-Format <c>application/cbor</c>.</returns>
        /// <exception cref="JsonException">The value is nested more than 64 deep, or has a number beyond the range of a double.</exception>
        [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
        [RequiresDynamicCode(JsonMetadata.Untrimmed)]
        public static CoapContent Cbor<T>(T value, JsonSerializerOptions? options = null) =>
            CoapContent.Cbor(value, JsonMetadata.Of<T>(options));

        /// <summary>Encodes measurements or settings in SenML (RFC 8428).</summary>
        /// <param name="pack">The pack.</param>
        /// <param name="format">
        /// <see cref="CoapContentFormat.SenmlJson"/> or <see cref="CoapContentFormat.SenmlCbor"/>. Default: CBOR, which is about a third
        /// smaller.
        /// </param>
        /// <returns>The content.</returns>
        /// <exception cref="ArgumentException">The format is not one of these.</exception>
        public static CoapContent Senml(CoapSenmlPack pack, CoapContentFormat? format = null)
        {
            ArgumentNullException.ThrowIfNull(pack);
            CoapContentFormat chosen = format ?? CoapContentFormat.SenmlCbor;
            return new CoapContent(pack.ToBytes(chosen), chosen);
        }
    }

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
    public static T? ReadCbor<T>(this CoapRequestContext request, JsonTypeInfo<T> typeInfo)
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
    public static T? ReadCbor<T>(this CoapRequestContext request, JsonSerializerOptions? options = null) =>
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

    /// <summary>GET: requests CBOR (Accept) and reads it.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="client">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The value; null for a CBOR null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error response.</exception>
    /// <exception cref="CoapContentException">
    /// The response has another Content-Format, or its payload is malformed or of another type.
    /// </exception>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    public static async Task<T?> GetFromCborAsync<T>(
        this ICoapClient client, CoapUri uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(typeInfo);
        CoapRequest request = new(CoapMethod.Get, uri) { Accept = CoapContentFormat.Cbor };
        CoapResponse response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().ReadCbor(typeInfo);
    }

    /// <inheritdoc cref="GetFromCborAsync{T}(ICoapClient, CoapUri, JsonTypeInfo{T}, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapClient client, string uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(client, CoapUri.FromString(uri), typeInfo, cancellationToken);

    /// <summary>GET: requests CBOR (Accept) and reads it with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="client">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The value; null for a CBOR null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error response.</exception>
    /// <exception cref="CoapContentException">
    /// The response has another Content-Format, or its payload is malformed or of another type.
    /// </exception>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapClient client, CoapUri uri, JsonSerializerOptions? options = null, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(client, uri, JsonMetadata.Of<T>(options), cancellationToken);

    /// <inheritdoc cref="GetFromCborAsync{T}(ICoapClient, CoapUri, JsonSerializerOptions, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapClient client, string uri, JsonSerializerOptions? options = null, CancellationToken cancellationToken = default) =>
        GetFromCborAsync<T>(client, CoapUri.FromString(uri), options, cancellationToken);

    /// <summary>Reads the payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <param name="problem">The problem details.</param>
    /// <returns>True if the Content-Format matches and the payload is well-formed.</returns>
    public static bool TryReadProblem(this CoapResponse response, [NotNullWhen(true)] out CoapProblem? problem)
    {
        ArgumentNullException.ThrowIfNull(response);
        problem = null;
        return response.ContentFormat == CoapContentFormat.ConciseProblemDetails
            && CoapProblem.TryParse(response.Payload.Span, out problem, out _);
    }

    /// <summary>Reads the payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <returns>The problem details.</returns>
    /// <exception cref="CoapContentException">The Content-Format is different, or the payload is malformed.</exception>
    public static CoapProblem ReadProblem(this CoapResponse response)
    {
        ArgumentNullException.ThrowIfNull(response);
        if (response.ContentFormat != CoapContentFormat.ConciseProblemDetails)
        {
            throw CoapContentException.Unsupported("concise problem details", response);
        }

        return CoapProblem.TryParse(response.Payload.Span, out CoapProblem? problem, out string? error)
            ? problem
            : throw new CoapContentException(response, CoapCode.BadRequest, $"The payload is not valid concise problem details: {error}.");
    }

    /// <summary>Reads the payload as a SenML Pack in JSON or CBOR (RFC 8428).</summary>
    /// <param name="response">The response.</param>
    /// <param name="profile">The rules of the records. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not SenML, or the payload is not a pack. In the second case the inner exception has the position of the error.
    /// </exception>
    public static CoapSenmlPack ReadSenml(this CoapResponse response, CoapSenmlProfile profile = default)
    {
        ArgumentNullException.ThrowIfNull(response);
        return !IsSenml(response.ContentFormat)
            ? throw CoapContentException.Unsupported("SenML", response)
            : CoapSenmlPack.TryParse(
                response.Payload.Span, response.ContentFormat!.Value, out CoapSenmlPack? pack, out CoapContentSyntaxError error,
                    profile: profile)
            ? pack
            : throw new CoapContentException(response, CoapCode.BadRequest, MessageOf(error), CoapSenmlPack.NotSenml(error));
    }

    /// <summary>Reads the payload as a SenML Pack in JSON or CBOR (RFC 8428).</summary>
    /// <param name="request">The request.</param>
    /// <param name="profile">The rules of the records. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not SenML, or the payload is not a pack. In the second case the inner exception has the position of the error.
    /// </exception>
    public static CoapSenmlPack ReadSenml(this CoapRequestContext request, CoapSenmlProfile profile = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return !IsSenml(request.ContentFormat)
            ? throw CoapContentException.Unsupported("SenML", request)
            : CoapSenmlPack.TryParse(
                request.Payload.Span, request.ContentFormat!.Value, out CoapSenmlPack? pack, out CoapContentSyntaxError error,
                    profile: profile)
            ? pack
            : throw new CoapContentException(request, CoapCode.BadRequest, MessageOf(error), CoapSenmlPack.NotSenml(error));
    }

    private static bool IsSenml(CoapContentFormat? format) =>
        format == CoapContentFormat.SenmlJson || format == CoapContentFormat.SenmlCbor;

    private static string MessageOf(CoapContentSyntaxError error) =>
        $"The payload is not a SenML Pack: {error.Message} (offset {error.Offset}).";
}
