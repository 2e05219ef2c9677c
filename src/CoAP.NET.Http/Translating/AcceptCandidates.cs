using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Selects the Accept options to try for an Accept header field, in order (RFC 8075 section 6.1).</summary>
internal static class AcceptCandidates
{
    // Each one may cost another request.
    private const int MaxCandidates = 4;

    /// <summary>Returns the candidates; null means a request without Accept, and is the last one if present.</summary>
    /// <param name="accept">The header field.</param>
    /// <param name="mediaTypes">The mapping of media types.</param>
    /// <param name="json">The JSON conversion; if it is on, the CBOR format is tried first.</param>
    /// <returns>At least one: a field without any mapping is ignored, not refused.</returns>
    public static IReadOnlyList<CoapContentFormat?> Of(HttpHeaderValueCollection<MediaTypeWithQualityHeaderValue> accept,
        CoapHttpMediaTypes mediaTypes, CborJsonTranslator json)
    {
        List<CoapContentFormat?> candidates = [];
        foreach (MediaTypeWithQualityHeaderValue range in accept.OrderByDescending(static range => range.Quality ?? 1))
        {
            if (range.Quality == 0 || candidates.Count == MaxCandidates)
            {
                break;
            }

            // A range accepts anything of its kind, but Accept in CoAP names one Content-Format.
            if (range.MediaType is null || range.MediaType.EndsWith("/*", StringComparison.Ordinal))
            {
                candidates.Add(null);
                return candidates;
            }

            if (json.FormatOf(range.MediaType) is { } converted && !candidates.Contains(converted))
            {
                candidates.Add(converted);
            }

            if (candidates.Count < MaxCandidates
                && mediaTypes.TryGetContentFormat(WithoutQuality(range), null, out CoapContentFormat format)
                && !candidates.Contains(format))
            {
                candidates.Add(format);
            }
        }

        if (candidates.Count == 0)
        {
            candidates.Add(null);
        }

        return candidates;
    }

    private static string WithoutQuality(MediaTypeWithQualityHeaderValue range)
    {
        MediaTypeHeaderValue plain = new(range.MediaType!);
        foreach (NameValueHeaderValue parameter in range.Parameters)
        {
            if (!parameter.Name.Equals("q", StringComparison.OrdinalIgnoreCase))
            {
                plain.Parameters.Add(parameter);
            }
        }

        return plain.ToString();
    }
}
