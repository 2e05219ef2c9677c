using System.Net;
using System.Net.Http.Headers;
using System.Text;

namespace CoAP.NET.Http.Translating;

/// <summary>Translates the response of an HTTP server to CoAP (RFC 7252 section 10.1).</summary>
internal static class HttpToCoapResponseTranslator
{
    private const int MaxDiagnostic = 200;
    private const long MaxMaxAge = uint.MaxValue;

    public static CoapResult Translate(
        HttpResponseMessage response,
        ReadOnlyMemory<byte> body,
        CoapMethod method,
        CoapOptionCollection request,
        CoapHttpTranslator translator,
        EntityTagMap tags,
        DateTimeOffset now)
    {
        CoapCode code = translator.Codes.CodeOf(response.StatusCode, method);
        CoapContentFormat? converted = ConvertedTo(response, request, code, translator.Json);
        CoapResult result = converted is { } format && !body.IsEmpty ? Converted(body, code, format, translator.Json)
            : code.IsSuccess ? Success(response, body, code, request.Accept, translator.MediaTypes)
            : Error(response, body, code);
        if (result.Code.IsSuccess && response.Headers.ETag is { IsWeak: false } tag)
        {
            result.OwnOptions.ETag = tags.ToCoap(tag, converted) is { } bytes ? new CoapETag(bytes) : null;
        }

        return AddFreshness(AddLocation(result, response), response, method, now);
    }

    // Returns the target format for JSON; null if the payload stays unchanged.
    private static CoapContentFormat? ConvertedTo(
        HttpResponseMessage response, CoapOptionCollection request, CoapCode code, CborJsonTranslator json)
    {
        bool readsCbor = json.MediaTypeOf(request.Accept ?? request.ContentFormat) is not null;
        if (code == CoapCode.Valid)
        {
            return readsCbor ? request.Accept : null;
        }

        CoapContentFormat? format = response.Content.Headers.TryGetValues("Content-Type", out IEnumerable<string>? types)
            && response.Content.Headers.ContentEncoding.Count == 0 ? json.FormatOf(string.Join(", ", types)) : null;
        return code.IsError
            ? format == CoapContentFormat.ConciseProblemDetails && (readsCbor || request.Accept is null) ? format : null
            : readsCbor && (request.Accept is null || request.Accept == format) ? format : null;
    }

    private static CoapResult Converted(ReadOnlyMemory<byte> body, CoapCode code, CoapContentFormat format, CborJsonTranslator json)
    {
        try
        {
            return new CoapResult(code, json.ToCbor(body, format), format);
        }
        catch (CoapContentException exception)
        {
            // The code of an error matters more than a failure to read its details.
            return code.IsError ? CoapResults.Status(code)
                : CoapResults.Status(CoapCode.BadGateway, $"The response is not convertible. {exception.Message}");
        }
    }

    private static CoapResult Success(
        HttpResponseMessage response, ReadOnlyMemory<byte> body, CoapCode code, CoapContentFormat? accept, CoapHttpMediaTypes mediaTypes)
    {
        if (body.IsEmpty)
        {
            return new CoapResult(code);
        }

        string? mediaType = response.Content.Headers.TryGetValues("Content-Type", out IEnumerable<string>? types)
            ? string.Join(", ", types) : null;
        string coding = string.Join(", ", response.Content.Headers.ContentEncoding);
        if (mediaType is null && coding.Length == 0)
        {
            return new CoapResult(code, body);
        }

        // A client without Accept gets the bytes even if CoAP has no Content-Format for them. Accept is critical in CoAP, while an HTTP
        // server may ignore it (RFC 7252 section 5.10.4, RFC 9110 section 12.5.1).
        return mediaTypes.TryGetContentFormat(mediaType, coding, out CoapContentFormat format)
            ? accept is null || accept == format ? new CoapResult(code, body, format) : CoapResults.NotAcceptable()
            : accept is null && coding.Length == 0 ? new CoapResult(code, body, CoapContentFormat.OctetStream)
            : CoapResults.NotAcceptable();
    }

    private static CoapResult Error(HttpResponseMessage response, ReadOnlyMemory<byte> body, CoapCode code)
    {
        bool isText = response.Content.Headers.ContentType?.MediaType == "text/plain" && System.Text.Unicode.Utf8.IsValid(body.Span);
        string text = isText ? Encoding.UTF8.GetString(body.Span) : string.Empty;
        return CoapResults.Status(code, text.Length is 0 or > MaxDiagnostic ? null : text);
    }

    private static CoapResult AddLocation(CoapResult result, HttpResponseMessage response)
    {
        Uri? target = response.RequestMessage?.RequestUri;
        if (result.Code != CoapCode.Created || response.Headers.Location is not { } location || target is null
            || !Uri.TryCreate(target, location, out Uri? created)
                || created.GetLeftPart(UriPartial.Authority) != target.GetLeftPart(UriPartial.Authority))
        {
            return result;
        }

        // A path that is not UTF-8, or has a segment too long for an option, has no representation in CoAP.
        string path = created.GetComponents(UriComponents.PathAndQuery, UriFormat.UriEscaped);
        if (!CoapUri.TryParse($"coap://host{path}", out CoapUri? uri))
        {
            return result;
        }

        foreach (string segment in uri.PathSegments)
        {
            result.OwnOptions.Add(OptionNumber.LocationPath, Encoding.UTF8.GetBytes(segment));
        }

        foreach (string argument in uri.QueryArguments)
        {
            result.OwnOptions.Add(OptionNumber.LocationQuery, Encoding.UTF8.GetBytes(argument));
        }

        return result;
    }

    private static CoapResult AddFreshness(CoapResult result, HttpResponseMessage response, CoapMethod method, DateTimeOffset now)
    {
        if (result.Code == CoapCode.TooManyRequests || result.Code == CoapCode.ServiceUnavailable)
        {
            TimeSpan? wait = response.Headers.RetryAfter is { } retry ? retry.Delta ?? retry.Date - now : null;
            return wait is { } known ? result.WithMaxAge(Whole(known)) : result;
        }

        return method == CoapMethod.Get && (result.Code == CoapCode.Content || result.Code == CoapCode.Valid)
            ? result.WithMaxAge(Whole(Remaining(response, now)))
            : result;
    }

    // A response without freshness information must not count as fresh for CoAP's default of 60 s.
    private static TimeSpan Remaining(HttpResponseMessage response, DateTimeOffset now)
    {
        CacheControlHeaderValue? control = response.Headers.CacheControl;
        // What is for one client must not be kept by a proxy between, and CoAP has no word for it but Max-Age.
        if (control is { NoStore: true } or { NoCache: true } or { Private: true })
        {
            return TimeSpan.Zero;
        }

        TimeSpan age = response.Headers.Age ?? TimeSpan.Zero;
        return (control?.SharedMaxAge ?? control?.MaxAge) is { } maxAge ? maxAge - age
            : response.Content.Headers.Expires is { } expires ? expires - (response.Headers.Date ?? now) - age
            : TimeSpan.Zero;
    }

    private static TimeSpan Whole(TimeSpan time) => TimeSpan.FromSeconds(Math.Clamp(Math.Floor(time.TotalSeconds), 0, MaxMaxAge));
}
