using System.Net;
using System.Net.Http.Headers;
using CoAP.NET.Http.Sending;

namespace CoAP.NET.Http.Translating;

/// <summary>Translates the request of a CoAP client for an HTTP server (RFC 7252 section 10.1).</summary>
internal static class CoapToHttpRequest
{
    public static HttpRequestMessage Translate(
        CoapMethod method,
        CoapOptionCollection options,
        ReadOnlyMemory<byte> payload,
        Uri target,
        CoapHttpTranslator translator,
        EntityTagMap tags,
        bool convertsBody = true,
        Stream? body = null)
    {
        if (!translator.Codes.HttpMethods.TryGetValue(method, out string? name))
        {
            throw new CoapHttpTranslationException(
                HttpStatusCode.NotImplemented, CoapCode.NotImplemented, $"{method} has no counterpart in HTTP.");
        }

        HttpRequestMessage request = new(new HttpMethod(name), target);
        AddContent(request, method, options, payload, translator, convertsBody, body);
        AddAccept(request, options, translator);
        AddConditions(request, method, options, translator.Json, tags);
        if (options.HopLimit is { } hops)
        {
            // Detects loops across both protocols (RFC 8768 section 5).
            request.Headers.TryAddWithoutValidation(CoapHttpExtensions.HopLimitField,
                hops.ToString(System.Globalization.CultureInfo.InvariantCulture));
            request.Headers.Via.Add(new ViaHeaderValue("1", "coap-proxy", "CoAP"));
        }

        return request;
    }

    private static void AddContent(
        HttpRequestMessage request, CoapMethod method, CoapOptionCollection options, ReadOnlyMemory<byte> payload,
            CoapHttpTranslator translator, bool convertsBody, Stream? body)
    {
        if (body is null && payload.IsEmpty && method is CoapMethod.Get or CoapMethod.Delete)
        {
            return;
        }

        if (convertsBody && !payload.IsEmpty && translator.Json.MediaTypeOf(options.ContentFormat) is { } json)
        {
            request.Content = new ByteArrayContent(translator.Json.ToJson(payload, options.ContentFormat!.Value));
            request.Content.Headers.TryAddWithoutValidation("Content-Type", json);
            return;
        }

        HttpContent content = body is null ? new ReadOnlyMemoryContent(payload) : new StreamedContent(body);

        // A server that refuses a large body answers before it is sent.
        request.Headers.ExpectContinue = body is null ? null : true;
        if (options.ContentFormat is { } format)
        {
            content.Headers.TryAddWithoutValidation("Content-Type", translator.MediaTypes.MediaTypeOf(format, out string? coding));
            if (coding is not null)
            {
                content.Headers.ContentEncoding.Add(coding);
            }
        }

        request.Content = content;
    }

    private static void AddAccept(HttpRequestMessage request, CoapOptionCollection options, CoapHttpTranslator translator)
    {
        string? coding = null;
        if (options.Accept is { } format)
        {
            string mediaType = translator.MediaTypes.MediaTypeOf(format, out coding);
            request.Headers.TryAddWithoutValidation(
                "Accept", translator.Json.MediaTypeOf(format) is { } json ? $"{json}, {mediaType};q=0.9" : mediaType);
        }

        // Other codings have no Content-Format.
        request.Headers.AcceptEncoding.ParseAdd(coding ?? "identity");
    }

    private static void AddConditions(HttpRequestMessage request, CoapMethod method, CoapOptionCollection options, CborJsonTranslator json,
        EntityTagMap tags)
    {
        if (method == CoapMethod.Get)
        {
            // A tag of a representation in one format does not apply to another format.
            CoapContentFormat? wanted = json.MediaTypeOf(options.Accept) is null ? null : options.Accept;
            foreach (CoapETag tag in options.ETags)
            {
                if (tags.ToHttp(tag.ToArray(), out CoapContentFormat? convertedTo) is { } known && convertedTo == wanted)
                {
                    request.Headers.IfNoneMatch.Add(known);
                }
            }
        }

        foreach (CoapETag tag in options.IfMatch)
        {
            request.Headers.IfMatch.Add(
                tag.Length == 0 ? EntityTagHeaderValue.Any
                : tags.ToHttp(tag.ToArray(), out _) ?? throw new CoapHttpTranslationException(
                    HttpStatusCode.PreconditionFailed, CoapCode.PreconditionFailed, "The proxy no longer knows the entity-tag. Read the "
                        + "resource again."));
        }

        if (options.IfNoneMatch)
        {
            request.Headers.IfNoneMatch.Add(EntityTagHeaderValue.Any);
        }
    }
}
