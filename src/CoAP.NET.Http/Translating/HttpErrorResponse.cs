using System.Globalization;
using System.Net;
using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>
/// Makes the HTTP response of every error: of a CoAP server, of an exchange with it, and of the proxy itself. A client therefore gets the
/// same status, Retry-After and Content-Type, however it asks.
/// </summary>
internal static class HttpErrorResponse
{
    private const string FourOhFive = "CoAP server returned 4.05";

    /// <summary>The Retry-After of a proxy that has no room for another request.</summary>
    public static TimeSpan WhenBusy { get; } = TimeSpan.FromSeconds(1);

    /// <summary>Makes the response for an error that a CoAP server answered.</summary>
    /// <param name="response">The response of the server.</param>
    /// <param name="status">Its status.</param>
    /// <param name="body">Its body; null for none. The HTTP response owns it.</param>
    /// <param name="isRead">Whether the request reads the resource, so that a cache may store the error.</param>
    /// <param name="mediaTypes">The media types of Content-Formats.</param>
    public static HttpResponseMessage Of(
        CoapResponse response, HttpStatusCode status, HttpContent? body, bool isRead, CoapHttpMediaTypes mediaTypes)
    {
        HttpResponseMessage http = new(status);
        if (response.Code == CoapCode.MethodNotAllowed && status == HttpStatusCode.BadRequest)
        {
            // The allowed methods are unknown, so the status is not 405 (RFC 8075 section 7). Diagnostic text must never appear here.
            http.ReasonPhrase = FourOhFive;
            body ??= TextOf($"{FourOhFive} Method Not Allowed.");
        }

        if (body is not null)
        {
            http.Content = body;
            mediaTypes.AddType(body, response.ContentFormat);

            // A diagnostic payload has no Content-Format (RFC 7252 section 5.5.2).
            body.Headers.ContentType ??= new MediaTypeHeaderValue("text/plain", "utf-8");
        }

        SetRetryAfter(http, response.RetryAfter);
        if (isRead && http.Headers.RetryAfter is null)
        {
            SetMaxAge(http, response.MaxAge);
        }

        return http;
    }

    /// <summary>Makes the response for a request that the CoAP server did not answer.</summary>
    /// <param name="failure">The reason.</param>
    /// <param name="text">The description for the client.</param>
    public static HttpResponseMessage Of(CoapException failure, string text) =>
        Of(CoapHttpErrors.StatusOf(failure), text, failure.RetryAfter ?? (failure.Error == CoapError.Busy ? WhenBusy : null));

    /// <summary>Makes the response for a request that the proxy refuses itself.</summary>
    /// <param name="status">The status.</param>
    /// <param name="text">The description for the client.</param>
    /// <param name="retryAfter">The time after which the client may retry; null to say nothing about it.</param>
    public static HttpResponseMessage Of(HttpStatusCode status, string text, TimeSpan? retryAfter = null)
    {
        HttpResponseMessage http = new(status) { Content = TextOf(text) };
        SetRetryAfter(http, retryAfter);
        return http;
    }

    /// <summary>Returns a description as a body.</summary>
    public static ByteArrayContent TextOf(string text) => new StringContent(text);

    /// <summary>Says how long a cache may use a response.</summary>
    public static void SetMaxAge(HttpResponseMessage http, TimeSpan maxAge) => http.Headers.TryAddWithoutValidation(
        "Cache-Control", string.Create(CultureInfo.InvariantCulture, $"max-age={(uint)Math.Min(maxAge.TotalSeconds, int.MaxValue)}"));

    private static void SetRetryAfter(HttpResponseMessage http, TimeSpan? wait)
    {
        if (wait is { } time)
        {
            http.Headers.RetryAfter = new RetryConditionHeaderValue(TimeSpan.FromSeconds(Math.Ceiling(time.TotalSeconds)));
        }
    }
}
