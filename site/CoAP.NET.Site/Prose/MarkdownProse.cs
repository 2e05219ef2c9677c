using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Prose;

/// <summary>The sentences of a Markdown page, without code, tables, headings and markup.</summary>
internal static partial class MarkdownProse
{
    /// <summary>Returns the sentences of a page in their order, each on one line.</summary>
    /// <param name="markdown">The page.</param>
    public static IEnumerable<string> Sentences(string markdown) => Blocks(markdown).SelectMany(SplitSentences);

    private static IEnumerable<string> Blocks(string markdown)
    {
        bool isCode = false;
        bool isComment = false;
        List<string> block = [];
        foreach (string line in markdown.ReplaceLineEndings("\n").Split('\n').Append(""))
        {
            string text = line.Trim();
            if (text.StartsWith("```", StringComparison.Ordinal))
            {
                isCode = !isCode;
                text = "";
            }
            else if (isCode || isComment || text.StartsWith("<!--", StringComparison.Ordinal))
            {
                isComment = !isCode && !text.Contains("-->", StringComparison.Ordinal);
                text = "";
            }

            bool isBreak = text.Length == 0 || text[0] is '#' or '|' or '<' || ListItem().IsMatch(text);
            if (isBreak && block.Count > 0)
            {
                yield return Plain(string.Join(' ', block));
                block.Clear();
            }

            if (text.Length > 0 && text[0] is not ('#' or '|' or '<'))
            {
                block.Add(ListItem().Replace(text, ""));
            }
        }
    }

    private static string Plain(string block)
    {
        string text = Image().Replace(block, "");
        text = Code().Replace(text, "code");
        text = Link().Replace(text, "$1");
        return text.Replace("*", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal).TrimStart('>', ' ');
    }

    private static IEnumerable<string> SplitSentences(string block) => SentenceEnd().Split(block)
        .Select(static sentence => sentence.Trim())
        .Where(static sentence => sentence.Count(static character => character == ' ') >= 2);

    [GeneratedRegex(@"^([-*+]|\d+[.)])\s+")]
    private static partial Regex ListItem();

    [GeneratedRegex(@"!\[[^\]]*\]\([^)]*\)")]
    private static partial Regex Image();

    [GeneratedRegex("`[^`]+`")]
    private static partial Regex Code();

    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"(?<=[.!?]["")]?)\s+(?=[""(]?[A-Z0-9]|code)")]
    private static partial Regex SentenceEnd();
}
