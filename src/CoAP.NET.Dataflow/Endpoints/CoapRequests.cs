using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>Extension methods for each request method (RFC 7252 section 5.8, RFC 8132).</summary>
/// <remarks>
/// The URI is absolute, such as <c>coap://[::1]/temperature</c>; a <see cref="CoapPeer"/> also accepts a path, such as <c>/temperature</c>.
/// All of them throw a <see cref="CoapException"/> if no response arrived; they return error responses.
/// </remarks>
public static partial class CoapRequests
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
}
