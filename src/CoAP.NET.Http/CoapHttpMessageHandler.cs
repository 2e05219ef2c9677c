using System.Net;
using CoAP.NET.Http.Sending;
using CoAP.NET.Http.Translating;
using CoAP.NET.Uris;

namespace CoAP.NET.Http;

/// <summary>
/// Sends the requests of an <see cref="HttpClient"/> over CoAP: <c>coap://</c>, <c>coaps://</c>, <c>coap+tcp://</c> and all other schemes
/// of the underlying client.
/// </summary>
/// <remarks>
/// Use it as the primary handler of an <see cref="HttpClient"/>, of <c>IHttpClientFactory</c>, of typed clients, and of YARP. It translates
/// like a proxy between HTTP and CoAP (RFC 7252 section 10.2, RFC 8075). Each response of the CoAP server, including errors, becomes an
/// HTTP response; <see cref="CoapHttpRequestOptions.GetCoapResponse"/> returns its code and options. A missing response becomes an
/// <see cref="HttpRequestException"/> whose inner exception is the <see cref="CoapException"/>. Requests without a counterpart in CoAP get
/// the answer of a proxy: 415, 501, 412. Bodies are streamed in both directions. The handler does not dispose the client; one
/// <see cref="CoapClient"/> can serve several handlers.
/// </remarks>
public sealed class CoapHttpMessageHandler : HttpMessageHandler
{
    private readonly ICoapClient _client;

    // Recently requested URIs, parsed.
    private readonly RecentTextCache<CoapUri> _uris = new();

    /// <summary>Creates a handler.</summary>
    /// <param name="client">Sends the requests; the caller keeps ownership.</param>
    /// <param name="translator">The translation tables; null for the standard ones.</param>
    public CoapHttpMessageHandler(ICoapClient client, CoapHttpTranslator? translator = null)
    {
        ArgumentNullException.ThrowIfNull(client);
        _client = client;
        Translator = translator ?? new CoapHttpTranslator();
    }

    /// <summary>The translation tables.</summary>
    public CoapHttpTranslator Translator { get; }

    /// <summary>
    /// Maps schemes of HTTP to schemes of CoAP, for callers whose URIs cannot begin with <c>coap</c>, such as <c>["http"] = "coap"</c>.
    /// </summary>
    /// <remarks>The port stays as written. Default: empty; <c>http</c> and <c>https</c> are refused.</remarks>
    public IDictionary<string, string> Schemes { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// The maximum time until the response begins. Default null: only <see cref="HttpClient.Timeout"/> and the transmission parameters
    /// apply.
    /// </summary>
    /// <remarks>A timeout throws an <see cref="HttpRequestException"/>.</remarks>
    public TimeSpan? Timeout { get; set; }

    /// <summary>Whether to return the body of a response while its blocks arrive, in constant memory. Default true.</summary>
    /// <remarks>
    /// With false the handler assembles the body first, at most <see cref="CoapBlockwiseLimits.MaxResponseBodySize"/> bytes, and uses the
    /// cache of the endpoint (<see cref="CoapEndpointOptions.Cache"/>).
    /// </remarks>
    public bool StreamsResponses { get; set; } = true;

    /// <summary>
    /// The largest request body, in bytes, to read into memory before it is sent, so that it can be sent again. Default 64 KiB.
    /// </summary>
    /// <remarks>Larger bodies are read while they are sent.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1, or above 1 GiB.</exception>
    public int RequestBufferSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1 << 30);
            field = value;
        }
    } = 64 * 1024;

    /// <summary>
    /// Combines equal concurrent GETs into one request, also across handlers that share the same object. Default null: each GET is sent.
    /// </summary>
    /// <remarks>Meant for gateways; an ordinary client does not need it.</remarks>
    internal CoapHttpRequestCoalescer? SharedRequests { get; set; }

    /// <inheritdoc/>
    /// <exception cref="HttpRequestException">There is no response.</exception>
    /// <exception cref="NotSupportedException">The scheme of the URI is not a CoAP scheme and not in <see cref="Schemes"/>.</exception>
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapUri uri = UriOf(request);
        try
        {
            return await SendAsync(request, uri, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapHttpTranslationException exception)
        {
            return Refuse(HttpErrorResponse.Of(exception.Status, exception.Message));
        }
        catch (CoapContentException exception)
        {
            return Refuse(HttpErrorResponse.Of(Translator.Codes.StatusOf(exception.Code, hasPayload: true), exception.Message));
        }
        catch (CoapException exception) when (exception.Error is CoapError.RetryLater or CoapError.NotCached)
        {
            // Nothing was sent: the server said before when it takes requests again, or only a cache was to answer (only-if-cached, RFC
            // 9111 section 5.2.1.7).
            return Refuse(HttpErrorResponse.Of(exception, exception.Message));
        }
        catch (CoapException exception)
        {
            throw CoapHttpErrors.ToHttp(exception);
        }

        HttpResponseMessage Refuse(HttpResponseMessage refusal)
        {
            refusal.RequestMessage = request;
            refusal.Version = HttpVersion.Version11;
            return refusal;
        }
    }

    private async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CoapUri uri, CancellationToken cancellationToken)
    {
        IReadOnlyList<CoapContentFormat?> accepted = Translator.AcceptedFormats(request);
        (HttpContent? content, CoapContentFormat? format) =
            await JsonBodyConverter.OfRequestAsync(request.Content, Translator, cancellationToken).ConfigureAwait(false);
        for (int i = 0; ; i++)
        {
            CoapRequest coap = Translator.ToCoapRequest(request, uri);
            coap.Accept = accepted[i];
            coap.Timeout = Timeout;
            if (coap.Method == CoapMethod.Fetch && format is null)
            {
                throw new CoapHttpTranslationException(
                    HttpStatusCode.UnsupportedMediaType,
                    CoapCode.UnsupportedContentFormat,
                    "FETCH needs a body with a Content-Type (RFC 8132 section 2.3.1).");
            }

            (CoapResponse response, HttpContent? body) =
                await ExchangeAsync(request, coap, content, format, cancellationToken).ConfigureAwait(false);

            // An HTTP client accepts several formats, CoAP asks for one at a time. Unsafe requests are not repeated.
            if (response.Code == CoapCode.NotAcceptable && coap.Method == CoapMethod.Get && i + 1 < accepted.Count)
            {
                body?.Dispose();
                continue;
            }

            request.Options.Set(CoapHttpRequestOptions.Response, response);
            return await Translator.ToHttpResponseAsync(response, body, request, coap, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<(CoapResponse Response, HttpContent? Body)> ExchangeAsync(
        HttpRequestMessage request, CoapRequest coap, HttpContent? content, CoapContentFormat? format,
        CancellationToken cancellationToken)
    {
        HttpRequestCoapContent body = await HttpRequestCoapContent.OpenAsync(content, format, RequestBufferSize, cancellationToken)
            .ConfigureAwait(false);
        await using (body.ConfigureAwait(false))
        {
            if (body.Content is not null)
            {
                coap.Content = body.Content;
            }

            bool streams = StreamsResponses && coap.CacheMode != CoapCacheMode.OnlyIfCached;
            if (request.Method == HttpMethod.Head)
            {
                return await AskForHeadAsync(coap, streams: coap.CacheMode != CoapCacheMode.OnlyIfCached, cancellationToken)
                    .ConfigureAwait(false);
            }

            if (SharedRequests is { } shared && CoapHttpRequestCoalescer.MayShare(coap))
            {
                (CoapResponse head, CoapResponseBodyStream? rest) =
                    await shared.SendAsync(_client, coap, streams, cancellationToken).ConfigureAwait(false);
                return (head, rest is null ? InMemory(head) : await ContentOf(rest, cancellationToken).ConfigureAwait(false));
            }

            // Only a cache may answer it, and caches hold whole representations.
            if (!streams)
            {
                CoapResponse whole = await _client.SendAsync(coap, cancellationToken).ConfigureAwait(false);
                return (whole, InMemory(whole));
            }

            try
            {
                CoapResponseBodyStream stream = await _client.OpenReadAsync(coap, cancellationToken).ConfigureAwait(false);
                return (stream.Response, await ContentOf(stream, cancellationToken).ConfigureAwait(false));
            }
            catch (CoapResponseException exception)
            {
                return (exception.Response, InMemory(exception.Response));
            }
        }
    }

    private async Task<(CoapResponse Response, HttpContent? Body)> AskForHeadAsync(
        CoapRequest coap, bool streams, CancellationToken cancellationToken)
    {
        if (!streams)
        {
            CoapResponse whole = await _client.SendAsync(coap, cancellationToken).ConfigureAwait(false);
            return (whole, InMemory(whole));
        }

        try
        {
            CoapResponseBodyStream stream = await _client.OpenReadAsync(coap, cancellationToken).ConfigureAwait(false);
            await stream.DisposeAsync().ConfigureAwait(false);
            return (stream.Response, new HeadContent());
        }
        catch (CoapResponseException exception)
        {
            return (exception.Response, InMemory(exception.Response));
        }
    }

    private static async Task<HttpContent?> ContentOf(CoapResponseBodyStream stream, CancellationToken cancellationToken)
    {
        try
        {
            return await CoapResponseBodyContentFactory.OfAsync(stream, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static ReadOnlyMemoryContent? InMemory(CoapResponse response) =>
        response.Payload.IsEmpty ? null : new ReadOnlyMemoryContent(response.Payload);

    private CoapUri UriOf(HttpRequestMessage request)
    {
        Uri uri = request.RequestUri ?? throw new InvalidOperationException("The request has no URI. Set RequestUri.");
        if (!uri.IsAbsoluteUri)
        {
            throw new InvalidOperationException(
                $"The URI '{uri.OriginalString}' is not absolute. Set HttpClient.BaseAddress, or use an absolute URI.");
        }

        // The original text, because Uri decodes and removes parts by its own rules.
        string text = uri.OriginalString;
        if (Schemes.TryGetValue(uri.Scheme, out string? scheme))
        {
            text = string.Concat(scheme, text.AsSpan(text.IndexOf(':', StringComparison.Ordinal)));
        }
        else if (!uri.Scheme.StartsWith("coap", StringComparison.OrdinalIgnoreCase))
        {
            throw new NotSupportedException(
                $"The scheme '{uri.Scheme}' is not a CoAP scheme. Use a URI such as "
                + $"coap://{uri.Host}/, or map the scheme to one of CoAP in {nameof(Schemes)}.");
        }

        int fragment = text.IndexOf('#', StringComparison.Ordinal);
        text = fragment < 0 ? text : text[..fragment];
        if (_uris.TryFind(text, out CoapUri? known))
        {
            return known;
        }

        CoapUri parsed = CoapUri.TryParse(text, out CoapUri? read, out string? error)
            ? read
            : throw new HttpRequestException(HttpRequestError.Unknown, error, new CoapFormatException(error, 0));
        if (parsed.ZoneId is null)
        {
            // The interface of a zone may change.
            _uris.Note(text, parsed);
        }

        return parsed;
    }
}
