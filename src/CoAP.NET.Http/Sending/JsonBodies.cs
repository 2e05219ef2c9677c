using System.Net;
using CoAP.NET.Http.Translating;

namespace CoAP.NET.Http.Sending;

/// <summary>Bodies of HTTP clients in JSON for CoAP servers that speak CBOR, where <see cref="CoapHttpJson.Converts"/> says so.</summary>
internal static class JsonBodies
{
    private const int ChunkSize = 16 * 1024;

    /// <summary>The body of a request, as it is sent on.</summary>
    /// <exception cref="CoapContentException">It cannot be converted.</exception>
    /// <exception cref="CoapHttpTranslationException">It has no Content-Format.</exception>
    public static async Task<(HttpContent? Content, CoapContentFormat? Format)> OfRequestAsync(
        HttpContent? content, CoapHttpTranslator translator, CancellationToken cancellationToken)
    {
        if (content is null || content.Headers.ContentLength == 0)
        {
            return (content, content is null ? null : translator.ContentFormatOf(content));
        }

        CoapContentFormat? cbor = content.Headers.ContentEncoding.Count == 0 ? translator.Json.FormatOf(TypeOf(content)) : null;
        if (cbor is not { } format)
        {
            return (content, translator.ContentFormatOf(content));
        }

        byte[] json = await ReadAsync(content, translator.Json.MaxSize, cancellationToken).ConfigureAwait(false)
            ?? throw new CoapContentException(
                CoapCode.RequestEntityTooLarge, $"A body that is converted has at most {translator.Json.MaxSize} bytes.");
        return (new ByteArrayContent(translator.Json.ToCbor(json, format)), format);
    }

    /// <summary>The body of a response in JSON; null where it stays what it is.</summary>
    public static async Task<HttpContent?> OfResponseAsync(
        CoapResponse response, HttpContent? body, HttpRequestMessage request, CoapHttpTranslator translator,
        CancellationToken cancellationToken)
    {
        CoapHttpJson json = translator.Json;
        if (body is null || json.MediaTypeOf(response.ContentFormat) is not { } mediaType
            || Accepts(request, translator.MediaTypes.MediaTypeOf(response.ContentFormat!.Value, out _)))
        {
            return null;
        }

        if (body is HeadContent)
        {
            body.Headers.TryAddWithoutValidation("Content-Type", mediaType);
            return body;
        }

        try
        {
            byte[] cbor = await ReadAsync(body, json.MaxSize, cancellationToken).ConfigureAwait(false)
                ?? throw new CoapContentException(CoapCode.RequestEntityTooLarge, $"It has more than {json.MaxSize} bytes.");
            int status = (int)translator.Codes.StatusOf(response.Code, hasPayload: true);
            ByteArrayContent converted = new(json.ToJson(cbor, response.ContentFormat.Value, status));
            converted.Headers.TryAddWithoutValidation("Content-Type", mediaType);
            return converted;
        }
        catch (CoapContentException exception) when (!response.IsSuccess)
        {
            // The status of an error says more than that its details cannot be read.
            return CoapToHttpResponse.TextOf(exception.Message);
        }
        catch (CoapContentException exception)
        {
            throw new CoapHttpTranslationException(
                HttpStatusCode.BadGateway, CoapCode.BadGateway, $"The response cannot be converted. {exception.Message}");
        }
        finally
        {
            body.Dispose();
        }
    }

    /// <summary>Says in the header that the representation is one of two.</summary>
    public static void Mark(HttpResponseMessage answer, HttpRequestMessage request, CoapHttpTranslator translator, bool isConverted)
    {
        if (!translator.Json.Converts)
        {
            return;
        }

        answer.Headers.Vary.Add("Accept");
        if (answer.Headers.ETag is { } tag && EntityTags.OfJson(tag) is var json
            && (isConverted || (answer.StatusCode == HttpStatusCode.NotModified && request.Headers.IfNoneMatch.Contains(json))))
        {
            answer.Headers.ETag = json;
        }
    }

    private static bool Accepts(HttpRequestMessage request, string mediaType) =>
        request.Headers.Accept.Any(range => range.Quality != 0 && mediaType.Equals(range.MediaType, StringComparison.OrdinalIgnoreCase));

    private static string? TypeOf(HttpContent content) =>
        content.Headers.TryGetValues("Content-Type", out IEnumerable<string>? types) ? string.Join(", ", types) : null;

    // Null for one that is larger.
    private static async Task<byte[]?> ReadAsync(HttpContent content, int maxSize, CancellationToken cancellationToken)
    {
        if (content.Headers.ContentLength > maxSize)
        {
            return null;
        }

        Stream stream = await content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        using MemoryStream body = new();
        byte[] buffer = new byte[ChunkSize];
        int read;
        while ((read = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0)
        {
            if (body.Length + read > maxSize)
            {
                return null;
            }

            body.Write(buffer, 0, read);
        }

        return body.ToArray();
    }
}
