using System.Buffers;
using System.Text;

namespace CoAP.NET.Messages;

/// <summary>
/// Normalizes media types for comparison (RFC 9110 section 8.3.1): lower case, no white space, parameters sorted by name, values without
/// quotes.
/// </summary>
internal static class MediaTypeNormalizer
{
    private const string Blank = " \t";

    private static readonly SearchValues<char> s_token =
        SearchValues.Create("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    /// <summary>Returns the normal form; null if the text is not a media type.</summary>
    public static string? Normalize(string text)
    {
        int end = text.IndexOf(';', StringComparison.Ordinal);
        ReadOnlySpan<char> type = text.AsSpan(0, end < 0 ? text.Length : end).Trim(Blank);
        int slash = type.IndexOf('/');
        if (slash < 0 || !IsToken(type[..slash]) || !IsToken(type[(slash + 1)..]))
        {
            return null;
        }

        SortedDictionary<string, string> parameters = new(StringComparer.Ordinal);
        ReadOnlySpan<char> rest = end < 0 ? default : text.AsSpan(end);
        while (!rest.IsEmpty)
        {
            rest = rest[1..].TrimStart(Blank);
            int equals = rest.IndexOf('=');
            if (equals < 0 || !IsToken(rest[..equals]))
            {
                return null;
            }

            string name = rest[..equals].ToString();
            rest = rest[(equals + 1)..];
            if (!TryTakeValue(ref rest, out string value) || !parameters.TryAdd(Lower(name), Lower(value)))
            {
                return null;
            }
        }

        StringBuilder normal = new(Lower(type.ToString()));
        foreach ((string name, string value) in parameters)
        {
            normal.Append(';').Append(name).Append('=').Append(value);
        }

        return normal.ToString();
    }

    // Up to the next semicolon; quoted strings may contain semicolons and backslashes.
    private static bool TryTakeValue(ref ReadOnlySpan<char> rest, out string value)
    {
        StringBuilder text = new();
        int at = 0;
        bool isQuoted = !rest.IsEmpty && rest[0] == '"';
        for (at = isQuoted ? 1 : 0; at < rest.Length && rest[at] != (isQuoted ? '"' : ';'); at++)
        {
            if (isQuoted && rest[at] == '\\' && at + 1 < rest.Length)
            {
                at++;
            }

            text.Append(rest[at]);
        }

        bool isClosed = !isQuoted || at < rest.Length;
        rest = rest[Math.Min(rest.Length, isQuoted ? at + 1 : at)..].TrimStart(Blank);
        value = isQuoted ? text.ToString() : text.ToString().TrimEnd(' ', '\t');
        return isClosed && (rest.IsEmpty || rest[0] == ';') && (isQuoted || IsToken(value));
    }

    private static bool IsToken(ReadOnlySpan<char> text) => !text.IsEmpty && !text.ContainsAnyExcept(s_token);

    private static string Lower(string text) => AsciiText.ToLower(text);
}
