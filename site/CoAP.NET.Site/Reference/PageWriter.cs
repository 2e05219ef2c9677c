using System.Net;
using System.Text;

namespace CoAP.NET.Site.Reference;

/// <summary>Puts a page together of blocks with an empty line between them.</summary>
internal sealed class PageWriter
{
    private readonly StringBuilder _text = new();

    /// <summary>Begins a page.</summary>
    /// <param name="title">Its title, as plain text.</param>
    /// <param name="description">What search engines show, as plain text; empty for none.</param>
    public PageWriter(string title, string description)
    {
        _text.Append("---\ntitle: ").Append(MarkdownText.Quoted(title));
        if (description.Length > 0)
        {
            // VitePress puts it into an attribute as it is.
            _text.Append("\ndescription: ").Append(MarkdownText.Quoted(WebUtility.HtmlEncode(description)));
        }

        _text.Append("\noutline: [2, 3]\npageClass: reference\nprev: false\nnext: false\n---\n");
    }

    /// <summary>Adds a block.</summary>
    /// <param name="markdown">The block; nothing is added when it is empty.</param>
    public void Add(string markdown)
    {
        if (markdown.Length > 0)
        {
            _text.Append('\n').Append(markdown).Append('\n');
        }
    }

    /// <summary>Adds a heading with an anchor of its own.</summary>
    /// <param name="level">1 to 6.</param>
    /// <param name="text">The heading, as plain text.</param>
    /// <param name="anchor">The anchor; none when empty.</param>
    public void AddHeading(int level, string text, string anchor = "")
    {
        string suffix = anchor.Length > 0 ? $" {{#{anchor}}}" : string.Empty;
        Add($"{new string('#', level)} {MarkdownText.Escape(text)}{suffix}");
    }

    /// <inheritdoc/>
    public override string ToString() => _text.ToString();
}
