using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>Sends requests with values in CBOR (RFC 8949), which is smaller than JSON and needs no further package.</summary>
/// <remarks>
/// The methods have the names of those in <c>System.Net.Http.Json</c> and describe values in the same way: with source-generated metadata,
/// for trimming and AOT, or with <see cref="JsonSerializerOptions"/> and reflection. The default options are
/// <see cref="JsonSerializerOptions.Web"/>: camelCase, case-insensitive names.
/// </remarks>
public static class CoapCborRequests
{
    /// <summary>GET: requests CBOR (Accept) and reads it.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
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
        this ICoapRequester requester, string uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(typeInfo);
        CoapRequest request = new(CoapMethod.Get, uri) { Accept = CoapContentFormat.Cbor };
        CoapResponse response = await requester.SendAsync(request, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().ReadCbor(typeInfo);
    }

    /// <summary>GET: requests CBOR (Accept) and reads it with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
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
        this ICoapRequester requester, string uri, JsonSerializerOptions? options, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(requester, uri, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>GET: requests CBOR (Accept) and reads it with reflection and <see cref="JsonSerializerOptions.Web"/>.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The value; null for a CBOR null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error response.</exception>
    /// <exception cref="CoapContentException">
    /// The response has another Content-Format, or its payload is malformed or of another type.
    /// </exception>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(this ICoapRequester requester, string uri, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(requester, uri, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>POST: sends a value for processing (RFC 7252 section 5.8.2).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The response; it can be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PostAsync(uri, CoapContent.Cbor(value, typeInfo), cancellationToken);
    }

    /// <summary>POST: sends a value for processing (RFC 7252 section 5.8.2), serialized with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The response; it can be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PostAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>
    /// POST: sends a value for processing (RFC 7252 section 5.8.2), serialized with reflection and <see cref="JsonSerializerOptions.Web"/>.
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The response; it can be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PostAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>PUT: creates or replaces the resource with a value (RFC 7252 section 5.8.3).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The response; it can be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PutAsync(uri, CoapContent.Cbor(value, typeInfo), cancellationToken);
    }

    /// <summary>PUT: creates or replaces the resource with a value (RFC 7252 section 5.8.3), serialized with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">The serializer options; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The response; it can be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PutAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>
    /// PUT: creates or replaces the resource with a value (RFC 7252 section 5.8.3), serialized with reflection and
    /// <see cref="JsonSerializerOptions.Web"/>.
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The response; it can be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type states the cause.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PutAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    // The same for callers with a System.Uri; its original text is sent.

    /// <inheritdoc cref="GetFromCborAsync{T}(ICoapRequester, string, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapRequester requester, Uri uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(requester, TextOf(uri), typeInfo, cancellationToken);

    /// <inheritdoc cref="GetFromCborAsync{T}(ICoapRequester, string, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapRequester requester, Uri uri, JsonSerializerOptions? options, CancellationToken cancellationToken = default) =>
        GetFromCborAsync<T>(requester, TextOf(uri), options, cancellationToken);

    /// <inheritdoc cref="GetFromCborAsync{T}(ICoapRequester, string, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapRequester requester, Uri uri, CancellationToken cancellationToken = default) =>
        GetFromCborAsync<T>(requester, TextOf(uri), cancellationToken);

    /// <inheritdoc cref="PostAsCborAsync{T}(ICoapRequester, string, T, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        PostAsCborAsync(requester, TextOf(uri), value, typeInfo, cancellationToken);

    /// <inheritdoc cref="PostAsCborAsync{T}(ICoapRequester, string, T, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PostAsCborAsync(requester, TextOf(uri), value, options, cancellationToken);

    /// <inheritdoc cref="PostAsCborAsync{T}(ICoapRequester, string, T, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, Uri uri, T value, CancellationToken cancellationToken) =>
        PostAsCborAsync(requester, TextOf(uri), value, cancellationToken);

    /// <inheritdoc cref="PutAsCborAsync{T}(ICoapRequester, string, T, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        PutAsCborAsync(requester, TextOf(uri), value, typeInfo, cancellationToken);

    /// <inheritdoc cref="PutAsCborAsync{T}(ICoapRequester, string, T, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PutAsCborAsync(requester, TextOf(uri), value, options, cancellationToken);

    /// <inheritdoc cref="PutAsCborAsync{T}(ICoapRequester, string, T, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, Uri uri, T value, CancellationToken cancellationToken) =>
        PutAsCborAsync(requester, TextOf(uri), value, cancellationToken);

    private static string TextOf(Uri uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        return uri.OriginalString;
    }
}
