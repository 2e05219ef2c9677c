namespace CoAP.NET;

// Requests whose bodies are large: with progress, from and to streams, in parts (RFC 7959).
public static partial class CoapRequests
{
    /// <summary>GET with progress (RFC 7252 section 5.8.1).</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="progress">Is told of each block that came.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> GetAsync(this ICoapRequester requester, string uri, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
            Send(requester, CoapMethod.Get, uri, null, progress, cancellationToken);

    /// <summary>GET to a stream, block by block, in constant memory. See <see cref="CoapRequest.Destination"/>.</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="destination">Where the body of a successful response goes; stays open.</param>
    /// <param name="progress">Is told of each block that came; null for nobody.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response; without payload when it is a success.</returns>
    public static Task<CoapResponse> GetAsync(
        this ICoapRequester requester, string uri, Stream destination, IProgress<CoapProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(destination);
        return requester.SendAsync(new CoapRequest(CoapMethod.Get, uri) { Destination = destination, Progress = progress },
            cancellationToken);
    }

    /// <summary>GET of the rest of a representation to a stream: continues a download that broke off.</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="destination">Where the rest of the body goes; stays open.</param>
    /// <param name="options">Where the rest begins, and the ETag that the representation must still have.</param>
    /// <param name="progress">Is told of each block that came; counts from the offset. Null for nobody.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response; without payload when it is a success.</returns>
    /// <exception cref="CoapProtocolException">The representation is another one by now.</exception>
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

    /// <summary>
    /// GET of a single block (RFC 7959 section 2.4). Whether more follow says <c>response.Options.Block2</c>, which may also have a smaller
    /// size than was asked for.
    /// </summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="number">The number of the block, 0 to 1,048,575.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024. Default 1,024.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response as it came; 4.00 or 4.02 from most servers when the representation ends before.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of its range.</exception>
    public static Task<CoapResponse> GetBlockAsync(this ICoapRequester requester, string uri, int number, int size = 1024,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        CoapRequest request = new(CoapMethod.Get, uri);
        request.Options.Block2 = Options.BlockValue.FromSize(number, more: false, size);
        return requester.SendAsync(request, cancellationToken);
    }

    /// <summary>GET as a stream that fetches blocks as one reads, a few ahead. For GETs with options see the overload.</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting for the first block; afterwards dispose the stream.</param>
    /// <returns>The stream, which stands at the first block. Dispose it: this ends the transfer.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapException">No response came.</exception>
    public static Task<CoapResponseStream> OpenReadAsync(this ICoapRequester requester, string uri,
        CancellationToken cancellationToken = default) =>
            OpenReadAsync(requester, new CoapRequest(CoapMethod.Get, uri), cancellationToken);

    /// <summary>Sends a request and gives the body of its response as a stream that fetches blocks as one reads, a few ahead.</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="request">The request; its <see cref="CoapRequest.Destination"/> is taken for this.</param>
    /// <param name="cancellationToken">Stops waiting for the first block; afterwards dispose the stream.</param>
    /// <returns>The stream, which stands at the first block. Dispose it: this ends the transfer.</returns>
    /// <exception cref="CoapResponseException">The server answered with an error.</exception>
    /// <exception cref="CoapException">No response came.</exception>
    public static Task<CoapResponseStream> OpenReadAsync(this ICoapRequester requester, CoapRequest request,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(request);
        return CoapResponseStream.OpenAsync(requester, request, cancellationToken);
    }

    /// <summary>
    /// Sends a request and gives its response as it is where the body is small, and the body as a stream where it is large: for who sends
    /// responses on and must not hold bodies of any size. A small one passes the cache as any other; a large one is neither looked for
    /// there nor kept.
    /// </summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="request">The request, without <see cref="CoapRequest.Destination"/>. Its <see cref="CoapRequest.Timeout"/> is for the
    /// whole response, and of a large one for each block from the moment that it is opened.</param>
    /// <param name="maxHeld">The largest body that is held in memory, in bytes; one that comes in a single message is held in any case. 0
    /// or more.</param>
    /// <param name="cancellationToken">Stops waiting for the response; dispose the stream to end it afterwards.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxHeld"/> is negative.</exception>
    /// <exception cref="CoapException">No response came.</exception>
    public static Task<CoapOpenedResponse> OpenResponseAsync(this ICoapRequester requester, CoapRequest request, int maxHeld,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentOutOfRangeException.ThrowIfNegative(maxHeld);
        return CoapResponseStream.OpenAsync(requester, request, maxHeld, cancellationToken);
    }

    /// <summary>POST with progress (RFC 7252 section 5.8.2).</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">What to send; null for nothing.</param>
    /// <param name="progress">Is told of each block that the server took, and then of each that came.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> PostAsync(
        this ICoapRequester requester, string uri, CoapContent? content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Post, uri, content, progress, cancellationToken);

    /// <summary>PUT with progress (RFC 7252 section 5.8.3).</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">What to send; null for nothing.</param>
    /// <param name="progress">Is told of each block that the server took.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> PutAsync(
        this ICoapRequester requester, string uri, CoapContent? content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Put, uri, content, progress, cancellationToken);

    /// <summary>FETCH with progress (RFC 8132 section 2).</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The question, with its Content-Format.</param>
    /// <param name="progress">Is told of each block that the server took, and then of each that came.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> FetchAsync(
        this ICoapRequester requester, string uri, CoapContent content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Fetch, uri, content ?? throw new ArgumentNullException(nameof(content)), progress, cancellationToken);

    /// <summary>PATCH with progress (RFC 8132 section 3).</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="progress">Is told of each block that the server took.</param>
    /// <param name="cancellationToken">Stops the transfer.</param>
    /// <returns>The response with its whole body.</returns>
    public static Task<CoapResponse> PatchAsync(
        this ICoapRequester requester, string uri, CoapContent content, IProgress<CoapProgress> progress,
        CancellationToken cancellationToken = default) =>
        Send(requester, CoapMethod.Patch, uri, content ?? throw new ArgumentNullException(nameof(content)), progress, cancellationToken);

    /// <summary>iPATCH with progress (RFC 8132 section 3).</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="content">The change, with its Content-Format.</param>
    /// <param name="progress">Is told of each block that the server took.</param>
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
}
