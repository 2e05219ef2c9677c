using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace CoAP.NET.Uris;

/// <summary>Parses text into the parts of a URI (RFC 7252 section 6.4, steps 1 to 4 and 7 to 9; RFC 3986 sections 3 and 5.2).</summary>
internal static class UriReader
{
    /// <summary>Parses an absolute URI or IRI.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out CoapUri? uri, out UriFault fault)
    {
        uri = null;
        int colon = FindScheme(text);
        if (colon < 0)
        {
            fault = new UriFault(0, "It has no scheme. Begin with coap:// or another scheme of CoAP.");
            return false;
        }

        string scheme = AsciiText.ToLower(text.AsSpan(0, colon));
        if (!UriSchemes.TryGetDefaultPort(scheme, out int defaultPort))
        {
            fault = UriSchemes.Unknown(scheme);
            return false;
        }

        if (!text.AsSpan(colon + 1).StartsWith("//", StringComparison.Ordinal))
        {
            fault = new UriFault(colon + 1, "The host is missing. Write scheme://host/path (RFC 7252 section 6.1).");
            return false;
        }

        if (!TryParseAuthority(text, colon + 3, out int end, out ParsedUriHost host, out int? port, out fault)
            || !TryParsePathAndQuery(text, end, [], out string[]? path, out string[]? query, out fault))
        {
            return false;
        }

        uri = new CoapUri(scheme, host, port ?? defaultPort, path, query ?? []);
        return true;
    }

    /// <summary>Parses a reference, and resolves it (RFC 3986 section 5.2).</summary>
    public static bool TryResolve(CoapUri origin, string reference, [NotNullWhen(true)] out CoapUri? uri, out UriFault fault)
    {
        if (FindScheme(reference) >= 0)
        {
            return TryParse(reference, out uri, out fault);
        }

        uri = null;
        ParsedUriHost host = new(origin.Host, origin.HostAddress, origin.ZoneId);
        int port = origin.Port;
        int start = 0;
        bool isPathKept = false;
        IEnumerable<string> merged = [];
        if (reference.StartsWith("//", StringComparison.Ordinal))
        {
            UriSchemes.TryGetDefaultPort(origin.Scheme, out int defaultPort);
            if (!TryParseAuthority(reference, 2, out start, out host, out int? given, out fault))
            {
                return false;
            }

            port = given ?? defaultPort;
        }
        else if (reference.Length == 0 || reference[0] is '?' or '#')
        {
            isPathKept = true;
        }
        else if (reference[0] != '/')
        {
            // Merge: the part before the last slash of the path (RFC 3986 section 5.2.3).
            merged = origin.PathSegments.SkipLast(1);
        }

        if (!TryParsePathAndQuery(reference, start, merged, out string[]? path, out string[]? query, out fault))
        {
            return false;
        }

        uri = new CoapUri(origin.Scheme, host, port, isPathKept ? [.. origin.PathSegments] : path,
            query ?? (isPathKept ? [.. origin.QueryArguments] : []));
        return true;
    }

    /// <summary>Returns the index of the colon after a scheme; -1 if there is none (RFC 3986 section 3.1).</summary>
    public static int FindScheme(string text)
    {
        for (int i = 0; i < text.Length; i++)
        {
            char c = text[i];
            if (c == ':')
            {
                return i > 0 ? i : -1;
            }

            if (!char.IsAsciiLetter(c) && (i == 0 || (!char.IsAsciiDigit(c) && c is not ('+' or '-' or '.'))))
            {
                return -1;
            }
        }

        return -1;
    }

    private static bool TryParseAuthority(string text, int start, out int end, out ParsedUriHost host, out int? port, out UriFault fault)
    {
        host = default;
        port = null;
        int length = text.AsSpan(start).IndexOfAny('/', '?', '#');
        end = length < 0 ? text.Length : start + length;
        ReadOnlySpan<char> authority = text.AsSpan(start..end);
        int at = authority.IndexOf('@');
        if (at >= 0)
        {
            fault = new UriFault(start, "CoAP URIs have no user information (RFC 7252 section 6.1). Remove the part up to '@'.");
            return false;
        }

        int bracket = authority.IndexOf(']');
        int hostEnd = bracket < 0 ? authority.IndexOf(':') : bracket + 1;
        hostEnd = hostEnd < 0 ? authority.Length : hostEnd;
        if (!ParsedUriHost.TryParse(authority[..hostEnd], start, out host, out fault))
        {
            return false;
        }

        if (hostEnd == authority.Length)
        {
            return true;
        }

        ReadOnlySpan<char> digits = authority[(hostEnd + 1)..];
        int bad = digits.IndexOfAnyExceptInRange('0', '9');
        if (authority[hostEnd] != ':' || bad >= 0)
        {
            fault = new UriFault(
                start + hostEnd + Math.Max(bad, 0),
                "A port must be a decimal number after a colon; an IPv6 address needs brackets, as in [2001:db8::1]:5683.");
            return false;
        }

        digits = digits.TrimStart('0');
        int number = 0;
        if (digits.Length > 5
            || (digits.Length > 0 && (number = int.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture)) > ushort.MaxValue))
        {
            fault = new UriFault(start + hostEnd + 1, "A port must be 0 to 65535.");
            return false;
        }

        port = hostEnd + 1 == authority.Length ? null : number;
        return true;
    }

    // Parses path and query from an index to the end, and appends the path to existing segments; the query is null without '?'.
    private static bool TryParsePathAndQuery(
        string text, int start, IEnumerable<string> before, [NotNullWhen(true)] out string[]? path, out string[]? query,
        out UriFault fault)
    {
        path = null;
        query = null;
        int hash = text.IndexOf('#', start);
        if (hash >= 0)
        {
            fault = new UriFault(hash, "It has a fragment, which is never sent (RFC 7252 section 6.4). Remove '#' and what follows.");
            return false;
        }

        int mark = text.IndexOf('?', start);
        int end = mark < 0 ? text.Length : mark;
        List<string> segments = [.. before];
        if (!TryParsePath(text, start, end, segments, out fault))
        {
            return false;
        }

        // A path with a single slash has no segment; otherwise it would have an empty one (RFC 7252 section 6.4, step 8).
        path = segments is [""] ? [] : [.. segments];
        if (mark < 0)
        {
            return true;
        }

        List<string> arguments = [];
        for (int at = mark + 1; at <= text.Length;)
        {
            int next = text.IndexOf('&', at);
            next = next < 0 ? text.Length : next;
            if (!UriEncoding.TryDecode(
                text.AsSpan(at..next), UriEncoding.QueryChars, at, UriEncoding.MaxOptionBytes, out string? argument, out fault))
            {
                return false;
            }

            arguments.Add(argument);
            at = next + 1;
        }

        query = [.. arguments];
        return true;
    }

    // Decode segments before the search for dot segments, because '.' may be written %2E (RFC 3986 sections 6.2.2.2 and 5.2.4).
    private static bool TryParsePath(string text, int start, int end, List<string> segments, out UriFault fault)
    {
        fault = default;
        if (start == end)
        {
            return true;
        }

        for (int at = text[start] == '/' ? start + 1 : start; at <= end;)
        {
            int next = text.AsSpan(at..end).IndexOf('/');
            next = next < 0 ? end : at + next;
            if (!UriEncoding.TryDecode(
                text.AsSpan(at..next), UriEncoding.SegmentChars, at, UriEncoding.MaxOptionBytes, out string? segment, out fault))
            {
                return false;
            }

            bool isLast = next == end;
            at = next + 1;
            if (!UriEncoding.IsDotSegment(segment))
            {
                segments.Add(segment);
                continue;
            }

            if (segment.Length == 2 && segments.Count > 0)
            {
                segments.RemoveAt(segments.Count - 1);
            }

            if (isLast)
            {
                segments.Add(string.Empty);
            }
        }

        return true;
    }
}
