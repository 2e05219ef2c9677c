using System.Net;
using CoAP.NET.Http.Translating;

namespace CoAP.NET.Http.Sending;

/// <summary>
/// Converts JSON bodies of HTTP clients for CoAP servers that use CBOR, if <see cref="CborJsonTranslator.Converts"/> is set.
/// </summary>
internal static class JsonBodyConverter
{
    private const int ChunkSize = 16 * 1024;

    /// <summary>Returns the request body to send.</summary>
    /// <exception cref="CoapContentException">The body is not convertible.</exception>
    /// <exception cref="CoapHttpTranslationException">The body has no Content-Format.</exception>
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
                CoapCode.RequestEntityTooLarge, $"A body that needs a conversion may have at most {translator.Json.MaxSize} bytes.");
        return (new ByteArrayContent(translator.Json.ToCbor(json, format)), format);
    }

    /// <summary>Returns the response body in JSON; null if it stays unchanged.</summary>
    public static async Task<HttpContent?> OfResponseAsync(
        CoapResponse response, HttpContent? body, HttpRequestMessage request, CoapHttpTranslator translator,
        CancellationToken cancellationToken)
    {
        CborJsonTranslator json = translator.Json;
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
                ?? throw new CoapContentException(CoapCode.RequestEntityTooLarge, $"The body has more than {json.MaxSize} bytes.");
            int status = (int)translator.Codes.StatusOf(response.Code, hasPayload: true);
            ByteArrayContent converted = new(json.ToJson(cbor, response.ContentFormat.Value, status));
            converted.Headers.TryAddWithoutValidation("Content-Type", mediaType);
            return converted;
        }
        catch (CoapContentException exception) when (!response.IsSuccess)
        {
            // The status of an error matters more than a failure to read its details.
            return HttpErrorResponse.TextOf(exception.Message);
        }
        catch (CoapContentException exception)
        {
            throw new CoapHttpTranslationException(
                HttpStatusCode.BadGateway, CoapCode.BadGateway, $"The response is not convertible. {exception.Message}");
        }
        finally
        {
            body.Dispose();
        }
    }

    /// <summary>Marks the response as one of two representations in its header.</summary>
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

    // Null for a larger body.
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
