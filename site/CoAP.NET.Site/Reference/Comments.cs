using System.Collections.Immutable;
using System.Xml;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>The comments of symbols, with those that they inherit put in.</summary>
/// <param name="library">The libraries.</param>
internal sealed class Comments(Library library)
{
    // Deeper than any chain of base classes; a circle of references ends here.
    private const int MaxDepth = 16;

    private readonly Dictionary<ISymbol, XElement> _done = new(SymbolEqualityComparer.Default);

    /// <summary>The comment of a symbol; empty when it has none and inherits none.</summary>
    /// <param name="symbol">The symbol.</param>
    public XElement Of(ISymbol symbol) => Of(symbol.OriginalDefinition, 0);

    private XElement Of(ISymbol symbol, int depth)
    {
        if (_done.TryGetValue(symbol, out XElement? done))
        {
            return done;
        }

        XElement comment = Own(symbol);
        XElement[] references = [.. comment.Descendants("inheritdoc")];
        if ((references.Length > 0 || !comment.HasElements) && depth < MaxDepth)
        {
            string? cref = references.Select(static reference => (string?)reference.Attribute("cref"))
                .FirstOrDefault(static id => id is not null);
            ISymbol? source = cref is null ? TypeRelations.InheritedFrom(symbol) : library.Find(cref);
            if (source is not null)
            {
                Inherit(comment, symbol, source, Of(source.OriginalDefinition, depth + 1));
            }
        }

        comment.Descendants("inheritdoc").Remove();
        _done[symbol] = comment;
        return comment;
    }

    private static XElement Own(ISymbol symbol)
    {
        string? xml = symbol.GetDocumentationCommentXml();
        return string.IsNullOrWhiteSpace(xml) ? new XElement("member") : Parse(xml);
    }

    private static XElement Parse(string xml)
    {
        try
        {
            XElement element = XElement.Parse(xml, LoadOptions.PreserveWhitespace);
            return element.Name.LocalName is "member" or "doc" ? element : new XElement("member", element);
        }
        catch (XmlException)
        {
            return XElement.Parse($"<member>{xml}</member>", LoadOptions.PreserveWhitespace);
        }
    }

    private static void Inherit(XElement comment, ISymbol symbol, ISymbol source, XElement inherited)
    {
        HashSet<string> own = [.. comment.Elements().Where(static element => element.Name != "inheritdoc").Select(Key)];
        foreach (XElement element in inherited.Elements())
        {
            XElement copy = new(element);
            Rename(copy, symbol, source);
            if (!own.Contains(Key(copy)))
            {
                comment.Add(copy);
            }
            else if (comment.Elements().First(present => Key(present) == Key(copy)).Element("inheritdoc") is { } place)
            {
                place.ReplaceWith(copy.Nodes());
            }
        }
    }

    // A parameter that has another name than in the base is described by its place.
    private static void Rename(XElement copy, ISymbol symbol, ISymbol source)
    {
        foreach (XElement element in copy.DescendantsAndSelf().Where(static element => element.Name.LocalName is "param" or "paramref"))
        {
            string? name = (string?)element.Attribute("name");
            IParameterSymbol? parameter = ParametersOf(source).FirstOrDefault(parameter => parameter.Name == name);
            if (parameter is not null && parameter.Ordinal < ParametersOf(symbol).Length
                && ParametersOf(symbol).All(own => own.Name != name))
            {
                element.SetAttributeValue("name", ParametersOf(symbol)[parameter.Ordinal].Name);
            }
        }
    }

    private static ImmutableArray<IParameterSymbol> ParametersOf(ISymbol symbol) => symbol switch
    {
        IMethodSymbol method => method.Parameters,
        IPropertySymbol property => property.Parameters,
        _ => [],
    };

    private static string Key(XElement element) =>
        $"{element.Name.LocalName} {(string?)element.Attribute("name")} {(string?)element.Attribute("cref")}";
}
