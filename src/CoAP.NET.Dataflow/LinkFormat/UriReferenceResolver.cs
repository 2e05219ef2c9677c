namespace CoAP.NET.LinkFormat;

/// <summary>
/// Resolves URI references as RFC 3986 section 5.2 requires. <see cref="Uri"/> does more: it drops and rewrites escapes, ports and queries,
/// so the result may be another resource.
/// </summary>
internal static class UriReferenceResolver
{
    public static string Resolve(string baseUri, string reference)
    {
        ArgumentNullException.ThrowIfNull(baseUri);
        Parts origin = Parts.Of(baseUri);
        Parts parts = Parts.Of(reference);
        if (parts.Scheme is not null)
        {
            parts.Path = RemoveDotSegments(parts.Path);
            return parts.ToString();
        }

        parts.Scheme = origin.Scheme;
        if (parts.Authority is not null)
        {
            parts.Path = RemoveDotSegments(parts.Path);
            return parts.ToString();
        }

        parts.Authority = origin.Authority;
        if (parts.Path.Length == 0)
        {
            parts.Path = origin.Path;
            parts.Query ??= origin.Query;
        }
        else
        {
            parts.Path = RemoveDotSegments(parts.Path[0] == '/' ? parts.Path : Merge(origin, parts.Path));
        }

        return parts.ToString();
    }

    /// <summary>Returns scheme and authority of an absolute URI.</summary>
    public static string GetOrigin(string uri)
    {
        Parts parts = Parts.Of(uri);
        return new Parts { Scheme = parts.Scheme, Authority = parts.Authority }.ToString();
    }

    private static string Merge(Parts origin, string path) => origin.Authority is not null && origin.Path.Length == 0
        ? "/" + path
        : origin.Path[..(origin.Path.LastIndexOf('/') + 1)] + path;

    private static string RemoveDotSegments(string path)
    {
        if (!path.Contains('.', StringComparison.Ordinal))
        {
            return path;
        }

        bool rooted = path.StartsWith('/');
        string[] segments = (rooted ? path[1..] : path).Split('/');
        List<string> kept = [];
        for (int i = 0; i < segments.Length; i++)
        {
            bool dots = segments[i] is "." or "..";
            if (segments[i] == ".." && kept.Count != 0)
            {
                kept.RemoveAt(kept.Count - 1);
            }

            if (!dots)
            {
                kept.Add(segments[i]);
            }
            else if (i == segments.Length - 1)
            {
                kept.Add(string.Empty);
            }
        }

        return (rooted ? "/" : string.Empty) + string.Join('/', kept);
    }

    /// <summary>The components of RFC 3986 appendix B; null for an absent one, which is different from an empty one.</summary>
    private struct Parts
    {
        public string? Scheme;
        public string? Authority;
        public string Path;
        public string? Query;
        public string? Fragment;

        public static Parts Of(string text)
        {
            Parts parts = default;
            (text, parts.Fragment) = Cut(text, '#');
            (text, parts.Query) = Cut(text, '?');
            int colon = text.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0 && !text.AsSpan(0, colon).Contains('/'))
            {
                parts.Scheme = text[..colon];
                text = text[(colon + 1)..];
            }

            if (text.StartsWith("//", StringComparison.Ordinal))
            {
                int slash = text.IndexOf('/', 2);
                parts.Authority = slash < 0 ? text[2..] : text[2..slash];
                text = slash < 0 ? string.Empty : text[slash..];
            }

            parts.Path = text;
            return parts;
        }

        public override readonly string ToString() =>
            (Scheme is null ? null : Scheme + ":") + (Authority is null ? null : "//" + Authority) + Path
            + (Query is null ? null : "?" + Query) + (Fragment is null ? null : "#" + Fragment);

        private static (string Before, string? After) Cut(string text, char separator)
        {
            int at = text.IndexOf(separator, StringComparison.Ordinal);
            return at < 0 ? (text, null) : (text[..at], text[(at + 1)..]);
        }
    }
}
