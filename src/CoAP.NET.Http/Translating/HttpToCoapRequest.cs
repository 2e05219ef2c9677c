using System.Net;
using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Translates the request of an HTTP client for a CoAP server (RFC 7252 section 10.2, RFC 8075), without its body.</summary>
internal static class HttpToCoapRequest
{
    public static CoapRequest Translate(HttpRequestMessage request, string uri, CoapHttpTranslator translator)
    {
        if (!translator.Codes.CoapMethods.TryGetValue(request.Method.Method, out CoapMethod method))
        {
            throw new CoapHttpTranslationException(
                HttpStatusCode.NotImplemented, CoapCode.NotImplemented, $"The method {request.Method.Method} has no counterpart in CoAP.");
        }

        CoapRequest coap = new(method, uri);
        bool isRead = method is CoapMethod.Get or CoapMethod.Fetch;
        AddIfMatch(request.Headers.IfMatch, coap);
        AddIfNoneMatch(request.Headers.IfNoneMatch, coap, isRead);
        if (isRead)
        {
            coap.CacheMode = CacheModeOf(request.Headers.CacheControl);
        }

        if (request.Options.TryGetValue(CoapHttpRequestOptions.Confirmable, out bool confirmable))
        {
            coap.Confirmable = confirmable;
        }

        if (request.Options.TryGetValue(CoapHttpRequestOptions.BlockSize, out int blockSize))
        {
            coap.BlockSize = blockSize;
        }

        if (request.Options.TryGetValue(CoapHttpRequestOptions.HopLimit, out int hopLimit))
        {
            coap.Options.HopLimit = hopLimit;
        }

        if (request.Options.TryGetValue(CoapHttpRequestOptions.OnBehalfOf, out CoapQuotaSource source))
        {
            coap.OnBehalfOf = source;
        }

        coap.Accept = translator.AcceptedFormats(request)[0];
        return coap;
    }

    /// <summary>Returns the Content-Format of a body; null for a body without Content-Type.</summary>
    public static CoapContentFormat? FormatOf(HttpContent content, CoapHttpMediaTypes mediaTypes)
    {
        string? mediaType = content.Headers.TryGetValues("Content-Type", out IEnumerable<string>? types) ? string.Join(", ", types) : null;
        string coding = string.Join(", ", content.Headers.ContentEncoding);
        if (mediaType is null && coding.Length == 0)
        {
            return null;
        }

        return mediaTypes.TryGetContentFormat(mediaType, coding, out CoapContentFormat format)
            ? format
            : throw new CoapHttpTranslationException(
                HttpStatusCode.UnsupportedMediaType,
                CoapCode.UnsupportedContentFormat,
                $"CoAP has no Content-Format for {Describe(mediaType, coding)}.");
    }

    /// <summary>Whether the request has critical options that come from header fields of the client.</summary>
    public static bool HasClientOptions(CoapRequest request) =>
        request.Options.Contains(OptionNumber.IfMatch) || request.Options.Contains(OptionNumber.IfNoneMatch)
            || request.Options.Contains(OptionNumber.Accept);

    private static string Describe(string? mediaType, string coding) =>
        coding.Length == 0 ? $"the media type '{mediaType}'" : $"the media type '{mediaType}' with the content coding '{coding}'";

    private static void AddIfMatch(HttpHeaderValueCollection<EntityTagHeaderValue> tags, CoapRequest coap)
    {
        if (tags.Count == 0)
        {
            return;
        }

        bool isAny = false;
        foreach (EntityTagHeaderValue tag in tags)
        {
            if (tag.Tag == "*")
            {
                coap.Options.Add(OptionNumber.IfMatch, []);
                isAny = true;
            }
            else if (!tag.IsWeak && EntityTags.ToCoap(tag) is { } bytes)
            {
                coap.Options.Add(OptionNumber.IfMatch, bytes);
                isAny = true;
            }
        }

        if (!isAny)
        {
            // Weak tags never match (RFC 9110 section 13.1.1), and the others never came from a CoAP server.
            throw new CoapHttpTranslationException(
                HttpStatusCode.PreconditionFailed, CoapCode.PreconditionFailed,
                    "None of the entity-tags of If-Match can come from a CoAP server.");
        }
    }

    private static void AddIfNoneMatch(HttpHeaderValueCollection<EntityTagHeaderValue> tags, CoapRequest coap, bool isRead)
    {
        foreach (EntityTagHeaderValue tag in tags)
        {
            if (isRead)
            {
                // A tag without a mapping is a condition that the server cannot meet: it sends the whole representation.
                if (tag.Tag != "*" && EntityTags.ToCoap(tag) is { } bytes)
                {
                    coap.Options.Add(OptionNumber.ETag, bytes);
                }
            }
            else if (tag.Tag == "*")
            {
                coap.Options.IfNoneMatch = true;
            }
            else
            {
                throw new CoapHttpTranslationException(
                    HttpStatusCode.NotImplemented,
                    CoapCode.NotImplemented,
                    "If-None-Match with entity-tags has no counterpart in CoAP for unsafe methods. Use *, or remove the header.");
            }
        }
    }

    private static CoapCacheMode CacheModeOf(CacheControlHeaderValue? control) =>
        control is null ? CoapCacheMode.Default
        : control.OnlyIfCached ? CoapCacheMode.OnlyIfCached
        : control.NoStore ? CoapCacheMode.Bypass
        : control.NoCache || control.MaxAge == TimeSpan.Zero ? CoapCacheMode.Validate
        : CoapCacheMode.Default;
}
