using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Uris;

/// <summary>Percent-encoding and the character classes of URIs (RFC 3986 sections 2 and 3; RFC 7252 sections 6.4 and 6.5).</summary>
internal static class UriEncoding
{
    /// <summary>The maximum length of a segment or argument (RFC 7252 section 5.10), in bytes.</summary>
    public const int MaxOptionBytes = 255;

    private const string Unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private const string LowerUnreserved = "abcdefghijklmnopqrstuvwxyz0123456789-._~";
    private const string SubDelims = "!$&'()*+,;=";

    // For one UTF-16 unit; a surrogate pair needs 4.
    private const int MaxBytesPerChar = 3;

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
    private static readonly SearchValues<char> NameLiterals = SearchValues.Create(LowerUnreserved + SubDelims);
    private static readonly SearchValues<char> SegmentLiterals = SearchValues.Create(Unreserved + SubDelims + ":@");
    private static readonly SearchValues<char> QueryLiterals =
        SearchValues.Create((Unreserved + SubDelims + ":@/?").Replace("&", string.Empty, StringComparison.Ordinal));
    private static readonly SearchValues<char> ZoneLiterals = SearchValues.Create(Unreserved);

    /// <summary>Returns whether an ASCII character is allowed in a registered name without an escape.</summary>
    internal static bool IsNameLiteral(char c) => c != '%' && NameChars.Contains(c);

    /// <summary>Returns whether a decoded segment is <c>.</c> or <c>..</c>.</summary>
    internal static bool IsDotSegment(string segment) => segment is "." or "..";

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

        if (!raw.Contains('%'))
        {
            decoded = raw.ToString();
            return CheckSize(Encoding.UTF8.GetByteCount(raw), maxBytes, position, out fault);
        }

        byte[]? rented = raw.Length > 256 ? ArrayPool<byte>.Shared.Rent(raw.Length * MaxBytesPerChar) : null;
        Span<byte> bytes = rented ?? stackalloc byte[256 * MaxBytesPerChar];
        try
        {
            int count = 0;
            for (int i = 0; i < raw.Length; i++)
            {
                if (raw[i] != '%')
                {
                    Rune.DecodeFromUtf16(raw[i..], out Rune rune, out int used);
                    count += rune.EncodeToUtf8(bytes[count..]);
                    i += used - 1;
                    continue;
                }

                if (i + 2 >= raw.Length || !char.IsAsciiHexDigit(raw[i + 1]) || !char.IsAsciiHexDigit(raw[i + 2]))
                {
                    fault = new UriFault(position + i,
                        "'%' is not followed by two hexadecimal digits. Write a percent sign itself as %25.");
                    return false;
                }

                bytes[count++] = (byte)((HexValue(raw[i + 1]) << 4) | HexValue(raw[i + 2]));
                i += 2;
            }

            bytes = bytes[..count];
            if (!Utf8.IsValid(bytes))
            {
                fault = new UriFault(position,
                    "The percent-encoded bytes are not UTF-8. Options of URIs carry UTF-8 only (RFC 7252 section 5.10.1).");
                return false;
            }

            decoded = Encoding.UTF8.GetString(bytes);
            return CheckSize(count, maxBytes, position, out fault);
        }
        finally
        {
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
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

    private static void Append(StringBuilder text, string value, SearchValues<char> literals)
    {
        ReadOnlySpan<char> rest = value;
        Span<byte> bytes = stackalloc byte[4];
        while (!rest.IsEmpty)
        {
            int literal = rest.IndexOfAnyExcept(literals);
            if (literal < 0)
            {
                text.Append(rest);
                return;
            }

            text.Append(rest[..literal]);
            rest = rest[literal..];
            Rune.DecodeFromUtf16(rest, out Rune rune, out int used);
            int count = rune.EncodeToUtf8(bytes);
            for (int i = 0; i < count; i++)
            {
                AppendEscape(text, bytes[i]);
            }

            rest = rest[used..];
        }
    }

    private static StringBuilder AppendEscape(StringBuilder text, byte b) =>
        text.Append('%').Append(Digit(b >> 4)).Append(Digit(b & 15));

    private static char Digit(int value) => (char)(value < 10 ? '0' + value : 'A' + value - 10);

    private static int HexValue(char digit) => digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;

    private static bool CheckSize(int bytes, int maxBytes, int position, out UriFault fault)
    {
        fault = bytes <= maxBytes
            ? default
            : new UriFault(position,
                $"A part of {bytes} bytes is too long: host, path segments and query arguments have at most {maxBytes} (RFC 7252 section "
                    + "5.10).");
        return bytes <= maxBytes;
    }

    private static UriFault BadCharacter(char c, int position) => c < 0x80
        ? new UriFault(position,
            $"The character {(char.IsControl(c) || c == ' ' ? $"U+{(int)c:X4}" : $"'{c}'")} may not stand here. Percent-encode it as "
                + $"%{(int)c:X2}.")
        : new UriFault(
            position, $"U+{(int)c:X4} is a control character or half of a surrogate pair, which may not stand in a URI or IRI (RFC 3987 "
                + $"section 2.2).");
}
