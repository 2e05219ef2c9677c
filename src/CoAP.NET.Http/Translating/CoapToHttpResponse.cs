using System.Globalization;
using System.Net;
using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Translates the response of a CoAP server to HTTP (RFC 7252 section 10.2, RFC 8075 sections 6 and 7).</summary>
internal static class CoapToHttpResponse
{
    public static HttpResponseMessage Translate(
        CoapResponse response, HttpContent? body, HttpRequestMessage request, CoapRequest coap, CoapHttpCodes codes,
            CoapHttpMediaTypes mediaTypes)
    {
        bool isRead = coap.Method is CoapMethod.Get or CoapMethod.Fetch;
        HttpStatusCode status = codes.StatusOf(
            response.Code, body is not null, isRead && coap.Options.Contains(OptionNumber.ETag), HttpToCoapRequest.HasClientOptions(coap));
        HttpResponseMessage http = new(status) { RequestMessage = request, Version = HttpVersion.Version11 };
        if (response.Code == CoapCode.MethodNotAllowed && status == HttpStatusCode.BadRequest)
        {
            // The allowed methods are unknown, so the status is not 405 (RFC 8075 section 7). Diagnostic text must never appear here.
            http.ReasonPhrase = "CoAP server returned 4.05";
            body ??= TextOf("CoAP server returned 4.05 Method Not Allowed.");
        }

        if (body is not null && status is not (HttpStatusCode.NoContent or HttpStatusCode.NotModified))
        {
            http.Content = body;
            AddType(response, body, mediaTypes);
        }
        else
        {
            body?.Dispose();
        }

        if (response.Options.ETag is { } tag && response.IsSuccess)
        {
            http.Headers.ETag = EntityTags.ToHttp(tag.ToArray());
        }

        AddFreshness(response, http, isRead);
        if (response.Code == CoapCode.Created && response.Options.Location is { } location)
        {
            http.Headers.Location = new Uri(location, UriKind.RelativeOrAbsolute);
        }

        return http;
    }

    public static ByteArrayContent TextOf(string text) => new StringContent(text);

    private static void AddType(CoapResponse response, HttpContent body, CoapHttpMediaTypes mediaTypes)
    {
        if (body.Headers.Contains("Content-Type"))
        {
            return;
        }

        if (response.ContentFormat is not { } format)
        {
            if (response.Code.IsError)
            {
                // A diagnostic payload (RFC 7252 section 5.5.2).
                body.Headers.ContentType = new MediaTypeHeaderValue("text/plain", "utf-8");
            }

            return;
        }

        string mediaType = mediaTypes.MediaTypeOf(format, out string? coding);
        body.Headers.TryAddWithoutValidation("Content-Type", mediaType);
        if (coding is not null)
        {
            body.Headers.ContentEncoding.Add(coding);
        }
    }

    private static void AddFreshness(CoapResponse response, HttpResponseMessage http, bool isRead)
    {
        TimeSpan left = response.MaxAge;
        if (response.Code == CoapCode.ServiceUnavailable || response.Code == CoapCode.TooManyRequests)
        {
            http.Headers.RetryAfter = new RetryConditionHeaderValue(TimeSpan.FromSeconds(Math.Ceiling(left.TotalSeconds)));
        }
        else if (isRead && (response.Code == CoapCode.Content || response.Code == CoapCode.Valid || response.Code.IsError))
        {
            http.Headers.TryAddWithoutValidation(
                "Cache-Control", string.Create(CultureInfo.InvariantCulture, $"max-age={(uint)Math.Min(left.TotalSeconds, int.MaxValue)}"));
        }
    }
}
