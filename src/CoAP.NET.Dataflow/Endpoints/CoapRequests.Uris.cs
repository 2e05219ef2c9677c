namespace CoAP.NET;

// Overloads for System.Uri. They use its original text, not the form that System.Uri made of it.
public static partial class CoapRequests
{
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
