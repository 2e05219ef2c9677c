using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Prose;

/// <summary>The sentences of the comments of a C# file: documentation comments and others.</summary>
internal static partial class CSharpProse
{
    /// <summary>Returns the sentences in their order.</summary>
    /// <param name="code">The file.</param>
    public static IEnumerable<string> Sentences(string code) => MarkdownProse.Sentences(string.Join('\n', Lines(code)));

    // A comment that ends, and an element that begins, end the sentence before.
    private static IEnumerable<string> Lines(string code)
    {
        foreach (string line in code.ReplaceLineEndings("\n").Split('\n'))
        {
            Match comment = Comment().Match(line);
            string text = comment.Success ? comment.Groups[1].Value : "";
            text = Reference().Replace(text, "code");
            text = Block().Replace(text, "\n");
            yield return Tag().Replace(text, "")
                .Replace("&lt;", "", StringComparison.Ordinal).Replace("&gt;", "", StringComparison.Ordinal);
        }
    }

    [GeneratedRegex(@"^\s*//[/]?\s?(.*)$")]
    private static partial Regex Comment();

    [GeneratedRegex(@"<(see|seealso|paramref|typeparamref)\b[^>]*/>|<c>.*?</c>")]
    private static partial Regex Reference();

    [GeneratedRegex(@"</?(summary|remarks|param|typeparam|returns|exception|value|para|item|term|description|list|example|code)\b[^>]*>")]
    private static partial Regex Block();

    [GeneratedRegex("<[^>]*>")]
    private static partial Regex Tag();
}
