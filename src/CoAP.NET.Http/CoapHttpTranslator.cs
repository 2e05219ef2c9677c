using System.Net;
using CoAP.NET.Http.Translating;

namespace CoAP.NET.Http;

/// <summary>
/// Translates requests and responses between HTTP and CoAP (RFC 7252 section 10, RFC 8075): methods, codes, media types, conditions,
/// freshness.
/// </summary>
/// <remarks>The sender and the receiver handle the bodies. Thread-safe while its tables do not change.</remarks>
public sealed class CoapHttpTranslator
{
    private readonly EntityTagMemory _tags = new();

    /// <summary>The tables of methods and codes.</summary>
    public CoapHttpCodes Codes { get; } = new();

    /// <summary>The tables of media types and Content-Formats.</summary>
    public CoapHttpMediaTypes MediaTypes { get; } = new();

    /// <summary>The conversion between CBOR in CoAP and JSON in HTTP.</summary>
    /// <remarks>
    /// The code that sends and receives bodies applies it: <see cref="CoapHttpMessageHandler"/>, the endpoints of ASP.NET Core, and the
    /// back ends of <see cref="CoapHttpBackend"/>.
    /// </remarks>
    public CoapHttpJson Json { get; } = new();

    /// <summary>
    /// Creates the CoAP request for an HTTP request: method, If-Match, If-None-Match, Accept, Cache-Control, and
    /// <see cref="CoapHttpRequestOptions"/>.
    /// </summary>
    /// <remarks>The caller adds the content; <see cref="ContentFormatOf"/> returns its format.</remarks>
    /// <param name="request">The HTTP request.</param>
    /// <param name="uri">The URI of the CoAP resource.</param>
    /// <returns>The request, without content. Its Accept is the most preferred media type that has a Content-Format.</returns>
    /// <exception cref="CoapHttpTranslationException">A part of the request has no counterpart in CoAP and cannot be omitted.</exception>
    public CoapRequest ToCoapRequest(HttpRequestMessage request, CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(uri);
        return HttpToCoapRequest.Translate(request, uri.ToString(), this);
    }

    /// <summary>Returns the Content-Format of the body of an HTTP message, from Content-Type and Content-Encoding together.</summary>
    /// <param name="content">The body.</param>
    /// <returns>The Content-Format; null for a body without Content-Type.</returns>
    /// <exception cref="CoapHttpTranslationException">CoAP has none: 415.</exception>
    public CoapContentFormat? ContentFormatOf(HttpContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return HttpToCoapRequest.FormatOf(content, MediaTypes);
    }

    /// <summary>
    /// Returns the Accept options to try, in order of preference (RFC 8075 section 6.1); null stands for a request without Accept.
    /// </summary>
    /// <remarks>Try the next one if the server answers 4.06.</remarks>
    /// <param name="request">The HTTP request.</param>
    /// <returns>1 to 4 options.</returns>
    public IReadOnlyList<CoapContentFormat?> AcceptedFormats(HttpRequestMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return AcceptCandidates.Of(request.Headers.Accept, MediaTypes, Json);
    }

    /// <summary>Creates the HTTP response for a CoAP response.</summary>
    /// <param name="response">The response.</param>
    /// <param name="body">Its body; null for none. The method sets its Content-Type and Content-Encoding; the HTTP response owns
    /// it.</param>
    /// <param name="request">The HTTP request.</param>
    /// <param name="coapRequest">The CoAP request created from it.</param>
    /// <returns>The HTTP response. A Location is relative to the URI of the CoAP resource.</returns>
    public HttpResponseMessage ToHttpResponse(CoapResponse response, HttpContent? body, HttpRequestMessage request, CoapRequest coapRequest)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(coapRequest);
        return CoapToHttpResponse.Translate(response, body, request, coapRequest, Codes, MediaTypes);
    }

    /// <summary>
    /// Creates the HTTP request for a CoAP request: method, payload with Content-Type and Content-Encoding, Accept, If-Match and
    /// If-None-Match (RFC 7252 section 10.1).
    /// </summary>
    /// <param name="request">The received CoAP request.</param>
    /// <param name="target">The absolute URI of the HTTP request.</param>
    /// <param name="convertsBody">False leaves the payload unchanged, regardless of <see cref="Json"/>. Default true.</param>
    /// <returns>The HTTP request.</returns>
    /// <exception cref="CoapContentException">The payload requires a conversion and is not convertible (4.00, 4.13).</exception>
    /// <exception cref="CoapHttpTranslationException">The method has no counterpart in HTTP (5.01), or the request depends on an entity-tag
    /// of an HTTP server that this object has forgotten (4.12).</exception>
    public HttpRequestMessage ToHttpRequest(CoapRequest request, Uri target, bool convertsBody = true)
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
