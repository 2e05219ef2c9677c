using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>Extension methods for requests with values in JSON.</summary>
/// <remarks>
/// They have the names of <c>System.Net.Http.Json</c>, and describe values in the same way: with source-generated metadata, for trimming
/// and AOT, or with <see cref="JsonSerializerOptions"/> and reflection. The default options are <see cref="JsonSerializerOptions.Web"/>:
/// camelCase, case-insensitive names.
/// </remarks>
public static class CoapJsonRequests
{
    /// <summary>GET: requests JSON (Accept) and deserializes it.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for JSON null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapContentException">The answer has another Content-Format, or is no JSON of the type.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public static async Task<T?> GetFromJsonAsync<T>(
        this ICoapRequester requester, string uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(typeInfo);
        CoapRequest request = new(CoapMethod.Get, uri) { Accept = CoapContentFormat.Json };
        CoapResponse response = await requester.SendAsync(request, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().ReadJson(typeInfo);
    }

    /// <summary>GET: requests JSON (Accept) and deserializes it with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for JSON null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapContentException">The answer has another Content-Format, or is no JSON of the type.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapRequester requester, string uri, JsonSerializerOptions? options, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync(requester, uri, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>GET: requests JSON (Accept) and deserializes it with reflection and <see cref="JsonSerializerOptions.Web"/>.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for JSON null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapContentException">The answer has another Content-Format, or is no JSON of the type.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromJsonAsync<T>(this ICoapRequester requester, string uri, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync(requester, uri, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>POST: sends a value to be processed (RFC 7252 section 5.8.2).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public static Task<CoapResponse> PostAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PostAsync(uri, CoapContent.Json(value, typeInfo), cancellationToken);
    }

    /// <summary>POST: sends a value to be processed, serialized with reflection (RFC 7252 section 5.8.2).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PostAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>
    /// POST: sends a value to be processed, serialized with reflection and <see cref="JsonSerializerOptions.Web"/> (RFC 7252 section
    /// 5.8.2).
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PostAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>PUT: creates or replaces the resource with a value (RFC 7252 section 5.8.3).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public static Task<CoapResponse> PutAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PutAsync(uri, CoapContent.Json(value, typeInfo), cancellationToken);
    }

    /// <summary>PUT: creates or replaces the resource with a value, serialized with reflection (RFC 7252 section 5.8.3).</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PutAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>
    /// PUT: creates or replaces the resource with a value, serialized with reflection and <see cref="JsonSerializerOptions.Web"/> (RFC 7252
    /// section 5.8.3).
    /// </summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PutAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>PATCH: changes the resource with a merge patch (RFC 8132 section 3, RFC 7396).</summary>
    /// <remarks>The Content-Format is <c>application/merge-patch+json</c>; a property with the value null is removed.</remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public static Task<CoapResponse> PatchAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.PatchAsync(
            uri, new CoapContent(CoapContent.Json(value, typeInfo).Bytes, CoapContentFormat.MergePatch), cancellationToken);
    }

    /// <summary>PATCH: changes the resource with a merge patch, serialized with reflection (RFC 8132 section 3, RFC 7396).</summary>
    /// <remarks>The Content-Format is <c>application/merge-patch+json</c>; a property with the value null is removed.</remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PatchAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PatchAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>
    /// PATCH: changes the resource with a merge patch, serialized with reflection and <see cref="JsonSerializerOptions.Web"/> (RFC 8132
    /// section 3, RFC 7396).
    /// </summary>
    /// <remarks>The Content-Format is <c>application/merge-patch+json</c>; a property with the value null is removed.</remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PatchAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        PatchAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    /// <summary>iPATCH: changes the resource with a merge patch, idempotent (RFC 8132 section 3, RFC 7396).</summary>
    /// <remarks>The Content-Format is <c>application/merge-patch+json</c>; a property with the value null is removed.</remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public static Task<CoapResponse> IPatchAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        return requester.IPatchAsync(
            uri, new CoapContent(CoapContent.Json(value, typeInfo).Bytes, CoapContentFormat.MergePatch), cancellationToken);
    }

    /// <summary>
    /// iPATCH: changes the resource with a merge patch, idempotent, serialized with reflection (RFC 8132 section 3, RFC 7396).
    /// </summary>
    /// <remarks>The Content-Format is <c>application/merge-patch+json</c>; a property with the value null is removed.</remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="options">How values are written; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> IPatchAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        IPatchAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(options), cancellationToken);

    /// <summary>
    /// iPATCH: changes the resource with a merge patch, idempotent, serialized with reflection and <see cref="JsonSerializerOptions.Web"/>
    /// (RFC 8132 section 3, RFC 7396).
    /// </summary>
    /// <remarks>The Content-Format is <c>application/merge-patch+json</c>; a property with the value null is removed.</remarks>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> IPatchAsJsonAsync<T>(
        this ICoapRequester requester, string uri, T value, CancellationToken cancellationToken) =>
        IPatchAsJsonAsync(requester, uri, value, JsonMetadata.Of<T>(null), cancellationToken);

    // Overloads for System.Uri: they use its original text.

    /// <inheritdoc cref="GetFromJsonAsync{T}(ICoapRequester, string, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapRequester requester, Uri uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync(requester, CoapRequests.TextOf(uri), typeInfo, cancellationToken);

    /// <inheritdoc cref="GetFromJsonAsync{T}(ICoapRequester, string, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapRequester requester, Uri uri, JsonSerializerOptions? options, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync<T>(requester, CoapRequests.TextOf(uri), options, cancellationToken);

    /// <inheritdoc cref="GetFromJsonAsync{T}(ICoapRequester, string, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapRequester requester, Uri uri, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync<T>(requester, CoapRequests.TextOf(uri), cancellationToken);

    /// <inheritdoc cref="PostAsJsonAsync{T}(ICoapRequester, string, T, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<CoapResponse> PostAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        PostAsJsonAsync(requester, CoapRequests.TextOf(uri), value, typeInfo, cancellationToken);

    /// <inheritdoc cref="PostAsJsonAsync{T}(ICoapRequester, string, T, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PostAsJsonAsync(requester, CoapRequests.TextOf(uri), value, options, cancellationToken);

    /// <inheritdoc cref="PostAsJsonAsync{T}(ICoapRequester, string, T, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PostAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, CancellationToken cancellationToken) =>
        PostAsJsonAsync(requester, CoapRequests.TextOf(uri), value, cancellationToken);

    /// <inheritdoc cref="PutAsJsonAsync{T}(ICoapRequester, string, T, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<CoapResponse> PutAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        PutAsJsonAsync(requester, CoapRequests.TextOf(uri), value, typeInfo, cancellationToken);

    /// <inheritdoc cref="PutAsJsonAsync{T}(ICoapRequester, string, T, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PutAsJsonAsync(requester, CoapRequests.TextOf(uri), value, options, cancellationToken);

    /// <inheritdoc cref="PutAsJsonAsync{T}(ICoapRequester, string, T, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PutAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, CancellationToken cancellationToken) =>
        PutAsJsonAsync(requester, CoapRequests.TextOf(uri), value, cancellationToken);

    /// <inheritdoc cref="PatchAsJsonAsync{T}(ICoapRequester, string, T, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<CoapResponse> PatchAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        PatchAsJsonAsync(requester, CoapRequests.TextOf(uri), value, typeInfo, cancellationToken);

    /// <inheritdoc cref="PatchAsJsonAsync{T}(ICoapRequester, string, T, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PatchAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        PatchAsJsonAsync(requester, CoapRequests.TextOf(uri), value, options, cancellationToken);

    /// <inheritdoc cref="PatchAsJsonAsync{T}(ICoapRequester, string, T, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> PatchAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, CancellationToken cancellationToken) =>
        PatchAsJsonAsync(requester, CoapRequests.TextOf(uri), value, cancellationToken);

    /// <inheritdoc cref="IPatchAsJsonAsync{T}(ICoapRequester, string, T, JsonTypeInfo{T}, CancellationToken)"/>
    public static Task<CoapResponse> IPatchAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        IPatchAsJsonAsync(requester, CoapRequests.TextOf(uri), value, typeInfo, cancellationToken);

    /// <inheritdoc cref="IPatchAsJsonAsync{T}(ICoapRequester, string, T, JsonSerializerOptions, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> IPatchAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, JsonSerializerOptions? options = null,
        CancellationToken cancellationToken = default) =>
        IPatchAsJsonAsync(requester, CoapRequests.TextOf(uri), value, options, cancellationToken);

    /// <inheritdoc cref="IPatchAsJsonAsync{T}(ICoapRequester, string, T, CancellationToken)"/>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<CoapResponse> IPatchAsJsonAsync<T>(
        this ICoapRequester requester, Uri uri, T value, CancellationToken cancellationToken) =>
        IPatchAsJsonAsync(requester, CoapRequests.TextOf(uri), value, cancellationToken);
}
