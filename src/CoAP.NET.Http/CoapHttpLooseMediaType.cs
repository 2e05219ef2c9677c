namespace CoAP.NET.Http;

/// <summary>A rule of loose mapping (RFC 8075 section 6.3): media types that match a pattern are sent as a more general one.</summary>
/// <param name="Pattern">What the rule is for, without parameters: a media type, or one with <c>*</c> in the place of any characters of the
/// type or the subtype, such as <c>application/*+json</c>.</param>
/// <param name="MediaType">The media type that takes its place, such as <c>application/json</c>.</param>
public sealed record CoapHttpLooseMediaType(string Pattern, string MediaType)
{
    /// <summary>Whether the rule is for a media type.</summary>
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
