using System.Buffers;
using System.Globalization;
using System.Text;
using CoAP.NET.Uris;

namespace CoAP.NET.LinkFormat;

/// <summary>The character classes of the link format and the extended values of RFC 5987 (RFC 6690 section 2).</summary>
internal static class LinkSyntax
{
    private const string Alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private static readonly SearchValues<char> s_nameCharacters = SearchValues.Create(Alphanumeric + "!#$&+-.^_`|~");
    private static readonly SearchValues<char> s_tokenCharacters = SearchValues.Create(Alphanumeric + "!#$%&'()*+-./:<=>?@[]^_`{|}~");

    // A link has at most one of these; if there are more, the first one counts (RFC 6690 sections 2 and 3, RFC 5988 section 5, RFC 7252
    // erratum 5078, RFC 7641 section 6).
    private static readonly string[] s_onlyOnce = ["rel", "anchor", "rt", "if", "sz", "ct", "title", "title*", "type", "media", "obs",
        "osc"];

    // Their values are lists separated by spaces; each member is compared by itself.
    private static readonly string[] s_lists = ["rel", "rev", "rt", "if", "ct"];

    public static bool IsTokenCharacter(char value) => s_tokenCharacters.Contains(value);

    public static bool IsToken(ReadOnlySpan<char> value) => !value.IsEmpty && !value.ContainsAnyExcept(s_tokenCharacters);

    /// <summary>Returns whether a text is a valid attribute name. A star at the end marks an extended value.</summary>
    public static bool IsName(ReadOnlySpan<char> name)
    {
        ReadOnlySpan<char> stem = name.EndsWith("*") ? name[..^1] : name;
        return !stem.IsEmpty && !stem.ContainsAnyExcept(s_nameCharacters);
    }

    public static int NameLength(ReadOnlySpan<char> text)
    {
        int length = text.IndexOfAnyExcept(s_nameCharacters);
        length = length < 0 ? text.Length : length;
        return length > 0 && length < text.Length && text[length] == '*' ? length + 1 : length;
    }

    /// <summary>
    /// Returns whether a character is allowed between the angle brackets: it rejects characters that are invalid in every URI, and accepts
    /// all beyond ASCII.
    /// </summary>
    public static bool IsTargetCharacter(char value) => value > ' ' && value is not ('<' or '>' or '"' or '\x7f');

    /// <summary>Returns whether a character is allowed in a quoted string: all except controls; white space may be folded.</summary>
    public static bool IsTextCharacter(char value) => value is >= ' ' and not '\x7f' or '\t' or '\r' or '\n';

    public static bool IsOnlyOnce(string name) => s_onlyOnce.Contains(name, StringComparer.OrdinalIgnoreCase);

    public static bool IsList(string name) => s_lists.Contains(name, StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Reads an extended value: charset, language and percent-encoded bytes, separated by apostrophes (RFC 5987 section 3.2).
    /// </summary>
    public static string? DecodeExtended(string value)
    {
        string[] parts = value.Split('\'');
        if (parts.Length != 3)
        {
            return null;
        }

        if (parts[0].Equals("UTF-8", StringComparison.OrdinalIgnoreCase))
        {
            return UriEncoding.TryDecode(parts[2], out string? decoded, out _) ? decoded : null;
        }

        return parts[0].Equals("ISO-8859-1", StringComparison.OrdinalIgnoreCase) ? DecodeLatin1(parts[2]) : null;
    }

    private static string? DecodeLatin1(string text)
    {
        StringBuilder builder = new(text.Length);
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] != '%')
            {
                builder.Append(text[i]);
            }
            else if (i + 2 < text.Length
                && byte.TryParse(text.AsSpan(i + 1, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out byte value))
            {
                builder.Append((char)value);
                i += 2;
            }
            else
            {
                return null;
            }
        }

        return builder.ToString();
    }
}
