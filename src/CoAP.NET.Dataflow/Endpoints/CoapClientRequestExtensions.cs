using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;
using CoAP.NET.Endpoints;
using CoAP.NET.Errors;
using CoAP.NET.Groups;
using CoAP.NET.RequestSteps;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>
/// Extension methods for each request method (RFC 7252 section 5.8, RFC 8132), for groups (section 8), proxies (section 5.7.2) and requests
/// without a response (RFC 7967).
/// </summary>
/// <remarks>
/// The URI is absolute, such as <c>coap://[::1]/temperature</c>, or relative for a <see cref="CoapPeer"/> and for a client with a base
/// address. A text that is not a URI throws a <see cref="CoapFormatException"/> before the call. All of them throw a <see
/// cref="CoapException"/> if no response arrived; they return error responses. What these methods have no parameter for is a property of a
/// <see cref="CoapRequest"/> for <see cref="ICoapClient.SendAsync"/>, such as <see cref="CoapRequest.Progress"/>, <see
/// cref="CoapRequest.Download"/>, <see cref="CoapRequest.Accept"/> and <see cref="CoapRequest.Timeout"/>.
/// </remarks>
public static class CoapClientRequestExtensions
{
    /// <summary>GET: retrieves a representation (RFC 7252 section 5.8.1).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> GetAsync(this ICoapClient client, CoapUri uri, CancellationToken cancellationToken = default) =>
        Send(client, CoapMethod.Get, uri, null, cancellationToken);

    /// <inheritdoc cref="GetAsync(ICoapClient, CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> GetAsync(this ICoapClient client, string uri, CancellationToken cancellationToken = default) =>
        GetAsync(client, CoapUri.FromString(uri), cancellationToken);

    /// <summary>GET to a stream, block by block, in constant memory.</summary>
    /// <remarks>See <see cref="CoapRequest.Destination"/>.</remarks>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="destination">The stream for the body.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, without payload if it is successful.</returns>
    public static Task<CoapResponse> GetAsync(
        this ICoapClient client, CoapUri uri, Stream destination, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(destination);
        return client.SendAsync(new CoapRequest(CoapMethod.Get, uri) { Destination = destination }, cancellationToken);
    }

    /// <inheritdoc cref="GetAsync(ICoapClient, CoapUri, Stream, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> GetAsync(
        this ICoapClient client, string uri, Stream destination, CancellationToken cancellationToken = default) =>
        GetAsync(client, CoapUri.FromString(uri), destination, cancellationToken);

    /// <summary>GET of a value in JSON: requests JSON (Accept) and reads it.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="typeInfo">The metadata, such as <c>MyContext.Default.MyType</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for a JSON null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error response.</exception>
    /// <exception cref="CoapContentException">The response has another Content-Format, or its payload is malformed or of another
    /// type.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public static async Task<T?> GetFromJsonAsync<T>(
        this ICoapClient client, CoapUri uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(typeInfo);
        CoapRequest request = new(CoapMethod.Get, uri) { Accept = CoapContentFormat.Json };
        CoapResponse response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().ReadJson(typeInfo);
    }

    /// <inheritdoc cref="GetFromJsonAsync{T}(ICoapClient, CoapUri, JsonTypeInfo{T}, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapClient client, string uri, JsonTypeInfo<T> typeInfo, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync(client, CoapUri.FromString(uri), typeInfo, cancellationToken);

    /// <summary>GET of a value in JSON: requests JSON (Accept) and reads it with reflection.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="options">How values are read; null for <see cref="JsonSerializerOptions.Web"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The value; null for a JSON null.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error response.</exception>
    /// <exception cref="CoapContentException">The response has another Content-Format, or its payload is malformed or of another
    /// type.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapClient client, CoapUri uri, JsonSerializerOptions? options = null, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync(client, uri, JsonMetadata.Of<T>(options), cancellationToken);

    /// <inheritdoc cref="GetFromJsonAsync{T}(ICoapClient, CoapUri, JsonSerializerOptions, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    [RequiresUnreferencedCode(JsonMetadata.Untrimmed)]
    [RequiresDynamicCode(JsonMetadata.Untrimmed)]
    public static Task<T?> GetFromJsonAsync<T>(
        this ICoapClient client, string uri, JsonSerializerOptions? options = null, CancellationToken cancellationToken = default) =>
        GetFromJsonAsync<T>(client, CoapUri.FromString(uri), options, cancellationToken);

    /// <summary>POST: sends a representation to be processed (RFC 7252 section 5.8.2).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send, such as <c>CoapContent.Json(value)</c>; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PostAsync(this ICoapClient client, CoapUri uri, CoapContent? content,
        CancellationToken cancellationToken = default) =>
            Send(client, CoapMethod.Post, uri, content, cancellationToken);

    /// <inheritdoc cref="PostAsync(ICoapClient, CoapUri, CoapContent, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> PostAsync(
        this ICoapClient client, string uri, CoapContent? content, CancellationToken cancellationToken = default) =>
        PostAsync(client, CoapUri.FromString(uri), content, cancellationToken);

    /// <summary>PUT: creates or replaces the resource (RFC 7252 section 5.8.3).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send, such as <c>CoapContent.Json(value)</c>; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PutAsync(this ICoapClient client, CoapUri uri, CoapContent? content,
        CancellationToken cancellationToken = default) =>
            Send(client, CoapMethod.Put, uri, content, cancellationToken);

    /// <inheritdoc cref="PutAsync(ICoapClient, CoapUri, CoapContent, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> PutAsync(
        this ICoapClient client, string uri, CoapContent? content, CancellationToken cancellationToken = default) =>
        PutAsync(client, CoapUri.FromString(uri), content, cancellationToken);

    /// <summary>DELETE: deletes the resource (RFC 7252 section 5.8.4).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> DeleteAsync(this ICoapClient client, CoapUri uri, CancellationToken cancellationToken = default) =>
        Send(client, CoapMethod.Delete, uri, null, cancellationToken);

    /// <inheritdoc cref="DeleteAsync(ICoapClient, CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> DeleteAsync(this ICoapClient client, string uri, CancellationToken cancellationToken = default) =>
        DeleteAsync(client, CoapUri.FromString(uri), cancellationToken);

    /// <summary>FETCH: retrieves what the content specifies (RFC 8132 section 2).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The query, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> FetchAsync(this ICoapClient client, CoapUri uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            Send(client, CoapMethod.Fetch, uri, content ?? throw new ArgumentNullException(nameof(content)), cancellationToken);

    /// <inheritdoc cref="FetchAsync(ICoapClient, CoapUri, CoapContent, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> FetchAsync(
        this ICoapClient client, string uri, CoapContent content, CancellationToken cancellationToken = default) =>
        FetchAsync(client, CoapUri.FromString(uri), content, cancellationToken);

    /// <summary>PATCH: changes a part of the resource, not idempotent (RFC 8132 section 3).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format, such as
    /// <c>CoapContent.Json(value, format: CoapContentFormat.MergePatch)</c> (RFC 7396).</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PatchAsync(this ICoapClient client, CoapUri uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            Send(client, CoapMethod.Patch, uri, content ?? throw new ArgumentNullException(nameof(content)), cancellationToken);

    /// <inheritdoc cref="PatchAsync(ICoapClient, CoapUri, CoapContent, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> PatchAsync(
        this ICoapClient client, string uri, CoapContent content, CancellationToken cancellationToken = default) =>
        PatchAsync(client, CoapUri.FromString(uri), content, cancellationToken);

    /// <summary>iPATCH: changes a part of the resource, idempotent (RFC 8132 section 3).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format, such as
    /// <c>CoapContent.Json(value, format: CoapContentFormat.MergePatch)</c> (RFC 7396).</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> IPatchAsync(this ICoapClient client, CoapUri uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            Send(client, CoapMethod.IPatch, uri, content ?? throw new ArgumentNullException(nameof(content)), cancellationToken);

    /// <inheritdoc cref="IPatchAsync(ICoapClient, CoapUri, CoapContent, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> IPatchAsync(
        this ICoapClient client, string uri, CoapContent content, CancellationToken cancellationToken = default) =>
        IPatchAsync(client, CoapUri.FromString(uri), content, cancellationToken);

    /// <summary>Observes a resource with GET (RFC 7641).</summary>
    /// <remarks>See <see cref="ICoapClient.ObserveAsync"/> for results and exceptions.</remarks>
    /// <param name="client">The client, endpoint or peer that observes.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it.</param>
    /// <returns>The observation.</returns>
    public static Task<CoapObservation> ObserveAsync(this ICoapClient client, CoapUri uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), null, cancellationToken);
    }

    /// <inheritdoc cref="ObserveAsync(ICoapClient, CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapObservation> ObserveAsync(this ICoapClient client, string uri, CancellationToken cancellationToken = default) =>
        ObserveAsync(client, CoapUri.FromString(uri), cancellationToken);

    /// <summary>Gets the links to the resources of a server from <c>/.well-known/core</c> (RFC 6690 section 4).</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">
    /// The server: scheme, host and port, such as <c>coap://[::1]</c>; an empty string for a peer and for a client with a base address. A
    /// query is a filter, as in <c>coap://[::1]?rt=block</c>. A path is ignored.
    /// </param>
    /// <param name="filter">A filter such as <c>rt=temperature*</c>, in addition to that of the URI; null for none (RFC 6690 section
    /// 4.1).</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The links.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapProtocolException">The response is not a link-format document.</exception>
    public static async Task<IReadOnlyList<CoapLink>> DiscoverAsync(this ICoapClient client, CoapUri uri, string? filter = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        CoapRequest request = new(CoapMethod.Get, CoreOf(uri)) { Accept = CoapContentFormat.LinkFormat };
        if (filter is not null)
        {
            request.Options.Add(new UriQueryOption(filter));
        }

        CoapResponse response = (await client.SendAsync(request, cancellationToken).ConfigureAwait(false)).EnsureSuccess();
        return CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error)
            ? links
            : throw new CoapProtocolException($"The list of resources of {response.Remote} is not a link-format document: {error}");
    }

    /// <inheritdoc cref="DiscoverAsync(ICoapClient, CoapUri, string, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<IReadOnlyList<CoapLink>> DiscoverAsync(
        this ICoapClient client, string uri, string? filter = null, CancellationToken cancellationToken = default) =>
        DiscoverAsync(client, CoapUri.FromString(uri), filter, cancellationToken);

    /// <summary>GET of a single block (RFC 7959 section 2.4).</summary>
    /// <remarks><c>response.Options.Block2</c> says whether more blocks follow; it may also have a smaller size than requested.</remarks>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="number">The number of the block, 0 to 1,048,575.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024. Default 1,024.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The unchanged response; most servers answer 4.00 or 4.02 if the representation ends before the block.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public static Task<CoapResponse> GetBlockAsync(this ICoapClient client, CoapUri uri, int number, int size = 1024,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        CoapRequest request = new(CoapMethod.Get, uri);
        request.Options.Block2 = BlockValue.FromSize(number, more: false, size);
        return client.SendAsync(request, cancellationToken);
    }

    /// <inheritdoc cref="GetBlockAsync(ICoapClient, CoapUri, int, int, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponse> GetBlockAsync(
        this ICoapClient client, string uri, int number, int size = 1024, CancellationToken cancellationToken = default) =>
        GetBlockAsync(client, CoapUri.FromString(uri), number, size, cancellationToken);

    /// <summary>GET as a stream that fetches blocks during reading, with a few prefetched.</summary>
    /// <remarks>For GETs with options see the overload.</remarks>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting for the first block; dispose the stream to stop later.</param>
    /// <returns>The stream, positioned at the first block. Dispose it to end the transfer.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapException">No response arrived.</exception>
    public static Task<CoapResponseBodyStream> OpenReadAsync(this ICoapClient client, CoapUri uri,
        CancellationToken cancellationToken = default) =>
            OpenReadAsync(client, new CoapRequest(CoapMethod.Get, uri), cancellationToken);

    /// <inheritdoc cref="OpenReadAsync(ICoapClient, CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapResponseBodyStream> OpenReadAsync(
        this ICoapClient client, string uri, CancellationToken cancellationToken = default) =>
        OpenReadAsync(client, CoapUri.FromString(uri), cancellationToken);

    /// <summary>
    /// Sends a request and returns its response body as a stream that fetches blocks during reading, with a few prefetched.
    /// </summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request; this method uses its <see cref="CoapRequest.Destination"/>.</param>
    /// <param name="cancellationToken">Stops waiting for the first block; dispose the stream to stop later.</param>
    /// <returns>The stream, positioned at the first block. Dispose it to end the transfer.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapException">No response arrived.</exception>
    public static Task<CoapResponseBodyStream> OpenReadAsync(this ICoapClient client, CoapRequest request,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(request);
        return CoapResponseBodyStream.OpenAsync(client, request, cancellationToken);
    }

    /// <summary>Sends a request and returns a small body in the response and a large one as a stream.</summary>
    /// <remarks>
    /// For proxies and similar programs that forward responses and must not hold bodies of any size. A small body uses the cache as usual;
    /// a large one is neither looked up there nor stored.
    /// </remarks>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request, without <see cref="CoapRequest.Destination"/>. Its <see cref="CoapRequest.Timeout"/> limits the
    /// whole response, and after a large one is opened, each block.</param>
    /// <param name="maxHeld">The size of the largest body that is held in memory, in bytes; 0 or more. A body in a single message is always
    /// held.</param>
    /// <param name="cancellationToken">Stops waiting for the response; dispose the stream to stop later.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxHeld"/> is negative.</exception>
    /// <exception cref="CoapException">No response arrived.</exception>
    internal static Task<CoapOpenedResponse> OpenResponseAsync(this ICoapClient client, CoapRequest request, int maxHeld,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentOutOfRangeException.ThrowIfNegative(maxHeld);
        return CoapResponseBodyStream.OpenAsync(client, request, maxHeld, cancellationToken);
    }

    /// <summary>Sends a request and declines every response; sets <see cref="CoapRequest.NoResponse"/>.</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the request was acknowledged (Confirmable) or sent (Non-confirmable). Its outcome remains
    /// unknown.</returns>
    /// <exception cref="CoapException">The request was not acknowledged or could not be sent; the derived type says why.</exception>
    public static async Task SendWithoutResponseAsync(this ICoapClient client, CoapRequest request,
        CancellationToken cancellationToken = default) =>
            await client.SendAsync(request, NoResponseClasses.All, cancellationToken).ConfigureAwait(false);

    /// <summary>Sends a request and declines some classes of responses; sets <see cref="CoapRequest.NoResponse"/>.</summary>
    /// <param name="client">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request. Its <see cref="CoapRequest.Timeout"/> limits the wait for a response of the other
    /// classes.</param>
    /// <param name="notWanted">The classes that the client declines.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response; if none arrived, one whose <see cref="CoapResponse.IsNone"/> is true, which means neither success nor
    /// failure.</returns>
    /// <exception cref="CoapException">The request was not acknowledged or could not be sent; the derived type says why.</exception>
    public static async Task<CoapResponse> SendAsync(this ICoapClient client, CoapRequest request, NoResponseClasses notWanted,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(request);
        request.NoResponse = notWanted;
        try
        {
            return await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapTimeoutException exception)
            when (exception.Reason == CoapTimeoutReason.NoResponse && notWanted != NoResponseClasses.None)
        {
            return CoapResponse.None(default);
        }
    }

    /// <summary>Copies a request so that it goes to a proxy and names its target there (RFC 7252 section 5.7.2).</summary>
    /// <remarks>
    /// To send all requests of a client through a proxy, set <see cref="CoapClient.Proxy"/>. The options Proxy-Uri, or Proxy-Scheme with
    /// those of the URI, name the target. Both mean the same; some proxies, such as that of aiocoap, support only the second form.
    /// </remarks>
    /// <param name="request">The request with the URI of its target: an absolute CoAP URI, or one of another scheme that the proxy knows,
    /// such as <c>http</c>.</param>
    /// <param name="proxy">The proxy: scheme, host and port, without path and query.</param>
    /// <param name="proxyScheme">Whether to name the target by Proxy-Scheme in any case; by default only where its URI has more than 1,034
    /// bytes (RFC 7252 section 5.10.2).</param>
    /// <returns>The copy. Changes of one do not affect the other.</returns>
    /// <exception cref="ArgumentException">
    /// The URI of the request is invalid, missing or has a fragment; the request already names a proxy; the proxy has a path or a query. Or
    /// the target has a secured scheme (<c>coaps</c>, <c>https</c>) and the proxy a plain one, and is not on this machine: the request
    /// would reach the proxy unprotected (RFC 7252 section 5.7). To do that on purpose, add <see cref="ProxyUriOption"/> to the options.
    /// </exception>
    /// <exception cref="InvalidOperationException">The request was received.</exception>
    public static CoapRequest WithProxy(this CoapRequest request, CoapUri proxy, bool proxyScheme = false)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(proxy);
        return ProxiedRequestFactory.WithProxy(request, proxy, proxyScheme);
    }

    /// <inheritdoc cref="WithProxy(CoapRequest, CoapUri, bool)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static CoapRequest WithProxy(this CoapRequest request, string proxy, bool proxyScheme = false) =>
        WithProxy(request, CoapUri.FromString(proxy), proxyScheme);

    /// <summary>Sends a GET request to all members of a group.</summary>
    /// <param name="client">A <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/> or a client of a host.</param>
    /// <param name="uri">The URI, with the address of a group, such as <c>coap://224.0.1.187/temperature</c>.</param>
    /// <param name="timeout">How long to accept answers; null: see <see cref="CoapEndpoint.SendToGroupAsync"/>.</param>
    /// <param name="options">Interface, reach and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The answers. Each enumeration sends the request again.</returns>
    /// <exception cref="ArgumentException">The URI has no group address, or the client is of another kind.</exception>
    /// <exception cref="CoapException">During the enumeration: the request cannot be sent, or the endpoint was stopped.</exception>
    public static IAsyncEnumerable<CoapGroupResponse> GetFromGroupAsync(
        this ICoapClient client, CoapUri uri, TimeSpan? timeout = null, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        return IEndpointClient.Of(client).SendToGroupAsync(
            new CoapRequest(CoapMethod.Get, uri) { Confirmable = false, Timeout = timeout }, options, cancellationToken);
    }

    /// <inheritdoc cref="GetFromGroupAsync(ICoapClient, CoapUri, TimeSpan?, CoapGroupRequestOptions, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static IAsyncEnumerable<CoapGroupResponse> GetFromGroupAsync(
        this ICoapClient client, string uri, TimeSpan? timeout = null, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default) =>
        GetFromGroupAsync(client, CoapUri.FromString(uri), timeout, options, cancellationToken);

    /// <summary>
    /// Requests the links of all members of a group from <c>/.well-known/core</c> (RFC 6690 section 4, RFC 7252 section 7.2).
    /// </summary>
    /// <remarks>Members without a matching link do not answer.</remarks>
    /// <param name="client">A <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/> or a client of a host.</param>
    /// <param name="uri">The group: scheme, host and port, such as <c>coap://224.0.1.187</c> or <c>coap://[ff02::fd%25eth0]</c>; a path is
    /// ignored.</param>
    /// <param name="filter">A filter such as <c>rt=temperature*</c>; null for all links (RFC 6690 section 4.1).</param>
    /// <param name="timeout">How long to accept answers; null: see <see cref="CoapEndpoint.SendToGroupAsync"/>.</param>
    /// <param name="options">Interface, reach and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The links of each member that answered with links. Answers that are not lists of links are skipped.</returns>
    /// <exception cref="ArgumentException">The URI has no group address, or the client is of another kind.</exception>
    /// <exception cref="CoapException">During the enumeration: the request cannot be sent, or the endpoint was stopped.</exception>
    public static IAsyncEnumerable<CoapGroupMemberLinks> DiscoverGroupAsync(
        this ICoapClient client,
        CoapUri uri,
        string? filter = null,
        TimeSpan? timeout = null,
        CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        IEndpointClient sender = IEndpointClient.Of(client);
        ArgumentNullException.ThrowIfNull(uri);
        CoapRequest request = new(CoapMethod.Get, CoreOf(uri))
        {
            Accept = CoapContentFormat.LinkFormat,
            Confirmable = false,
            Timeout = timeout,
        };
        if (filter is not null)
        {
            request.Options.Add(new UriQueryOption(filter));
        }

        return ReadLinksAsync(sender.Endpoint, sender.SendToGroupAsync(request, options, cancellationToken), cancellationToken);
    }

    /// <inheritdoc cref="DiscoverGroupAsync(ICoapClient, CoapUri, string, TimeSpan?, CoapGroupRequestOptions, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static IAsyncEnumerable<CoapGroupMemberLinks> DiscoverGroupAsync(
        this ICoapClient client, string uri, string? filter = null, TimeSpan? timeout = null,
        CoapGroupRequestOptions? options = null, CancellationToken cancellationToken = default) =>
        DiscoverGroupAsync(client, CoapUri.FromString(uri), filter, timeout, options, cancellationToken);

    /// <summary>Returns the URI of the links of a server, with the query of a URI as the filter.</summary>
    internal static CoapUri CoreOf(CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(uri);

        // A reference is relative to the peer, or to the base address of a client.
        string text = uri.ToString();
        string origin = uri.IsAbsolute ? CoapUri.OriginOf(text) : "";
        int query = text.AsSpan().IndexOfAny('?', '#');
        return CoapUri.FromString($"{origin}/.well-known/core{(query < 0 ? "" : text[query..])}");
    }

    private static Task<CoapResponse> Send(ICoapClient client, CoapMethod method, CoapUri uri, CoapContent? content,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.SendAsync(new CoapRequest(method, uri) { Content = content }, cancellationToken);
    }

    private static async IAsyncEnumerable<CoapGroupMemberLinks> ReadLinksAsync(
        CoapEndpoint endpoint, IAsyncEnumerable<CoapGroupResponse> answers, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapGroupResponse answer in answers.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            if (!answer.Response.IsSuccess || answer.Error is not null)
            {
                continue;
            }

            if (CoapLinkFormat.TryParse(answer.Response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error))
            {
                yield return new CoapGroupMemberLinks(answer.Peer, answer.Uri, links);
            }
            else
            {
                GroupLog.GroupLinksUnreadable(endpoint.Environment.Logger, answer.Peer.ToString(), error.ToString());
            }
        }
    }
}
