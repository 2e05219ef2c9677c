using System.Net;
using CoAP.NET.Http.Sending;
using CoAP.NET.Http.Translating;

namespace CoAP.NET.Http;

/// <summary>
/// The translation of requests and responses between HTTP and CoAP (RFC 7252 section 10, RFC 8075): methods, codes, media types,
/// conditions, freshness. Its tables can be changed.
/// </summary>
/// <remarks>Change it before the first request only: changes are not thread-safe.</remarks>
public sealed class CoapHttpTranslator
{
    private readonly EntityTagMap _tags = new();

    /// <summary>The CoAP method of each HTTP method, compared case-insensitively.</summary>
    /// <remarks>
    /// Default: GET, HEAD (as GET), POST, PUT, DELETE, PATCH, and as extensions of this library FETCH and IPATCH. You can add HTTP's QUERY
    /// as <see cref="CoapMethod.Fetch"/>. Other methods get 501 (RFC 7252 section 10.2.1).
    /// </remarks>
    public IDictionary<string, CoapMethod> Methods => Codes.CoapMethods;

    /// <summary>
    /// The HTTP status of each CoAP response code (RFC 8075 section 7, table 2; RFC 8132, 8516 and 8768 for later codes).
    /// </summary>
    /// <remarks>
    /// A code without an entry has the status of its class. Some statuses also depend on the request or the payload: 2.02 and 2.04 without
    /// payload become 204.
    /// </remarks>
    public IDictionary<CoapCode, HttpStatusCode> Statuses => Codes.Statuses;

    /// <summary>
    /// Whether to replace a media type without a Content-Format with a more general one (RFC 8075 section 6.3). Default false because a
    /// server might misinterpret the payload.
    /// </summary>
    public bool AllowLooseMediaTypes { get => MediaTypes.Loose; set => MediaTypes.Loose = value; }

    /// <summary>
    /// Whether requests may name a Content-Format by number, as <c>application/coap-payload;cf=N</c>. Default false: they get 415 (RFC 8075
    /// section 6.2).
    /// </summary>
    public bool AllowCoapPayload { get => MediaTypes.PassCoapPayload; set => MediaTypes.PassCoapPayload = value; }

    /// <summary>Whether UTF-8 is implied. Default true because HTTP libraries write both forms.</summary>
    /// <remarks>
    /// With true <c>text/plain</c> means <c>text/plain;charset=utf-8</c>, and <c>charset=utf-8</c> is ignored for a media type that CoAP
    /// registers without a charset, such as <c>application/json</c>. Other charsets are never mapped.
    /// </remarks>
    public bool ImplyUtf8 { get => MediaTypes.ImplyUtf8; set => MediaTypes.ImplyUtf8 = value; }

    /// <summary>
    /// Whether to convert payloads between CBOR in CoAP and JSON in HTTP (RFC 8075 section 6.4, RFC 8949 section 6). Default false: they
    /// pass unchanged.
    /// </summary>
    /// <remarks>
    /// <see cref="CoapCborJson"/> converts payloads: it limits depth and size and refuses duplicate keys. Problem details follow RFC 9290
    /// appendix B. A request that cannot be converted gets 4.00 or 400, and 4.13 or 413 if it is too large; a response that cannot be
    /// converted becomes 5.02 or 502. Accept is translated as well; a client that accepts the other side's format gets it unchanged.
    /// </remarks>
    public bool ConvertsJson { get => Json.Converts; set => Json.Converts = value; }

    /// <summary>The JSON media types for Content-Formats of CBOR, for <see cref="ConvertsJson"/>.</summary>
    /// <remarks>
    /// Default: <c>application/cbor</c> (60) becomes <c>application/json</c>, SenML (112, 113) its JSON variant, and concise problem
    /// details (257) <c>application/problem+json</c>. A custom format is converted item by item like <c>application/cbor</c>; its keys
    /// should be texts.
    /// </remarks>
    public IDictionary<CoapContentFormat, string> JsonMediaTypes => Json.MediaTypes;

    /// <summary>The largest payload, in bytes, before and after its conversion, 1 or more. Default 1 MiB.</summary>
    /// <remarks>The conversion holds the whole payload in memory.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int MaxJsonSize { get => Json.MaxSize; set => Json.MaxSize = value; }

    internal CoapHttpCodes Codes { get; } = new();

    internal CoapHttpMediaTypes MediaTypes { get; } = new();

    /// <summary>The conversion between CBOR in CoAP and JSON in HTTP, which the code that sends and receives bodies applies.</summary>
    internal CborJsonTranslator Json { get; } = new();

    /// <summary>Adds a Content-Format that the registry of this library lacks, or replaces its media type.</summary>
    /// <param name="format">The Content-Format.</param>
    /// <param name="mediaType">The media type with its parameters.</param>
    /// <param name="contentCoding">The content coding; null for none.</param>
    /// <exception cref="FormatException">The media type is not valid.</exception>
    public void AddMediaType(CoapContentFormat format, string mediaType, string? contentCoding = null) =>
        MediaTypes.Add(format, mediaType, contentCoding);

    /// <summary>
    /// Creates the CoAP request for an HTTP request: method, If-Match, If-None-Match, Accept, Cache-Control, and
    /// <see cref="CoapHttpRequestOptions"/>.
    /// </summary>
    /// <remarks>The caller adds the content; <see cref="ContentFormatOf"/> returns its format.</remarks>
    /// <returns>The request, without content. Its Accept is the most preferred media type that has a Content-Format.</returns>
    /// <exception cref="CoapHttpTranslationException">A part of the request has no counterpart in CoAP and cannot be omitted.</exception>
    internal CoapRequest ToCoapRequest(HttpRequestMessage request, CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(uri);
        return HttpToCoapRequest.Translate(request, uri.ToString(), this);
    }

    /// <summary>Returns the Content-Format of the body of an HTTP message, from Content-Type and Content-Encoding together.</summary>
    /// <returns>The Content-Format; null for a body without Content-Type.</returns>
    /// <exception cref="CoapHttpTranslationException">CoAP has none: 415.</exception>
    internal CoapContentFormat? ContentFormatOf(HttpContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return HttpToCoapRequest.FormatOf(content, MediaTypes);
    }

    /// <summary>
    /// Returns the Accept options to try, in order of preference (RFC 8075 section 6.1); null means a request without Accept.
    /// </summary>
    /// <remarks>Try the next one if the server answers 4.06.</remarks>
    /// <returns>1 to 4 options.</returns>
    internal IReadOnlyList<CoapContentFormat?> AcceptedFormats(HttpRequestMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return AcceptCandidates.Of(request.Headers.Accept, MediaTypes, Json);
    }

    /// <summary>Creates the HTTP response for a CoAP response, with its body in JSON if <see cref="ConvertsJson"/> is set.</summary>
    /// <param name="response">The response.</param>
    /// <param name="body">Its body; null for none. The method sets its Content-Type and Content-Encoding; the HTTP response owns
    /// it.</param>
    /// <param name="request">The HTTP request.</param>
    /// <param name="coapRequest">The CoAP request created from it.</param>
    /// <param name="cancellationToken">Cancels reading the body.</param>
    /// <returns>The HTTP response. A Location is relative to the URI of the CoAP resource.</returns>
    /// <exception cref="CoapHttpTranslationException">The body of a success is not convertible to JSON: 502.</exception>
    internal async Task<HttpResponseMessage> ToHttpResponseAsync(
        CoapResponse response, HttpContent? body, HttpRequestMessage request, CoapRequest coapRequest,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(coapRequest);
        HttpContent? json = await JsonBodyConverter.OfResponseAsync(response, body, request, this, cancellationToken).ConfigureAwait(false);
        HttpResponseMessage answer = CoapToHttpResponse.Translate(response, json ?? body, request, coapRequest, Codes, MediaTypes);
        JsonBodyConverter.Mark(answer, request, this, isConverted: json is not null);
        return answer;
    }

    /// <summary>
    /// Creates the HTTP request for a CoAP request: method, payload with Content-Type and Content-Encoding, Accept, If-Match and
    /// If-None-Match (RFC 7252 section 10.1).
    /// </summary>
    /// <param name="request">The received CoAP request.</param>
    /// <param name="target">The absolute URI of the HTTP request.</param>
    /// <param name="convertsBody">False leaves the payload unchanged, regardless of <see cref="ConvertsJson"/>. Default true.</param>
    /// <returns>The HTTP request.</returns>
    /// <exception cref="CoapContentException">The payload requires a conversion and is not convertible (4.00, 4.13).</exception>
    /// <exception cref="CoapHttpTranslationException">The method has no counterpart in HTTP (5.01), or the request depends on an entity-tag
    /// of an HTTP server that this object has forgotten (4.12).</exception>
    internal HttpRequestMessage ToHttpRequest(CoapRequestContext request, Uri target, bool convertsBody = true)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(target);
        return CoapToHttpRequest.Translate(request.Method, request.Options, request.Payload, target, this, _tags, convertsBody);
    }

    /// <summary>
    /// Creates the CoAP response for an HTTP response: code, Content-Format, ETag, Max-Age, and for 2.01 Location-Path and Location-Query
    /// of the same origin (RFC 7252 section 10.1).
    /// </summary>
    /// <param name="response">The HTTP response. Its Location is relative to the URI of its
    /// <see cref="HttpResponseMessage.RequestMessage"/>.</param>
    /// <param name="body">Its body; not copied.</param>
    /// <param name="request">The received CoAP request.</param>
    /// <param name="now">The current time, for <c>Expires</c> and <c>Retry-After</c>.</param>
    /// <returns>The response. A long entity-tag becomes a hash, which <see cref="ToHttpRequest"/> of the same object recognizes.</returns>
    internal CoapResult ToCoapResult(
        HttpResponseMessage response, ReadOnlyMemory<byte> body, CoapRequestContext request, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(request);
        return HttpToCoapResponseTranslator.Translate(response, body, request.Method, request.Options, this, _tags, now);
    }
}
