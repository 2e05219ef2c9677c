using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes comments as Markdown.</summary>
/// <param name="library">The libraries.</param>
/// <param name="links">Links to symbols.</param>
internal sealed partial class CommentText(Library library, SymbolLinks links)
{
    private readonly SortedSet<string> _unresolved = new(StringComparer.Ordinal);

    /// <summary>The references of comments that name nothing, as ids.</summary>
    public IReadOnlyCollection<string> Unresolved => _unresolved;

    /// <summary>Writes the content of an element as paragraphs, lists and blocks of code.</summary>
    /// <param name="element">The element, such as a summary; null gives no text.</param>
    public string Blocks(XElement? element)
    {
        if (element is null)
        {
            return string.Empty;
        }

        List<string> blocks = [];
        string line = string.Empty;
        foreach (XNode node in element.Nodes())
        {
            if (node is not XElement inner || Block(inner) is not { } block)
            {
                line += Inline(node);
                continue;
            }

            blocks.Add(Paragraph(line));
            blocks.Add(block.Trim());
            line = string.Empty;
        }

        blocks.Add(Paragraph(line));
        return string.Join("\n\n", blocks.Where(static text => text.Length > 0));
    }

    /// <summary>Writes an element as one item of a list: what follows its first paragraph is indented.</summary>
    /// <param name="head">What stands before the text.</param>
    /// <param name="element">The element; null gives the head alone.</param>
    public string Item(string head, XElement? element) =>
        "- " + $"{head} {Blocks(element)}".Trim()
            .Replace("\n", "\n  ", StringComparison.Ordinal).Replace("\n  \n", "\n\n", StringComparison.Ordinal);

    private static string Paragraph(string text)
    {
        string paragraph = Spaces().Replace(text, " ").Trim().Replace(" <br> ", "<br>", StringComparison.Ordinal);

        // The beginning of a list, a heading or a container is no such thing here.
        return BlockStart().Replace(paragraph, static start => start.Groups[1].Value + "\\" + start.Groups[2].Value);
    }

    private string? Block(XElement element) => element.Name.LocalName switch
    {
        "para" or "p" => Blocks(element),
        "code" => MarkdownText.CodeBlock(Outdent(element.Value), (string?)element.Attribute("language") ?? "csharp"),
        "list" => List(element),
        _ => null,
    };

    private string List(XElement list)
    {
        bool isNumbered = (string?)list.Attribute("type") == "number";
        return string.Join('\n', list.Elements("item").Select((item, index) =>
        {
            string term = string.Concat(item.Elements("term").SelectMany(static term => term.Nodes()).Select(Inline)).Trim();
            XElement? description = item.Element("description") ?? (term.Length > 0 ? null : item);
            string text = Item(term.Length > 0 && description is not null ? $"**{term}**:" : term, description);
            return isNumbered ? $"{index + 1}. {text[2..]}" : text;
        }));
    }

    private string Inline(XNode node) => node switch
    {
        XText text => MarkdownText.Escape(text.Value),
        XElement element => Inline(element),
        _ => string.Empty,
    };

    private string Inline(XElement element) => element.Name.LocalName switch
    {
        "c" or "tt" => MarkdownText.Code(element.Value),
        "see" or "seealso" => See(element),
        "paramref" or "typeparamref" => MarkdownText.Code((string?)element.Attribute("name") ?? string.Empty),
        "br" => " <br> ",
        "b" or "strong" => $"**{Content(element).Trim()}**",
        "i" or "em" => $"*{Content(element).Trim()}*",
        "a" => Link((string?)element.Attribute("href"), Content(element)),
        _ => Content(element),
    };

    private string Content(XElement element) => string.Concat(element.Nodes().Select(Inline));

    private string See(XElement element)
    {
        string content = Content(element).Trim();
        if ((string?)element.Attribute("langword") is { } word)
        {
            return MarkdownText.Code(word);
        }

        if ((string?)element.Attribute("cref") is not { } id)
        {
            return Link((string?)element.Attribute("href"), content);
        }

        ISymbol? symbol = library.Find(id);
        if (symbol is null)
        {
            _unresolved.Add(id);
            return content.Length > 0 ? content : MarkdownText.Code(id[(id.IndexOf(':', StringComparison.Ordinal) + 1)..]);
        }

        return links.To(symbol, content);
    }

    private static string Link(string? address, string content) =>
        address is null ? content : content.Trim().Length > 0 ? $"[{content.Trim()}](<{address}>)" : $"<{address}>";

    private static string Outdent(string code)
    {
        string[] lines = [.. code.ReplaceLineEndings("\n").Trim('\n').Split('\n')];
        int indent = lines.Where(static line => line.Trim().Length > 0)
            .Select(static line => line.Length - line.TrimStart().Length).DefaultIfEmpty().Min();
        return string.Join('\n', lines.Select(line => line.Length >= indent ? line[indent..] : line.Trim())).TrimEnd();
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();

    [GeneratedRegex(@"^(\d*)([-+=:.)])(?=\s|[-+=:])")]
    private static partial Regex BlockStart();
}
