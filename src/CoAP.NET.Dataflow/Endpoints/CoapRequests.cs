using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>Extension methods for each request method (RFC 7252 section 5.8, RFC 8132).</summary>
/// <remarks>
/// The URI is absolute, such as <c>coap://[::1]/temperature</c>; a <see cref="CoapPeer"/> also accepts a path, such as <c>/temperature</c>.
/// All of them throw a <see cref="CoapException"/> if no response arrived; they return error responses.
/// </remarks>
public static class CoapRequests
{
    /// <summary>GET: retrieves a representation (RFC 7252 section 5.8.1).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> GetAsync(this ICoapRequester requester, string uri, CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Get, uri, null, cancellationToken);

    /// <summary>POST: sends a representation to be processed (RFC 7252 section 5.8.2).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PostAsync(this ICoapRequester requester, string uri, CoapContent? content,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Post, uri, content, cancellationToken);

    /// <summary>PUT: creates or replaces the resource (RFC 7252 section 5.8.3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PutAsync(this ICoapRequester requester, string uri, CoapContent? content,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Put, uri, content, cancellationToken);

    /// <summary>DELETE: deletes the resource (RFC 7252 section 5.8.4).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> DeleteAsync(this ICoapRequester requester, string uri,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Delete, uri, null, cancellationToken);

    /// <summary>FETCH: retrieves what the content specifies (RFC 8132 section 2).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The query, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> FetchAsync(this ICoapRequester requester, string uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Fetch, uri, content ?? throw new ArgumentNullException(nameof(content)), cancellationToken);

    /// <summary>PATCH: changes a part of the resource, not idempotent (RFC 8132 section 3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PatchAsync(this ICoapRequester requester, string uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Patch, uri, content ?? throw new ArgumentNullException(nameof(content)), cancellationToken);

    /// <summary>iPATCH: changes a part of the resource, idempotent (RFC 8132 section 3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> IPatchAsync(this ICoapRequester requester, string uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.IPatch, uri, content ?? throw new ArgumentNullException(nameof(content)), cancellationToken);

    /// <summary>Gets the links to the resources of a server from <c>/.well-known/core</c> (RFC 6690 section 4).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
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
    public static async Task<IReadOnlyList<CoapLink>> DiscoverAsync(this ICoapRequester requester, string uri, string? filter = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(uri);
        CoapRequest request = new(CoapMethod.Get, CoreOf(uri)) { Accept = CoapContentFormat.LinkFormat };
        if (filter is not null)
        {
            request.Options.Add(new UriQuery(filter));
        }

        CoapResponse response = (await requester.SendAsync(request, cancellationToken).ConfigureAwait(false)).EnsureSuccess();
        return CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapLinkFormatError error)
            ? links
            : throw new CoapProtocolException($"The list of resources of {response.Remote} is not a link-format document: {error}");
    }

    private static Task<CoapResponse> Send(ICoapRequester requester, CoapMethod method, string uri, CoapContent? content,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(requester);
        return requester.SendAsync(new CoapRequest(method, uri) { Content = content }, cancellationToken);
    }

    /// <summary>Returns the URI of the links of a server, with the query of a URI as the filter.</summary>
    internal static string CoreOf(string uri)
    {
        // A reference is relative to the peer, or to the base address of a client.
        string origin = uri.Contains("://", StringComparison.Ordinal) ? CoapUri.OriginOf(uri) : "";
        int query = uri.AsSpan().IndexOfAny('?', '#');
        return $"{origin}/.well-known/core{(query < 0 ? "" : uri[query..])}";
    }

    /// <summary>GET with progress (RFC 7252 section 5.8.1).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="progress">Receives a report for each received block.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> GetAsync(this ICoapRequester requester, string uri, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Get, uri, null, progress, cancellationToken);

    /// <summary>GET to a stream, block by block, in constant memory.</summary>
    /// <remarks>See <see cref="CoapRequest.Destination"/>.</remarks>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="destination">The stream for the body of a successful response; it stays open.</param>
    /// <param name="progress">Receives a report for each received block; null for none.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response; without payload if it is a success.</returns>
    public static Task<CoapResponse> GetAsync(
        this ICoapRequester requester, string uri, Stream destination, IProgress<CoapProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(destination);
        return requester.SendAsync(new CoapRequest(CoapMethod.Get, uri) { Destination = destination, Progress = progress },
            cancellationToken);
    }

    /// <summary>GET of the rest of a representation to a stream: continues an interrupted download.</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="destination">The stream for the rest of the body; it stays open.</param>
    /// <param name="options">The offset of the rest, and the ETag that the representation must still have.</param>
    /// <param name="progress">Receives a report for each received block, counted from the offset; null for none.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response; without payload if it is a success.</returns>
    /// <exception cref="CoapProtocolException">The representation has changed meanwhile.</exception>
    public static Task<CoapResponse> GetAsync(
        this ICoapRequester requester,
        string uri,
        Stream destination,
        CoapDownloadOptions options,
        IProgress<CoapProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(destination);
        ArgumentNullException.ThrowIfNull(options);
        return requester.SendAsync(
            new CoapRequest(CoapMethod.Get, uri) { Destination = destination, Download = options, Progress = progress }, cancellationToken);
    }

    /// <summary>GET of a single block (RFC 7959 section 2.4).</summary>
    /// <remarks><c>response.Options.Block2</c> says whether more blocks follow; it may also have a smaller size than requested.</remarks>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="number">The number of the block, 0 to 1,048,575.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024. Default 1,024.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The unchanged response; most servers answer 4.00 or 4.02 if the representation ends before the block.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public static Task<CoapResponse> GetBlockAsync(this ICoapRequester requester, string uri, int number, int size = 1024,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        CoapRequest request = new(CoapMethod.Get, uri);
        request.Options.Block2 = Options.BlockValue.FromSize(number, more: false, size);
        return requester.SendAsync(request, cancellationToken);
    }

    /// <summary>GET as a stream that fetches blocks during reading, with a few prefetched.</summary>
    /// <remarks>For GETs with options see the overload.</remarks>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting for the first block; dispose the stream to stop later.</param>
    /// <returns>The stream, positioned at the first block. Dispose it to end the transfer.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapException">No response arrived.</exception>
    public static Task<CoapResponseStream> OpenReadAsync(this ICoapRequester requester, string uri,
        CancellationToken cancellationToken = default) =>
            OpenReadAsync(requester, new CoapRequest(CoapMethod.Get, uri), cancellationToken);

    /// <summary>
    /// Sends a request and returns its response body as a stream that fetches blocks during reading, with a few prefetched.
    /// </summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request; this method uses its <see cref="CoapRequest.Destination"/>.</param>
    /// <param name="cancellationToken">Stops waiting for the first block; dispose the stream to stop later.</param>
    /// <returns>The stream, positioned at the first block. Dispose it to end the transfer.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapException">No response arrived.</exception>
    public static Task<CoapResponseStream> OpenReadAsync(this ICoapRequester requester, CoapRequest request,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(request);
        return CoapResponseStream.OpenAsync(requester, request, cancellationToken);
    }

    /// <summary>Sends a request and returns a small body in the response and a large one as a stream.</summary>
    /// <remarks>
    /// For proxies and similar programs that forward responses and must not hold bodies of any size. A small body uses the cache as usual;
    /// a large one is neither looked up there nor stored.
    /// </remarks>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request, without <see cref="CoapRequest.Destination"/>. Its <see cref="CoapRequest.Timeout"/> limits the
    /// whole response, and after a large one is opened, each block.</param>
    /// <param name="maxHeld">The size of the largest body that is held in memory, in bytes; 0 or more. A body in a single message is always
    /// held.</param>
    /// <param name="cancellationToken">Stops waiting for the response; dispose the stream to stop later.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxHeld"/> is negative.</exception>
    /// <exception cref="CoapException">No response arrived.</exception>
    public static Task<CoapOpenedResponse> OpenResponseAsync(this ICoapRequester requester, CoapRequest request, int maxHeld,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentOutOfRangeException.ThrowIfNegative(maxHeld);
        return CoapResponseStream.OpenAsync(requester, request, maxHeld, cancellationToken);
    }

    /// <summary>POST with progress (RFC 7252 section 5.8.2).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send; null for none.</param>
    /// <param name="progress">Receives a report for each block that the server accepted, and then for each received block.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> PostAsync(
        this ICoapRequester requester, string uri, CoapContent? content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Post, uri, content, progress, cancellationToken);

    /// <summary>PUT with progress (RFC 7252 section 5.8.3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send; null for none.</param>
    /// <param name="progress">Receives a report for each block that the server accepted.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> PutAsync(
        this ICoapRequester requester, string uri, CoapContent? content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Put, uri, content, progress, cancellationToken);

    /// <summary>FETCH with progress (RFC 8132 section 2).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The query, with its Content-Format.</param>
    /// <param name="progress">Receives a report for each block that the server accepted, and then for each received block.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> FetchAsync(
        this ICoapRequester requester, string uri, CoapContent content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Fetch, uri, content ?? throw new ArgumentNullException(nameof(content)), progress, cancellationToken);

    /// <summary>PATCH with progress (RFC 8132 section 3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="progress">Receives a report for each block that the server accepted.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> PatchAsync(
        this ICoapRequester requester, string uri, CoapContent content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Patch, uri, content ?? throw new ArgumentNullException(nameof(content)), progress, cancellationToken);

    /// <summary>iPATCH with progress (RFC 8132 section 3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="progress">Receives a report for each block that the server accepted.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> IPatchAsync(
        this ICoapRequester requester, string uri, CoapContent content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.IPatch, uri, content ?? throw new ArgumentNullException(nameof(content)), progress, cancellationToken);

    private static Task<CoapResponse> Send(
        ICoapRequester requester, CoapMethod method, string uri, CoapContent? content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(progress);
        return requester.SendAsync(new CoapRequest(method, uri) { Content = content, Progress = progress }, cancellationToken);
    }

    /// <summary>GET: retrieves a representation (RFC 7252 section 5.8.1).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> GetAsync(this ICoapRequester requester, Uri uri, CancellationToken cancellationToken = default) =>
        GetAsync(requester, TextOf(uri), cancellationToken);

    /// <summary>POST: sends a representation to be processed (RFC 7252 section 5.8.2).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PostAsync(this ICoapRequester requester, Uri uri, CoapContent? content,
        CancellationToken cancellationToken = default) =>
            PostAsync(requester, TextOf(uri), content, cancellationToken);

    /// <summary>PUT: creates or replaces the resource (RFC 7252 section 5.8.3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The content to send; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PutAsync(this ICoapRequester requester, Uri uri, CoapContent? content,
        CancellationToken cancellationToken = default) =>
            PutAsync(requester, TextOf(uri), content, cancellationToken);

    /// <summary>DELETE: deletes the resource (RFC 7252 section 5.8.4).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> DeleteAsync(this ICoapRequester requester, Uri uri, CancellationToken cancellationToken = default) =>
        DeleteAsync(requester, TextOf(uri), cancellationToken);

    /// <summary>FETCH: retrieves what the content specifies (RFC 8132 section 2).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The query, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> FetchAsync(this ICoapRequester requester, Uri uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            FetchAsync(requester, TextOf(uri), content, cancellationToken);

    /// <summary>PATCH: changes a part of the resource, not idempotent (RFC 8132 section 3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> PatchAsync(this ICoapRequester requester, Uri uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            PatchAsync(requester, TextOf(uri), content, cancellationToken);

    /// <summary>iPATCH: changes a part of the resource, idempotent (RFC 8132 section 3).</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response.</returns>
    public static Task<CoapResponse> IPatchAsync(this ICoapRequester requester, Uri uri, CoapContent content,
        CancellationToken cancellationToken = default) =>
            IPatchAsync(requester, TextOf(uri), content, cancellationToken);

    /// <summary>Returns the text to use for a <see cref="Uri"/>.</summary>
    internal static string TextOf(Uri uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        return uri.OriginalString;
    }
}
