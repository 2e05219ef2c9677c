using CoAP.NET.Uris;

namespace CoAP.NET.LinkFormat;

/// <summary>The queries of RFC 6690 section 4.1.</summary>
internal static class LinkFilter
{
    public static bool Matches(CoapLink link, string query)
    {
        int equals = query.IndexOf('=', StringComparison.Ordinal);
        if (equals <= 0)
        {
            return true;
        }

        string name = query[..equals];
        ReadOnlySpan<char> pattern = query.AsSpan(equals + 1);
        bool prefix = pattern.EndsWith("*");
        pattern = prefix ? pattern[..^1] : pattern;
        if (name.Equals("href", StringComparison.OrdinalIgnoreCase))
        {
            return IsMatch(link.Target, pattern, prefix)
                || (UriEncoding.TryDecode(link.Target, out string? decoded, out _) && IsMatch(decoded, pattern, prefix));
        }

        foreach (CoapLinkAttribute attribute in link.Attributes)
        {
            if (attribute.IsNamed(name) && IsMatch(attribute, pattern, prefix))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsMatch(CoapLinkAttribute attribute, ReadOnlySpan<char> pattern, bool prefix)
    {
        if (prefix && pattern.IsEmpty)
        {
            return true;
        }

        if (attribute.Value is not { } value)
        {
            return false;
        }

        if (!LinkSyntax.IsList(attribute.Name))
        {
            return IsMatch(value, pattern, prefix);
        }

        foreach (Range member in value.AsSpan().Split(' '))
        {
            if (IsMatch(value.AsSpan()[member], pattern, prefix))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsMatch(ReadOnlySpan<char> value, ReadOnlySpan<char> pattern, bool prefix) =>
        prefix ? value.StartsWith(pattern) : value.SequenceEqual(pattern);
}
