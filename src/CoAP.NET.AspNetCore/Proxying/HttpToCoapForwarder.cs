using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Http;
using CoAP.NET.Uris;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Forwards requests of HTTP clients to CoAP servers and returns their responses.</summary>
internal sealed class HttpToCoapForwarder : IDisposable
{
    private static readonly string[] s_requestFields = ["Accept", "If-Match", "If-None-Match", "Cache-Control"];

    private readonly HttpMessageInvoker _invoker;
    private readonly CoapHttpToCoapOptions _options;
    private readonly bool _fillsCache;
    private readonly TimeProvider _clock;

    // The System.Uri objects of recent targets.
    private readonly RecentTextCache<Uri> _uris = new();

    public HttpToCoapForwarder(ICoapClient requester, CoapHttpToCoapOptions options, bool fillsCache, TimeProvider clock)
    {
        (_options, _fillsCache, _clock) = (options, fillsCache, clock);
        _invoker = new HttpMessageInvoker(
            new CoapHttpMessageHandler(requester, options.Translator)
            {
                Timeout = options.Timeout,
                StreamsResponses = !fillsCache,
                SharedRequests = options.SharedRequests,
            });
    }

    public void Dispose() => _invoker.Dispose();

    /// <summary>Answers a request.</summary>
    /// <param name="context">The request.</param>
    /// <param name="source">The source of the request.</param>
    /// <param name="target">The target.</param>
    /// <param name="hopLimit">The Hop-Limit; null for none.</param>
    /// <param name="relocate">Returns the HTTP Location for a CoAP Location; null if there is none.</param>
    public async Task ForwardAsync(
        HttpContext context, CoapQuotaSource source, CoapUri target, int? hopLimit, Func<CoapUri, string?> relocate)
    {
        if (!TryReadUri(target.ToString(), out Uri? uri))
        {
            await ProxyResponseWriter.RefuseAsync(
                context, StatusCodes.Status400BadRequest, "The host of the target is not valid in a URI.")
                .ConfigureAwait(false);
            return;
        }

        using HttpRequestMessage request = Make(context, source, uri, hopLimit);
        try
        {
            using HttpResponseMessage response = await SendAsync(context, request).ConfigureAwait(false);
            await ProxyResponseWriter.WriteAsync(context, response, LocationOf(response, target, relocate)).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client has disconnected.
        }
    }

    /// <summary>Answers an observation that the CoAP server refused, as it answers a GET with the same response.</summary>
    /// <param name="context">The request.</param>
    /// <param name="observe">The CoAP request.</param>
    /// <param name="response">The error response of the server.</param>
    public async Task RefuseAsync(HttpContext context, CoapRequest observe, CoapResponse response)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, (Uri?)null);
        Copy(context.Request.Headers, request);
        ReadOnlyMemoryContent? body = response.Payload.IsEmpty ? null : new ReadOnlyMemoryContent(response.Payload);
        HttpResponseMessage refusal = await _options.Translator
            .ToHttpResponseAsync(response, body, request, observe, context.RequestAborted).ConfigureAwait(false);
        await ProxyResponseWriter.WriteErrorAsync(context, refusal).ConfigureAwait(false);
    }

    private static void Copy(IHeaderDictionary headers, HttpRequestMessage request)
    {
        foreach (string field in s_requestFields)
        {
            if (headers.TryGetValue(field, out Microsoft.Extensions.Primitives.StringValues values))
            {
                request.Headers.TryAddWithoutValidation(field, (IEnumerable<string?>)values);
            }
        }
    }

    private bool TryReadUri(string target, [NotNullWhen(true)] out Uri? uri)
    {
        if (!_uris.TryFind(target, out uri) && Uri.TryCreate(target, UriKind.Absolute, out uri))
        {
            _uris.Note(target, uri);
        }

        return uri is not null;
    }

    private HttpRequestMessage Make(HttpContext context, CoapQuotaSource source, Uri target, int? hopLimit)
    {
        HttpRequestMessage request = new(new HttpMethod(context.Request.Method), target);
        Copy(context.Request.Headers, request);
        request.Options.Set(CoapHttpRequestOptions.OnBehalfOf, source);
        if (hopLimit is { } hops)
        {
            request.Options.Set(CoapHttpRequestOptions.HopLimit, hops);
        }

        bool hasBody = context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody ?? (context.Request.ContentLength > 0);
        if (hasBody)
        {
            StreamContent content = new(new DeadlineBody(context.Request.Body, _options.StallTimeout, _clock, _options.Counters));
            content.Headers.ContentLength = context.Request.ContentLength;
            Add(content, "Content-Type", context.Request.ContentType);
            Add(content, "Content-Encoding", context.Request.Headers.ContentEncoding);
            request.Content = content;
        }

        return request;
    }

    private static void Add(StreamContent content, string field, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            content.Headers.TryAddWithoutValidation(field, value);
        }
    }

    private async Task<HttpResponseMessage> SendAsync(HttpContext context, HttpRequestMessage request)
    {
        // A cacheable response is fetched completely although its client has disconnected (RFC 8075 section 8.1). It keeps the place of
        // that client, so that a client cannot exceed its share by disconnecting; the time limit still applies.
        bool goesOn = _fillsCache && (HttpMethods.IsGet(context.Request.Method) || HttpMethods.IsHead(context.Request.Method));
        HttpResponseMessage response = await _invoker
            .SendAsync(request, goesOn ? CancellationToken.None : context.RequestAborted).ConfigureAwait(false);
        if (goesOn && context.RequestAborted.IsCancellationRequested)
        {
            response.Dispose();
            context.RequestAborted.ThrowIfCancellationRequested();
        }

        return response;
    }

    private static string? LocationOf(HttpResponseMessage response, CoapUri target, Func<CoapUri, string?> relocate) =>
        response.Headers.Location is { } location && target.TryResolve(location.OriginalString, out CoapUri? created, out _)
            ? relocate(created)
            : null;
}
