using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using CoAP.NET.Messages;

namespace CoAP.NET;

// From text to URI (RFC 7252 section 6.4, steps 1 to 4 and 7 to 9; RFC 3986 sections 3 and 5.2).
public sealed partial class CoapUri
{
    private const int MaxOptionBytes = 255;

    private const string Schemes = "coap, coaps, coap+tcp, coaps+tcp, coap+ws or coaps+ws";

    /// <summary>
    /// Reads an absolute CoAP URI, or an IRI as people type it, such as <c>coap://bücher.example/grüner tee</c>: it is mapped to its URI
    /// (RFC 3987 section 3.1). What is not ASCII is the UTF-8 of its options,
    /// <c>%</c> with two hexadecimal digits stays an escape, and a host name gets its <c>xn--</c> form.
    /// </summary>
    /// <param name="text">The text, such as <c>coap://[2001:db8::1]/sensors/temperature?unit=C</c>.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The text is no absolute CoAP URI, or has a fragment, or a part is too long for its option.</exception>
    public static CoapUri Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return TryParse(text, out CoapUri? uri, out UriFault fault) ? uri : throw new CoapUriException(fault.Describe(text), fault.Position);
    }

    /// <summary>Reads an absolute CoAP URI or IRI; see <see cref="Parse"/>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="uri">The URI.</param>
    /// <returns>Whether the text is an absolute CoAP URI.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out CoapUri? uri) => TryParse(text, out uri, out string? _);

    /// <summary>Reads an absolute CoAP URI or IRI; see <see cref="Parse"/>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="error">What is wrong and what to do.</param>
    /// <returns>Whether the text is an absolute CoAP URI.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out CoapUri? uri, [NotNullWhen(false)] out string? error)
    {
        bool parsed = TryParse(text ?? string.Empty, out uri, out UriFault fault);
        error = parsed ? null : fault.Describe(text ?? string.Empty);
        return parsed;
    }

    /// <summary>Resolves a reference against this URI, as a Location or the target of a link (RFC 3986 section 5.2).</summary>
    /// <param name="reference">An absolute CoAP URI, or a reference without scheme, host or path, such as <c>../a?b=1</c>.</param>
    /// <returns>The URI that is meant.</returns>
    /// <exception cref="CoapUriException">The reference is none, leads to another scheme than CoAP's, or has a fragment.</exception>
    public CoapUri Resolve(string reference)
    {
        ArgumentNullException.ThrowIfNull(reference);
        return TryResolve(reference, out CoapUri? uri, out UriFault fault) ? uri : throw new CoapUriException(fault.Describe(reference), fault.Position);
    }

    /// <summary>Resolves a reference against this URI, as a Location or the target of a link (RFC 3986 section 5.2).</summary>
    /// <param name="reference">An absolute CoAP URI, or a reference without scheme, host or path.</param>
    /// <param name="uri">The URI that is meant.</param>
    /// <param name="error">What is wrong and what to do.</param>
    /// <returns>Whether the reference leads to a CoAP URI.</returns>
    public bool TryResolve([NotNullWhen(true)] string? reference, [NotNullWhen(true)] out CoapUri? uri, [NotNullWhen(false)] out string? error)
    {
        UriFault fault = new(0, "There is no reference.");
        uri = null;
        bool resolved = reference is not null && TryResolve(reference, out uri, out fault);
        error = resolved ? null : fault.Describe(reference ?? string.Empty);
        return resolved;
    }

    private static bool TryParse(string text, [NotNullWhen(true)] out CoapUri? uri, out UriFault fault)
    {
        uri = null;
        int colon = FindScheme(text);
        if (colon < 0)
        {
            fault = new UriFault(0, "It has no scheme. Begin with coap:// or another scheme of CoAP.");
            return false;
        }

        string scheme = UriText.ToLowerAscii(text.AsSpan(0, colon));
        if (!TryGetDefaultPort(scheme, out int defaultPort))
        {
            fault = new UriFault(0, $"The scheme '{scheme}' is none of CoAP. Use {Schemes}.");
            return false;
        }

        if (!text.AsSpan(colon + 1).StartsWith("//", StringComparison.Ordinal))
        {
            fault = new UriFault(colon + 1, "The host is missing. Write scheme://host/path (RFC 7252 section 6.1).");
            return false;
        }

        return TryParseAuthority(text, colon + 3, out int end, out UriHostName host, out int? port, out fault)
            && TryParsePathAndQuery(text, end, [], out string[]? path, out string[]? query, out fault)
            && (uri = new CoapUri(scheme, host, port ?? defaultPort, path, query ?? [])) is not null;
    }

    private bool TryResolve(string reference, [NotNullWhen(true)] out CoapUri? uri, out UriFault fault)
    {
        if (FindScheme(reference) >= 0)
        {
            return TryParse(reference, out uri, out fault);
        }

        uri = null;
        UriHostName host = new(Host, HostAddress, ZoneId);
        int port = Port;
        int start = 0;
        bool isPathKept = false;
        ReadOnlySpan<string> merged = [];
        if (reference.StartsWith("//", StringComparison.Ordinal))
        {
            TryGetDefaultPort(Scheme, out int defaultPort);
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
        else if (reference[0] != '/' && _path.Length > 0)
        {
            // Merge: what stands before the last slash of this path (RFC 3986 section 5.2.3).
            merged = _path.AsSpan(0, _path.Length - 1);
        }

        if (!TryParsePathAndQuery(reference, start, merged, out string[]? path, out string[]? query, out fault))
        {
            return false;
        }

        uri = new CoapUri(Scheme, host, port, isPathKept ? _path : path, query ?? (isPathKept ? _query : []));
        return true;
    }

    // The place of the colon behind a scheme; -1 when there is none (RFC 3986 section 3.1).
    private static int FindScheme(string text)
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

    private static bool TryParseAuthority(string text, int start, out int end, out UriHostName host, out int? port, out UriFault fault)
    {
        host = default;
        port = null;
        int length = text.AsSpan(start).IndexOfAny('/', '?', '#');
        end = length < 0 ? text.Length : start + length;
        ReadOnlySpan<char> authority = text.AsSpan(start..end);
        int at = authority.IndexOf('@');
        if (at >= 0)
        {
            fault = new UriFault(start, "CoAP URIs have no user information (RFC 7252 section 6.1). Remove what stands before '@'.");
            return false;
        }

        int bracket = authority.IndexOf(']');
        int hostEnd = bracket < 0 ? authority.IndexOf(':') : bracket + 1;
        hostEnd = hostEnd < 0 ? authority.Length : hostEnd;
        if (!UriHostName.TryParse(authority[..hostEnd], start, out host, out fault))
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
            fault = new UriFault(start + hostEnd + Math.Max(bad, 0), "A port is a decimal number behind a colon; an IPv6 address stands in brackets, as in [2001:db8::1]:5683.");
            return false;
        }

        digits = digits.TrimStart('0');
        int number = 0;
        if (digits.Length > 5 || (digits.Length > 0 && (number = int.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture)) > ushort.MaxValue))
        {
            fault = new UriFault(start + hostEnd + 1, "A port is 0 to 65535.");
            return false;
        }

        port = hostEnd + 1 == authority.Length ? null : number;
        return true;
    }

    // Path and query from a place on to the end. The path is taken behind segments that stand before it; the query is null without '?'.
    private static bool TryParsePathAndQuery(
        string text, int start, ReadOnlySpan<string> before, [NotNullWhen(true)] out string[]? path, out string[]? query, out UriFault fault)
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

        // A path of a single slash is no segment; otherwise it would be an empty one (RFC 7252 section 6.4, step 8).
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
            if (!UriText.TryDecode(text.AsSpan(at..next), UriText.QueryChars, at, MaxOptionBytes, out string? argument, out fault))
            {
                return false;
            }

            arguments.Add(argument);
            at = next + 1;
        }

        query = [.. arguments];
        return true;
    }

    // Segments are decoded before dot segments are looked for, as '.' may be written %2E (RFC 3986 sections 6.2.2.2 and 5.2.4).
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
            if (!UriText.TryDecode(text.AsSpan(at..next), UriText.SegmentChars, at, MaxOptionBytes, out string? segment, out fault))
            {
                return false;
            }

            bool isLast = next == end;
            at = next + 1;
            if (!UriText.IsDotSegment(segment))
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
