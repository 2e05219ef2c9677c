using System.Net.Http.Headers;

namespace CoAP.NET.Http.Translating;

/// <summary>Which Accept options are tried for an Accept header field, in order (RFC 8075 section 6.1).</summary>
internal static class AcceptCandidates
{
    // Each may cost a request of its own.
    private const int MaxCandidates = 4;

    /// <summary>The candidates; null stands for a request without Accept, which is always the last one if it is there.</summary>
    /// <param name="accept">The header field.</param>
    /// <param name="mediaTypes">Media types and their Content-Formats.</param>
    /// <param name="json">Whether JSON is CBOR on the other side, and is asked for first then.</param>
    /// <returns>At least one: a field of which nothing can be mapped is left out, not refused.</returns>
    public static IReadOnlyList<CoapContentFormat?> Of(HttpHeaderValueCollection<MediaTypeWithQualityHeaderValue> accept,
        CoapHttpMediaTypes mediaTypes, CoapHttpJson json)
    {
        List<CoapContentFormat?> candidates = [];
        foreach (MediaTypeWithQualityHeaderValue range in accept.OrderByDescending(static range => range.Quality ?? 1))
        {
            if (range.Quality == 0 || candidates.Count == MaxCandidates)
            {
                break;
            }

            // A range asks for anything of its kind, and Accept in CoAP is for one Content-Format.
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
