using System.Text;
using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes text so that neither Markdown nor HTML nor the templates of the site take a part of it as theirs.</summary>
internal static partial class MarkdownText
{
    /// <summary>Escapes text that stands in a paragraph, a heading, a list or a table.</summary>
    /// <param name="text">The text. Line breaks become spaces.</param>
    public static string Escape(string text)
    {
        StringBuilder escaped = new(text.Length + 8);
        foreach (char character in Spaces().Replace(text, " "))
        {
            _ = character switch
            {
                '<' => escaped.Append("&lt;"),
                '>' => escaped.Append("&gt;"),
                '&' => escaped.Append("&amp;"),
                '\\' or '`' or '*' or '_' or '[' or ']' or '#' or '|' or '~' or '!' or '$' => escaped.Append('\\').Append(character),
                _ => escaped.Append(character),
            };
        }

        // Between two braces a template would begin; the element keeps it from doing so.
        return OpenBraces().Replace(escaped.ToString(), "<span v-pre>$0</span>");
    }

    /// <summary>Writes text as code within a line.</summary>
    /// <param name="text">The text. Line breaks become spaces.</param>
    public static string Code(string text)
    {
        string line = Spaces().Replace(text, " ").Trim();
        if (line.Length == 0)
        {
            return string.Empty;
        }

        string fence = new('`', LongestTicks(line) + 1);
        string padding = line[0] == '`' || line[^1] == '`' ? " " : string.Empty;
        return $"{fence}{padding}{line}{padding}{fence}";
    }

    /// <summary>Writes lines as a block of code.</summary>
    /// <param name="lines">The lines.</param>
    /// <param name="language">The language, such as <c>csharp</c>.</param>
    public static string CodeBlock(string lines, string language = "csharp")
    {
        string fence = new('`', Math.Max(3, LongestTicks(lines) + 1));
        return $"{fence}{language}\n{lines.TrimEnd()}\n{fence}";
    }

    /// <summary>Makes one cell of a table of what may be several paragraphs.</summary>
    /// <param name="markdown">Markdown without blocks of code.</param>
    public static string Cell(string markdown) => Pipe().Replace(markdown.Trim(), "\\|")
        .Replace("\n\n", "<br>", StringComparison.Ordinal).Replace('\n', ' ');

    /// <summary>Writes a value for the head of a page.</summary>
    /// <param name="text">The text.</param>
    public static string Quoted(string text) =>
        $"\"{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)}\"";

    private static int LongestTicks(string text) => Ticks().Matches(text).Select(static ticks => ticks.Length).DefaultIfEmpty().Max();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();

    [GeneratedRegex(@"\{\{+")]
    private static partial Regex OpenBraces();

    [GeneratedRegex("`+")]
    private static partial Regex Ticks();

    [GeneratedRegex(@"(?<!\\)\|")]
    private static partial Regex Pipe();
}
