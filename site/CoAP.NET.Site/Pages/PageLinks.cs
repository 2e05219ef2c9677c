using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Pages;

/// <summary>Turns the links of a page in the repository into those of the site.</summary>
/// <param name="pages">The pages.</param>
internal sealed partial class PageLinks(SitePages pages)
{
    /// <summary>Adapts the links of a page. Links to files that are no pages become text that names them.</summary>
    /// <param name="markdown">The page.</param>
    /// <param name="source">Where it is, as a path from the root of the repository.</param>
    public string Adapt(string markdown, string source) => LinkOrCode().Replace(markdown.ReplaceLineEndings("\n"), match =>
        match.Groups["target"].Success ? Link(match, source) : match.Value);

    private string Link(Match match, string source)
    {
        string target = match.Groups["target"].Value;
        string text = match.Groups["text"].Value;
        if (target.StartsWith('#') || Scheme().IsMatch(target))
        {
            return match.Value;
        }

        string[] parts = target.Split('#', 2);
        string anchor = parts.Length > 1 ? $"#{parts[1]}" : string.Empty;
        string file = Resolve(source, parts[0]);
        if (match.Value[0] == '!')
        {
            return $"![{text}]({Relative(source, file)})";
        }

        if (pages.PlaceOf(file) is not { } place)
        {
            // VitePress reports the link with all others that lead nowhere.
            if (!Path.Exists(Path.Combine(pages.Root, file)))
            {
                return $"[{text}](/{file}{anchor})";
            }

            return text.Trim('`') == file || text.Trim('`') == parts[0] ? $"`{file}`" : $"{text} (`{file}`)";
        }

        // In the repository a link may say the name of a file; a reader of the site knows pages by their titles.
        bool isFileName = FileName().IsMatch(text) && text.EndsWith(Path.GetFileName(file), StringComparison.Ordinal);
        string shown = isFileName ? pages.TitleOf(file) : text;
        return $"[{shown}](/{place}{anchor})";
    }

    private string Relative(string source, string file)
    {
        string folder = Path.GetDirectoryName(pages.PlaceOf(source) ?? "index.md")!;
        string place = file.StartsWith("docs/", StringComparison.Ordinal) ? file["docs/".Length..] : file;
        return "./" + Path.GetRelativePath($"/{folder}", $"/{place}").Replace('\\', '/');
    }

    private string Resolve(string source, string target)
    {
        string full = Path.GetFullPath(Path.Combine(pages.Root, Path.GetDirectoryName(source)!, target));
        return Path.GetRelativePath(pages.Root, full).Replace('\\', '/');
    }

    // Blocks and spans of code stay as they are; the text of a link may have brackets and spans of code itself.
    [GeneratedRegex(
        @"^(?<fence>```+|~~~+)[^\n]*\n.*?^\k<fence>[^\n]*$"
        + @"|!?\[(?<text>(?:[^\[\]`]|`[^`\n]*`|\[[^\]]*\])*)\]\((?<target>[^()\s]+)\)|(?<tick>`+)[^\n]*?[^`]\k<tick>(?!`)",
        RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex LinkOrCode();

    [GeneratedRegex(@"^[a-zA-Z][a-zA-Z0-9+.-]*:")]
    private static partial Regex Scheme();

    [GeneratedRegex(@"^[\w./-]+\.md$")]
    private static partial Regex FileName();
}
