using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>
/// Requests with values in CBOR (RFC 8949), which is smaller than JSON and needs nothing else. The methods are called as those of
/// <c>System.Net.Http.Json</c> are, and describe values in the same way: by source-generated metadata, so that trimming and AOT work, or by
/// <see cref="JsonSerializerOptions"/> and reflection. Without options they are <see cref="JsonSerializerOptions.Web"/>: camelCase, names
/// read in any case.
/// </summary>
public static class CoapCborRequests
{
    /// <summary>GET: asks for CBOR (Accept) and reads it.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapContentException">The answer has another Content-Format, or is no CBOR of the type.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public static async Task<T?> GetFromCborAsync<T>(
        this ICoapRequester requester, string uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(typeInfo);
        CoapRequest request = new(CoapMethod.Get, uri) { Accept = CoapContentFormat.Cbor };
        CoapResponse response = await requester.SendAsync(request, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().ReadCbor(typeInfo);
    }

    /// <summary>GET: asks for CBOR (Accept) and reads it, by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapContentException">The answer has another Content-Format, or is no CBOR of the type.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(
        this ICoapRequester requester, string uri, JsonSerializerOptions? options, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(requester, uri, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>GET: asks for CBOR (Accept) and reads it, by reflection with <see cref="JsonSerializerOptions.Web"/>.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapContentException">The answer has another Content-Format, or is no CBOR of the type.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromCborAsync<T>(this ICoapRequester requester, string uri, CancellationToken cancellationToken = default) =>
        GetFromCborAsync(requester, uri, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>POST: has a value processed (RFC 7252 section 5.8.2).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PostAsync(uri, CoapContent.Cbor(value, typeInfo), cancellationToken);
    }

    /// <summary>POST: has a value processed (RFC 7252 section 5.8.2). The value is written by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PostAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>POST: has a value processed (RFC 7252 section 5.8.2). The value is written by reflection with
    /// <see cref="JsonSerializerOptions.Web"/>.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PostAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>PUT: creates or replaces the resource by a value (RFC 7252 section 5.8.3).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PutAsync(uri, CoapContent.Cbor(value, typeInfo), cancellationToken);
    }

    /// <summary>PUT: creates or replaces the resource by a value (RFC 7252 section 5.8.3). The value is written by reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PutAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>PUT: creates or replaces the resource by a value (RFC 7252 section 5.8.3). The value is written by reflection with
    /// <see cref="JsonSerializerOptions.Web"/>.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsCborAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PutAsCborAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    // The same for callers who have a System.Uri: its original text counts.

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
