using System.Net;
using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Links;

/// <summary>What one page of the built site has: places that links lead to, links, and what a browser loads with it.</summary>
internal sealed partial class BuiltPage
{
    /// <summary>Reads a page.</summary>
    /// <param name="html">The page.</param>
    public BuiltPage(string html)
    {
        string text = Comment().Replace(html, string.Empty);
        Anchors = [.. Id().Matches(text).Select(static match => WebUtility.HtmlDecode(match.Groups[1].Value))];
        Links = [.. Anchor().Matches(text).Select(static match => WebUtility.HtmlDecode(match.Groups[1].Value))];
        Loads = [.. Resource().Matches(text).Select(static match => WebUtility.HtmlDecode(match.Groups[1].Value))];
    }

    /// <summary>The ids of its elements.</summary>
    public HashSet<string> Anchors { get; }

    /// <summary>Where its links lead.</summary>
    public IReadOnlyList<string> Links { get; }

    /// <summary>Scripts, styles, pictures and all else that a browser loads by itself.</summary>
    public IReadOnlyList<string> Loads { get; }

    [GeneratedRegex("<!--.*?-->", RegexOptions.Singleline)]
    private static partial Regex Comment();

    [GeneratedRegex(@"<[a-zA-Z][^>]*?\sid=""([^""]*)""")]
    private static partial Regex Id();

    [GeneratedRegex(@"<a\s(?:[^>]*?\s)?href=""([^""]*)""")]
    private static partial Regex Anchor();

    [GeneratedRegex(
        @"<(?:link\s(?:[^>]*?\s)?href"
        + @"|(?:script|img|iframe|source|video|audio|embed|object)\s(?:[^>]*?\s)?(?:src|data))=""([^""]*)""")]
    private static partial Regex Resource();
}
