using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace CoAP.NET.Uris;

/// <summary>Percent-encoding and the character classes of URIs (RFC 3986 sections 2 and 3; RFC 7252 sections 6.4 and 6.5).</summary>
internal static class UriEncoding
{
    /// <summary>The maximum length of a segment or argument (RFC 7252 section 5.10), in bytes.</summary>
    public const int MaxOptionBytes = 255;

    private const string Unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private const string LowerUnreserved = "abcdefghijklmnopqrstuvwxyz0123456789-._~";
    private const string SubDelims = "!$&'()*+,;=";

    /// <summary>The characters of a registered name.</summary>
    internal static readonly SearchValues<char> NameChars = SearchValues.Create(Unreserved + SubDelims + "%");

    internal static readonly SearchValues<char> SegmentChars = SearchValues.Create(Unreserved + SubDelims + ":@%");

    internal static readonly SearchValues<char> QueryChars = SearchValues.Create(Unreserved + SubDelims + ":@/?%");

    /// <summary>The characters of an IPv6 zone (RFC 6874).</summary>
    internal static readonly SearchValues<char> ZoneChars = SearchValues.Create(Unreserved + "%");

    // RFC 3987 section 3.1: printable ASCII that is invalid in URIs, which systems that accept IRIs may escape. '#', '%', '[' and ']' are
    // excluded: they have a meaning.
    private static readonly SearchValues<char> EscapedAscii = SearchValues.Create(" <>\"{}|\\^`");

    // Characters that stay unchanged when a host is written: a parser converts upper-case letters to lower case unless they are escaped.
    private static readonly SearchValues<byte> NameLiterals = Bytes(LowerUnreserved + SubDelims);
    private static readonly SearchValues<byte> SegmentLiterals = Bytes(Unreserved + SubDelims + ":@");
    private static readonly SearchValues<byte> QueryLiterals =
        Bytes((Unreserved + SubDelims + ":@/?").Replace("&", string.Empty, StringComparison.Ordinal));
    private static readonly SearchValues<byte> ZoneLiterals = Bytes(Unreserved);

    /// <summary>Returns whether an ASCII character is allowed in a registered name without an escape.</summary>
    internal static bool IsNameLiteral(char c) => c != '%' && NameChars.Contains(c);

    /// <summary>
    /// Returns whether a decoded segment is <c>.</c> or <c>..</c>, which no Uri-Path or Location-Path may be (RFC 7252 sections 5.10.1 and
    /// 5.10.7).
    /// </summary>
    internal static bool IsDotSegment(string segment) => segment is "." or "..";

    /// <summary>The same for the bytes of an option.</summary>
    internal static bool IsDotSegment(ReadOnlySpan<byte> segment) => segment.SequenceEqual("."u8) || segment.SequenceEqual(".."u8);

    /// <summary>
    /// Returns the segments of a path in URI form, still escaped. The first slash is optional; an empty path and a single slash have no
    /// segments.
    /// </summary>
    internal static string[] SplitPath(string path) => path is "" or "/" ? [] : (path[0] == '/' ? path[1..] : path).Split('/');

    /// <summary>Removes percent-encoding, once, from a text of the developer.</summary>
    /// <param name="text">The text.</param>
    /// <param name="parameter">The name of the caller's parameter.</param>
    /// <exception cref="ArgumentException">
    /// A percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    /// </exception>
    internal static string Decode(string text, string parameter) =>
        TryDecode(text, out string? decoded, out string? fault) ? decoded : throw new ArgumentException(fault, parameter);

    /// <summary>Removes percent-encoding, once.</summary>
    /// <param name="text">The text.</param>
    /// <param name="decoded">The decoded text; null if this fails.</param>
    /// <param name="fault">What is wrong; null if nothing is.</param>
    /// <returns>False if a percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.</returns>
    internal static bool TryDecode(string text, [NotNullWhen(true)] out string? decoded, [NotNullWhen(false)] out string? fault)
    {
        decoded = null;
        fault = FindBadEscape(text) >= 0
            ? $"'{text}' has a percent sign without two hexadecimal digits. Write %25 for a percent sign."
            : TryUnescape(text, out decoded) ? null
            : $"'{text}' is not UTF-8 after percent-decoding. Encode the bytes of UTF-8.";
        return fault is null;
    }

    /// <summary>
    /// Decodes a component once. Characters outside ASCII, and printable ASCII characters that URIs must escape, are allowed unescaped in a
    /// path and a query: an IRI is mapped to its URI (RFC 3987 section 3.1), whose decoded components are the same text.
    /// </summary>
    /// <param name="raw">The component of the URI or IRI.</param>
    /// <param name="allowed">The allowed characters.</param>
    /// <param name="position">Its position, for messages.</param>
    /// <param name="maxBytes">The maximum number of bytes of its option.</param>
    /// <param name="decoded">The decoded component.</param>
    /// <param name="fault">The error.</param>
    internal static bool TryDecode(
        ReadOnlySpan<char> raw, SearchValues<char> allowed, int position, int maxBytes, [NotNullWhen(true)] out string? decoded,
        out UriFault fault)
    {
        decoded = null;
        fault = default;
        int bad = raw.IndexOfAnyExcept(allowed);
        if (bad >= 0 && allowed != NameChars && allowed != ZoneChars)
        {
            bad = FindOutsideIri(raw, bad, allowed);
        }

        if (bad >= 0)
        {
            fault = BadCharacter(raw[bad], position + bad);
            return false;
        }

        int escape = FindBadEscape(raw);
        if (escape >= 0)
        {
            fault = new UriFault(position + escape, "'%' is not followed by two hexadecimal digits. Write a percent sign itself as %25.");
            return false;
        }

        if (!TryUnescape(raw, out decoded))
        {
            fault = new UriFault(position,
                "The percent-encoded bytes are not UTF-8. Options of URIs carry UTF-8 only (RFC 7252 section 5.10.1).");
            return false;
        }

        int bytes = Encoding.UTF8.GetByteCount(decoded);
        fault = bytes <= maxBytes
            ? default
            : new UriFault(position,
                $"A part of {bytes} bytes is too long: host, path segments and query arguments have at most {maxBytes} (RFC 7252 section "
                    + "5.10).");
        return bytes <= maxBytes;
    }

    /// <summary>
    /// Appends an absolute path and a query from decoded segments and arguments; the path is at least <c>/</c> (RFC 7252 section 6.5, steps
    /// 6 to 8).
    /// </summary>
    internal static void AppendPathAndQuery(StringBuilder text, IReadOnlyList<string> path, IReadOnlyList<string> query)
    {
        if (path.Count == 0)
        {
            text.Append('/');
        }

        for (int i = 0; i < path.Count; i++)
        {
            Append(text.Append('/'), path[i], SegmentLiterals);
        }

        for (int i = 0; i < query.Count; i++)
        {
            Append(text.Append(i == 0 ? '?' : '&'), query[i], QueryLiterals);
        }
    }

    /// <summary>Formats a relative reference from decoded segments and arguments.</summary>
    internal static string FormatReference(IReadOnlyList<string> path, IReadOnlyList<string> query)
    {
        StringBuilder text = new();

        // Two slashes at the beginning of a reference would start a host; a dot segment separates them and disappears when it is resolved.
        if (path.Count > 1 && path[0].Length == 0)
        {
            text.Append("/.");
        }

        AppendPathAndQuery(text, path, query);
        return text.ToString();
    }

    /// <summary>Appends a decoded segment in URI form (RFC 3986 section 3.3).</summary>
    internal static void AppendSegment(StringBuilder text, ReadOnlySpan<byte> segment) => Append(text, segment, SegmentLiterals);

    /// <summary>Writes a decoded registered name so that parsing returns it unchanged.</summary>
    internal static void AppendName(StringBuilder text, string name) => Append(text, name, NameLiterals);

    /// <summary>Writes a decoded zone.</summary>
    internal static void AppendZone(StringBuilder text, string zone) => Append(text, zone, ZoneLiterals);

    /// <summary>Percent-encodes characters outside ASCII and keeps the others (RFC 7252 section 6.5, step 2).</summary>
    internal static string EncodeNonAscii(string text)
    {
        if (Ascii.IsValid(text))
        {
            return text;
        }

        StringBuilder encoded = new(text.Length * 2);
        foreach (byte b in Encoding.UTF8.GetBytes(text))
        {
            _ = b < 0x80 ? encoded.Append((char)b) : AppendEscape(encoded, b);
        }

        return encoded.ToString();
    }

    // Returns the index of the first character that is invalid in URIs and IRIs (RFC 3987 section 2.2); -1 if there is none.
    private static int FindOutsideIri(ReadOnlySpan<char> raw, int start, SearchValues<char> allowed)
    {
        for (int i = start; i < raw.Length; i++)
        {
            if (raw[i] < 0x80)
            {
                if (!allowed.Contains(raw[i]) && !EscapedAscii.Contains(raw[i]))
                {
                    return i;
                }
            }
            else if (raw[i] < 0xA0 || Rune.DecodeFromUtf16(raw[i..], out _, out int used) != OperationStatus.Done)
            {
                // A control character, or half of a surrogate pair.
                return i;
            }
            else
            {
                i += used - 1;
            }
        }

        return -1;
    }

    // Returns the index of the first percent sign without two hexadecimal digits; -1 if there is none.
    private static int FindBadEscape(ReadOnlySpan<char> raw)
    {
        for (int i = raw.IndexOf('%'); i >= 0 && i < raw.Length; i++)
        {
            if (raw[i] == '%' && (i + 2 >= raw.Length || !char.IsAsciiHexDigit(raw[i + 1]) || !char.IsAsciiHexDigit(raw[i + 2])))
            {
                return i;
            }
        }

        return -1;
    }

    // Uri leaves the escapes of bytes that are not UTF-8 as they are, so more percent signs remain than were escaped.
    private static bool TryUnescape(ReadOnlySpan<char> raw, [NotNullWhen(true)] out string? decoded)
    {
        decoded = Uri.UnescapeDataString(raw);
        if (decoded.AsSpan().Count('%') != raw.Count("%25"))
        {
            decoded = null;
        }

        return decoded is not null;
    }

    private static void Append(StringBuilder text, string value, SearchValues<byte> literals)
    {
        int most = Encoding.UTF8.GetMaxByteCount(value.Length);
        Span<byte> bytes = most <= 1024 ? stackalloc byte[1024] : new byte[most];
        Append(text, bytes[..Encoding.UTF8.GetBytes(value, bytes)], literals);
    }

    private static void Append(StringBuilder text, ReadOnlySpan<byte> value, SearchValues<byte> literals)
    {
        foreach (byte b in value)
        {
            _ = literals.Contains(b) ? text.Append((char)b) : AppendEscape(text, b);
        }
    }

    private static StringBuilder AppendEscape(StringBuilder text, byte b) => text.Append(CultureInfo.InvariantCulture, $"%{b:X2}");

    private static SearchValues<byte> Bytes(string characters) => SearchValues.Create(Encoding.ASCII.GetBytes(characters));

    private static UriFault BadCharacter(char c, int position) => c < 0x80
        ? new UriFault(position,
            $"The character {(char.IsControl(c) || c == ' ' ? $"U+{(int)c:X4}" : $"'{c}'")} may not stand here. Percent-encode it as "
                + $"%{(int)c:X2}.")
        : new UriFault(
            position, $"U+{(int)c:X4} is a control character or half of a surrogate pair, which may not stand in a URI or IRI (RFC 3987 "
                + $"section 2.2).");
}
