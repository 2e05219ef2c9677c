using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// The position of the target in the URI of an HTTP request: a URI template (RFC 6570 level 2) after the URI of the proxy, with the
/// variables of RFC 8075 section 5.4. It is matched for requests, and expanded for Location.
/// </summary>
internal sealed partial class UriMappingTemplate
{
    private static readonly string[] s_variables = ["tu", "s", "hp", "p", "q", "qq"];

    private readonly Regex? _match;

    // The text before and after {tu}, which alone needs no regular expression; null if the template has the parts of a target.
    private readonly (string Before, string After)? _whole;
    private readonly HashSet<string> _reserved = new(StringComparer.Ordinal);
    private readonly string _text;

    /// <summary>Parses a template.</summary>
    /// <param name="text">The template, such as <c>{+tu}</c>.</param>
    /// <exception cref="ArgumentException">The text is not a template, or has no target.</exception>
    public UriMappingTemplate(string text)
    {
        ArgumentException.ThrowIfNullOrEmpty(text);
        _text = text;
        StringBuilder pattern = new("^");
        HashSet<string> seen = new(StringComparer.Ordinal);
        int at = 0;
        foreach (Match expression in Expression().Matches(text))
        {
            string name = expression.Groups["name"].Value;
            if (!s_variables.Contains(name, StringComparer.Ordinal) || !seen.Add(name))
            {
                throw new ArgumentException(
                    $"'{text}' is not a template for targets: {{{name}}} is not a variable of RFC 8075 section 5.4, or occurs twice.",
                        nameof(text));
            }

            bool inQuery = text.AsSpan(0, expression.Index).Contains('?');
            pattern.Append(Regex.Escape(text[at..expression.Index])).Append("(?<").Append(name).Append('>').Append(
                PatternOf(name, inQuery)).Append(')');
            _whole = name == "tu" ? (text[..expression.Index], text[(expression.Index + expression.Length)..]) : null;
            at = expression.Index + expression.Length;
            if (expression.Groups["plus"].Length > 0)
            {
                _reserved.Add(name);
            }
        }

        pattern.Append(Regex.Escape(text[at..])).Append('$');
        if (text[at..].AsSpan().IndexOfAny('{', '}') >= 0 || (seen.Contains("q") && seen.Contains("qq"))
            || seen.Contains("tu") == seen.Contains("hp")
            || (seen.Contains("tu") && seen.Count > 1))
        {
            throw new ArgumentException(
                $"'{text}' is not a template for targets. Use either {{+tu}}, or {{+hp}} with {{+s}}, {{+p}} and one of {{+q}} and "
                    + "{+qq}.",
                nameof(text));
        }

        _match = _whole is null ? new Regex(pattern.ToString(), RegexOptions.CultureInvariant | RegexOptions.NonBacktracking) : null;
    }

    /// <summary>Extracts the target from a hosting URI.</summary>
    /// <param name="rest">The original text after the URI of the proxy.</param>
    /// <param name="defaultScheme">The default scheme of targets; null for none.</param>
    /// <param name="target">The target, or the error.</param>
    /// <returns>Whether there is a target.</returns>
    public bool TryMatch(string rest, string? defaultScheme, [NotNullWhen(true)] out string? target)
    {
        target = null;
        if (_whole is var (before, after))
        {
            return rest.Length > before.Length + after.Length
                && rest.StartsWith(before, StringComparison.Ordinal)
                && rest.EndsWith(after, StringComparison.Ordinal)
                && !rest.Contains('\n', StringComparison.Ordinal)
                && TryReadWhole(Value("tu", rest[before.Length..^after.Length]), defaultScheme, out target);
        }

        Match match = _match!.Match(rest);
        if (!match.Success)
        {
            return false;
        }

        string scheme = match.Groups["s"].Success ? Value(match, "s") : defaultScheme ?? string.Empty;
        string query = Value(match, "qq") is { Length: > 0 } whole ? whole : Value(match, "q") is { Length: > 0 } part ? "?" + part
            : string.Empty;
        if (scheme.Length == 0)
        {
            return false;
        }

        target = WithBrackets($"{scheme}://{Value(match, "hp")}{Value(match, "p")}{query}");
        return true;
    }

    /// <summary>Expands the hosting URI of a target after the URI of the proxy.</summary>
    public string Expand(CoapUri target)
    {
        string whole = target.ToString();
        string afterAuthority = whole[(target.Scheme.Length + 3 + target.Authority.Length)..];
        int question = afterAuthority.IndexOf('?', StringComparison.Ordinal);
        string path = question < 0 ? afterAuthority : afterAuthority[..question];
        string query = question < 0 ? string.Empty : afterAuthority[question..];
        return Expression().Replace(_text, expression =>
        {
            string value = expression.Groups["name"].Value switch
            {
                "tu" => whole,
                "s" => target.Scheme,
                "hp" => target.Authority,
                "p" => path,
                "q" => query.TrimStart('?'),
                _ => query,
            };
            value = value.Replace("[", "%5B", StringComparison.Ordinal).Replace("]", "%5D", StringComparison.Ordinal);
            return expression.Groups["plus"].Length > 0 ? value : Uri.EscapeDataString(Uri.UnescapeDataString(value));
        });
    }

    private static string PatternOf(string name, bool inQuery) => name switch
    {
        "tu" => ".+",
        "s" => "[A-Za-z][A-Za-z0-9+.%-]*",
        "hp" => "[^/?&]+",
        "p" => inQuery ? "[^?&]*" : "(?:/[^?]*)?",
        "qq" => inQuery ? ".*" : @"(?:\?.*)?",
        _ => ".*",
    };


    private static bool TryReadWhole(string text, string? defaultScheme, [NotNullWhen(true)] out string? target)
    {
        // Some clients escape everything, although the template does not require it.
        if (!text.Contains(':', StringComparison.Ordinal) && text.Contains("%3A", StringComparison.OrdinalIgnoreCase))
        {
            text = Uri.UnescapeDataString(text);
        }

        int scheme = SchemeLength(text);
        ReadOnlySpan<char> behind = scheme > 0 ? text.AsSpan(scheme) : default;
        if (behind.StartsWith(":/", StringComparison.Ordinal) && !behind.StartsWith("://", StringComparison.Ordinal))
        {
            // Some intermediaries merge two slashes into one.
            text = $"{text[..scheme]}://{behind[2..]}";
        }
        else if (!behind.StartsWith("://", StringComparison.Ordinal))
        {
            if (defaultScheme is null)
            {
                target = null;
                return false;
            }

            text = $"{defaultScheme}://{text}";
        }

        target = WithBrackets(text);
        return true;
    }

    // Returns the length of a valid scheme before a colon (RFC 3986 section 3.1); 0 if there is none.
    private static int SchemeLength(string text)
    {
        int length = 0;
        while (length < text.Length && (char.IsAsciiLetter(text[length])
            || (length > 0 && (char.IsAsciiDigit(text[length]) || text[length] is '+' or '.' or '-'))))
        {
            length++;
        }

        return length < text.Length && text[length] == ':' ? length : 0;
    }

    // Brackets are not allowed in a path (RFC 3986 section 3.3), so hosting URIs escape them; the rest of the authority stays unchanged.
    private static string WithBrackets(string text)
    {
        int from = text.IndexOf("://", StringComparison.Ordinal) + 3;
        int to = text.AsSpan(from).IndexOfAny('/', '?') is var end and >= 0 ? from + end : text.Length;
        string authority = text[from..to]
            .Replace("%5B", "[", StringComparison.OrdinalIgnoreCase).Replace("%5D", "]", StringComparison.OrdinalIgnoreCase);
        return string.Create(CultureInfo.InvariantCulture, $"{text[..from]}{authority}{text[to..]}");
    }

    [GeneratedRegex(@"\{(?<plus>\+?)(?<name>[^{}]*)\}")]
    private static partial Regex Expression();

    private string Value(Match match, string name) =>
        !match.Groups[name].Success ? string.Empty
        : Value(name, match.Groups[name].Value);

    private string Value(string name, string written) => _reserved.Contains(name) ? written : Uri.UnescapeDataString(written);
}
