namespace CoAP.NET.Http;

/// <summary>A rule of loose mapping (RFC 8075 section 6.3): replaces media types that match a pattern with a more general one.</summary>
/// <param name="Pattern">The pattern, without parameters: a media type, in which <c>*</c> matches any characters of the type or the
/// subtype, such as <c>application/*+json</c>.</param>
/// <param name="MediaType">The replacement, such as <c>application/json</c>.</param>
internal sealed record CoapHttpLooseMediaTypeMapping(string Pattern, string MediaType)
{
    /// <summary>Whether the rule applies to a media type.</summary>
    /// <param name="mediaType">The media type, without parameters.</param>
    /// <returns>Whether it matches.</returns>
    public bool Matches(string mediaType)
    {
        ArgumentNullException.ThrowIfNull(mediaType);
        if (Pattern == "*/*")
        {
            return true;
        }

        int star = Pattern.IndexOf('*', StringComparison.Ordinal);
        if (star < 0)
        {
            return mediaType.Equals(Pattern, StringComparison.OrdinalIgnoreCase);
        }

        ReadOnlySpan<char> end = Pattern.AsSpan(star + 1);
        return mediaType.Length > star + end.Length
            && mediaType.AsSpan().StartsWith(Pattern.AsSpan(0, star), StringComparison.OrdinalIgnoreCase)
            && mediaType.AsSpan().EndsWith(end, StringComparison.OrdinalIgnoreCase);
    }
}
