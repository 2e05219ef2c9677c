using System.Net;
using CoAP.NET.Http.Translating;

namespace CoAP.NET.Http;

/// <summary>
/// Translates requests and responses between HTTP and CoAP (RFC 7252 section 10, RFC 8075): methods, codes, media types, conditions,
/// freshness. Bodies are the business of who sends and receives. Thread-safe once its tables are not changed any more.
/// </summary>
public sealed class CoapHttpTranslator
{
    private readonly EntityTagMemory _tags = new();

    /// <summary>Methods and codes.</summary>
    public CoapHttpCodes Codes { get; } = new();

    /// <summary>Media types and Content-Formats.</summary>
    public CoapHttpMediaTypes MediaTypes { get; } = new();

    /// <summary>
    /// Whether CBOR of CoAP is JSON in HTTP. What sends and receives bodies converts them: <see cref="CoapHttpMessageHandler"/>, the
    /// endpoints of ASP.NET Core, and the back ends of <see cref="CoapHttpBackend"/>.
    /// </summary>
    public CoapHttpJson Json { get; } = new();

    /// <summary>
    /// Makes the CoAP request of an HTTP request: method, If-Match, If-None-Match, Accept, Cache-Control, and
    /// <see cref="CoapHttpRequestOptions"/>. Its content is left to the caller; <see cref="ContentFormatOf"/> says what it is.
    /// </summary>
    /// <param name="request">The HTTP request.</param>
    /// <param name="uri">The URI of the CoAP resource.</param>
    /// <returns>The request, without content. Accept is the most preferred one that has a Content-Format.</returns>
    /// <exception cref="CoapHttpTranslationException">Something of the request has no counterpart in CoAP and cannot be left
    /// out.</exception>
    public CoapRequest ToCoapRequest(HttpRequestMessage request, CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(uri);
        return HttpToCoapRequest.Translate(request, uri.ToString(), this);
    }

    /// <summary>The Content-Format of the body of an HTTP message: of Content-Type and Content-Encoding together.</summary>
    /// <param name="content">The body.</param>
    /// <returns>The Content-Format; null for a body without Content-Type.</returns>
    /// <exception cref="CoapHttpTranslationException">There is none: 415.</exception>
    public CoapContentFormat? ContentFormatOf(HttpContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return HttpToCoapRequest.FormatOf(content, MediaTypes);
    }

    /// <summary>
    /// What to send as Accept, in the order of preference (RFC 8075 section 6.1): null stands for a request without Accept. The next one
    /// may be tried when the server answers 4.06.
    /// </summary>
    /// <param name="request">The HTTP request.</param>
    /// <returns>1 to 4 of them.</returns>
    public IReadOnlyList<CoapContentFormat?> AcceptedFormats(HttpRequestMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return AcceptCandidates.Of(request.Headers.Accept, MediaTypes, Json);
    }

    /// <summary>Makes the HTTP response of a CoAP response.</summary>
    /// <param name="response">The response.</param>
    /// <param name="body">Its body; null for none. Gets Content-Type and Content-Encoding, and belongs to the HTTP response.</param>
    /// <param name="request">The HTTP request.</param>
    /// <param name="coapRequest">The CoAP request that was made of it.</param>
    /// <returns>The HTTP response. A Location is relative to the URI of the CoAP resource.</returns>
    public HttpResponseMessage ToHttpResponse(CoapResponse response, HttpContent? body, HttpRequestMessage request, CoapRequest coapRequest)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(coapRequest);
        return CoapToHttpResponse.Translate(response, body, request, coapRequest, Codes, MediaTypes);
    }

    /// <summary>
    /// Makes the HTTP request of a CoAP request: method, payload with Content-Type and Content-Encoding, Accept, If-Match and
    /// If-None-Match (RFC 7252 section 10.1).
    /// </summary>
    /// <param name="request">The CoAP request, received.</param>
    /// <param name="target">The absolute URI of the HTTP request.</param>
    /// <param name="convertsBody">False leaves the payload as it is, whatever <see cref="Json"/> says. Default true.</param>
    /// <returns>The HTTP request.</returns>
    /// <exception cref="CoapContentException">The payload has to be converted and cannot (4.00, 4.13).</exception>
    /// <exception cref="CoapHttpTranslationException">The method has no counterpart in HTTP (5.01), or an entity-tag that the request
    /// depends on came from an HTTP server and is not known any more (4.12).</exception>
    public HttpRequestMessage ToHttpRequest(CoapRequest request, Uri target, bool convertsBody = true)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(target);
        return CoapToHttpRequest.Translate(request.Method, request.Options, request.Payload, target, this, _tags, convertsBody);
    }

    /// <summary>
    /// Makes the answer to a CoAP request of an HTTP response: code, Content-Format, ETag, Max-Age, and for 2.01 Location-Path and
    /// Location-Query of the same origin (RFC 7252 section 10.1).
    /// </summary>
    /// <param name="response">
    /// The HTTP response. What its Location is relative to is the URI of its <see cref="HttpResponseMessage.RequestMessage"/>.
    /// </param>
    /// <param name="body">Its body; not copied.</param>
    /// <param name="request">The CoAP request, received.</param>
    /// <param name="now">The time, for <c>Expires</c> and <c>Retry-After</c>.</param>
    /// <returns>The answer. Long entity-tags are a hash, which <see cref="ToHttpRequest"/> of the same object knows.</returns>
    public CoapResult ToCoapResult(HttpResponseMessage response, ReadOnlyMemory<byte> body, CoapRequest request, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(request);
        return HttpToCoapResult.Translate(response, body, request.Method, request.Options, this, _tags, now);
    }

    internal static HttpResponseMessage Refuse(HttpRequestMessage request, HttpStatusCode status, string text) => new(status)
    {
        RequestMessage = request,
        Version = HttpVersion.Version11,
        Content = CoapToHttpResponse.TextOf(text),
    };
}
