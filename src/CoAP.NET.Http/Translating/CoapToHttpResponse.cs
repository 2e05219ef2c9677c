using System.Net;

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
        if (status is HttpStatusCode.NoContent or HttpStatusCode.NotModified)
        {
            body?.Dispose();
            body = null;
        }

        HttpResponseMessage http = response.Code.IsError
            ? HttpErrorResponse.Of(response, status, body, isRead, mediaTypes)
            : OfSuccess(response, status, body, isRead, mediaTypes);
        http.RequestMessage = request;
        http.Version = HttpVersion.Version11;
        return http;
    }

    private static HttpResponseMessage OfSuccess(
        CoapResponse response, HttpStatusCode status, HttpContent? body, bool isRead, CoapHttpMediaTypes mediaTypes)
    {
        HttpResponseMessage http = new(status);
        if (body is not null)
        {
            http.Content = body;
            mediaTypes.AddType(body, response.ContentFormat);
        }

        if (response.Options.ETag is { } tag && response.IsSuccess)
        {
            http.Headers.ETag = EntityTags.ToHttp(tag.ToArray());
        }

        if (isRead && (response.Code == CoapCode.Content || response.Code == CoapCode.Valid))
        {
            HttpErrorResponse.SetMaxAge(http, response.MaxAge);
        }

        if (response.Code == CoapCode.Created && response.Options.Location is { } location)
        {
            http.Headers.Location = new Uri(location, UriKind.RelativeOrAbsolute);
        }

        return http;
    }
}
