using System.Net;
using CoAP.NET.Http.Sending;
using CoAP.NET.Messages;

namespace CoAP.NET.Http;

/// <summary>
/// Sends the requests of an <see cref="HttpClient"/> over CoAP: <c>coap://</c>, <c>coaps://</c>, <c>coap+tcp://</c> and all other schemes
/// of the client
/// underneath. It is the primary handler of an <see cref="HttpClient"/>, of <c>IHttpClientFactory</c>, of typed clients, and of YARP.
/// </summary>
/// <remarks>
/// It translates as a proxy between HTTP and CoAP does (RFC 7252 section 10.2, RFC 8075). A response of the CoAP server, be it an error, is
/// a response here; <see cref="CoapHttpRequestOptions.GetCoapResponse"/> has its code and options. No response is an
/// <see cref="HttpRequestException"/> whose inner exception is the <see cref="CoapException"/>. What has no counterpart in CoAP is answered
/// as a proxy would: 415, 501, 412. Bodies are streamed in both directions. The requester is not disposed with the handler, so that one
/// <see cref="CoapClient"/> may serve for many.
/// </remarks>
public sealed class CoapHttpMessageHandler : HttpMessageHandler
{
    private readonly ICoapRequester _requester;

    // URIs that were asked for lately, read.
    private readonly RecentTexts<CoapUri> _uris = new();

    /// <summary>Makes a handler.</summary>
    /// <param name="requester">What sends the requests; stays open.</param>
    /// <param name="translator">The tables; null for the standard ones.</param>
    public CoapHttpMessageHandler(ICoapRequester requester, CoapHttpTranslator? translator = null)
    {
        ArgumentNullException.ThrowIfNull(requester);
        _requester = requester;
        Translator = translator ?? new CoapHttpTranslator();
    }

    /// <summary>The tables of the translation.</summary>
    public CoapHttpTranslator Translator { get; }

    /// <summary>
    /// The schemes of HTTP that stand for one of CoAP, for callers whose URIs cannot begin with <c>coap</c>, such as <c>["http"] =
    /// "coap"</c>. The port stays as it is written. Default: none; <c>http</c> and <c>https</c> are refused.
    /// </summary>
    public IDictionary<string, string> Schemes { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// How long a request may take until the response begins; null for the time of <see cref="HttpClient.Timeout"/> and of the transmission
    /// parameters alone. Default null. It ends with an <see cref="HttpRequestException"/>.
    /// </summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>
    /// Whether the body of a response is handed over while its blocks come, in constant memory. Default true. False: it is put together
    /// before, at most <see cref="CoapLimits.MaxResponseBodySize"/> bytes, and the cache of the endpoint
    /// (<see cref="CoapEndpointOptions.Cache"/>) takes part.
    /// </summary>
    public bool StreamsResponses { get; set; } = true;

    /// <summary>
    /// How large the body of a request may be, in bytes, to be read into memory before it is sent, so that it can be sent again. Larger
    /// ones are read while they are sent. Default 64 KiB.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1, or above 1 GiB.</exception>
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
    /// Makes equal GETs that are under way at a time one request, also those of other handlers that have the same object. Default null:
    /// each is sent. For gateways; a client that asks for its own sake has no use for it.
    /// </summary>
    public CoapHttpSharedRequests? SharedRequests { get; set; }

    /// <inheritdoc/>
    /// <exception cref="HttpRequestException">No response came.</exception>
    /// <exception cref="NotSupportedException">The scheme of the URI is none of CoAP and not in <see cref="Schemes"/>.</exception>
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
            return CoapHttpTranslator.Refuse(request, exception.Status, exception.Message);
        }
        catch (CoapContentException exception)
        {
            return CoapHttpTranslator.Refuse(request, Translator.Codes.StatusOf(exception.Code, hasPayload: true), exception.Message);
        }
        catch (CoapRetryLaterException exception)
        {
            // The server said so before, and nothing was sent.
            HttpResponseMessage response = CoapHttpTranslator.Refuse(request, HttpStatusCode.TooManyRequests, exception.Message);
            response.Headers.RetryAfter = new(TimeSpan.FromSeconds(Math.Ceiling(exception.RetryAfter.TotalSeconds)));
            return response;
        }
        catch (CoapCacheMissException exception)
        {
            // only-if-cached (RFC 9111 section 5.2.1.7).
            return CoapHttpTranslator.Refuse(request, HttpStatusCode.GatewayTimeout, exception.Message);
        }
        catch (CoapException exception)
        {
            throw CoapHttpErrors.ToHttp(exception, uri);
        }
    }

    private async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CoapUri uri, CancellationToken cancellationToken)
    {
        IReadOnlyList<CoapContentFormat?> accepted = Translator.AcceptedFormats(request);
        (HttpContent? content, CoapContentFormat? format) =
            await JsonBodies.OfRequestAsync(request.Content, Translator, cancellationToken).ConfigureAwait(false);
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
                    "FETCH needs the Content-Type of what it asks (RFC 8132 section 2.3.1).");
            }

            (CoapResponse response, HttpContent? body) =
                await ExchangeAsync(request, coap, content, format, cancellationToken).ConfigureAwait(false);

            // The client of HTTP accepts several, and CoAP asks for one at a time. What changes something is not sent twice.
            if (response.Code == CoapCode.NotAcceptable && coap.Method == CoapMethod.Get && i + 1 < accepted.Count)
            {
                body?.Dispose();
                continue;
            }

            request.Options.Set(CoapHttpRequestOptions.Response, response);
            HttpContent? json =
                await JsonBodies.OfResponseAsync(response, body, request, Translator, cancellationToken).ConfigureAwait(false);
            HttpResponseMessage answer = Translator.ToHttpResponse(response, json ?? body, request, coap);
            JsonBodies.Mark(answer, request, Translator, isConverted: json is not null);
            return answer;
        }
    }

    private async Task<(CoapResponse Response, HttpContent? Body)> ExchangeAsync(
        HttpRequestMessage request, CoapRequest coap, HttpContent? content, CoapContentFormat? format,
        CancellationToken cancellationToken)
    {
        RequestBody body = await RequestBody.OpenAsync(content, format, RequestBufferSize, cancellationToken).ConfigureAwait(false);
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

            if (SharedRequests is { } shared && CoapHttpSharedRequests.MayShare(coap))
            {
                (CoapResponse head, CoapResponseStream? rest) =
                    await shared.SendAsync(_requester, coap, streams, cancellationToken).ConfigureAwait(false);
                return (head, rest is null ? InMemory(head) : await ContentOf(rest, cancellationToken).ConfigureAwait(false));
            }

            // What only a cache may answer is answered in one piece: caches keep whole representations.
            if (!streams)
            {
                CoapResponse whole = await _requester.SendAsync(coap, cancellationToken).ConfigureAwait(false);
                return (whole, InMemory(whole));
            }

            try
            {
                CoapResponseStream stream = await _requester.OpenReadAsync(coap, cancellationToken).ConfigureAwait(false);
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
            CoapResponse whole = await _requester.SendAsync(coap, cancellationToken).ConfigureAwait(false);
            return (whole, InMemory(whole));
        }

        try
        {
            CoapResponseStream stream = await _requester.OpenReadAsync(coap, cancellationToken).ConfigureAwait(false);
            await stream.DisposeAsync().ConfigureAwait(false);
            return (stream.Response, new HeadContent());
        }
        catch (CoapResponseException exception)
        {
            return (exception.Response, InMemory(exception.Response));
        }
    }

    private static async Task<HttpContent?> ContentOf(CoapResponseStream stream, CancellationToken cancellationToken)
    {
        try
        {
            return await ResponseBody.OfAsync(stream, cancellationToken).ConfigureAwait(false);
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
        Uri uri = request.RequestUri ?? throw new InvalidOperationException("The request has no URI.");
        if (!uri.IsAbsoluteUri)
        {
            throw new InvalidOperationException(
                $"The URI '{uri.OriginalString}' is not absolute: set HttpClient.BaseAddress, or give an absolute one.");
        }

        // The text as it was written: Uri decodes and drops by rules of its own.
        string text = uri.OriginalString;
        if (Schemes.TryGetValue(uri.Scheme, out string? scheme))
        {
            text = string.Concat(scheme, text.AsSpan(text.IndexOf(':', StringComparison.Ordinal)));
        }
        else if (!uri.Scheme.StartsWith("coap", StringComparison.OrdinalIgnoreCase))
        {
            throw new NotSupportedException(
                $"The scheme '{uri.Scheme}' is none of CoAP. Give a URI such as "
                + $"coap://{uri.Host}/, or let {nameof(Schemes)} say which scheme of CoAP it stands for.");
        }

        int fragment = text.IndexOf('#', StringComparison.Ordinal);
        text = fragment < 0 ? text : text[..fragment];
        if (_uris.TryFind(text, out CoapUri? known))
        {
            return known;
        }

        CoapUri parsed = CoapUri.TryParse(text, out CoapUri? read, out string? error)
            ? read
            : throw new HttpRequestException(HttpRequestError.Unknown, error, new CoapUriException(error, 0));
        if (parsed.ZoneId is null)
        {
            // Which interface a zone stands for may change.
            _uris.Note(text, parsed);
        }

        return parsed;
    }
}
