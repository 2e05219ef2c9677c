using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes symbols as links to their pages, or as code where they have none.</summary>
/// <param name="addresses">Where the pages are.</param>
internal sealed class SymbolLinks(Addresses addresses)
{
    /// <summary>Links to a symbol.</summary>
    /// <param name="symbol">A type or a member.</param>
    /// <param name="text">What the link says, as Markdown; its name when empty.</param>
    public string To(ISymbol symbol, string text = "")
    {
        string shown = text.Length > 0 ? text : MarkdownText.Code(Names.Qualified(symbol));
        return addresses.Of(symbol) is { } address ? $"[{shown}]({address})" : shown;
    }

    /// <summary>Writes a type with a link for each type of ours in it, such as the argument of a task.</summary>
    /// <param name="type">The type.</param>
    public string Type(ITypeSymbol type)
    {
        IEnumerable<string> parts = type.ToDisplayParts(Names.TypeFormat).Select(part =>
        {
            string text = MarkdownText.Escape(part.ToString());
            return part.Symbol is INamedTypeSymbol named && addresses.Of(named) is { } address ? $"[{text}]({address})" : text;
        });
        return $"<code>{string.Concat(parts)}</code>";
    }
}
