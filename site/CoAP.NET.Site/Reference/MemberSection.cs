using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes what a comment says of a member, or of a type, in the order in which readers look for it.</summary>
/// <param name="comments">The comments.</param>
/// <param name="text">Writes them.</param>
/// <param name="links">Links to symbols.</param>
/// <param name="addresses">Anchors of members.</param>
internal sealed class MemberSection(Comments comments, CommentText text, SymbolLinks links, Addresses addresses)
{
    /// <summary>Writes the section of a member.</summary>
    /// <param name="page">The page of its type.</param>
    /// <param name="member">The member.</param>
    public void Write(PageWriter page, ISymbol member)
    {
        page.AddHeading(3, Heading(member), addresses.AnchorOf(member)!);
        page.Add(Notice(member));
        page.Add(text.Blocks(comments.Of(member).Element("summary")));
        page.Add(MarkdownText.CodeBlock(Declaration.OfMember(member)));
        WriteParts(page, member, level: 4);
    }

    /// <summary>Writes what comes after the declaration: parameters, result, exceptions, remarks, examples.</summary>
    /// <param name="page">The page.</param>
    /// <param name="symbol">The member, delegate or other type.</param>
    /// <param name="level">The level of headings: 2 for those of a type, which the outline of the page shows.</param>
    public void WriteParts(PageWriter page, ISymbol symbol, int level)
    {
        XElement comment = comments.Of(symbol);
        IMethodSymbol? method = symbol as IMethodSymbol ?? (symbol as INamedTypeSymbol)?.DelegateInvokeMethod;
        WriteList(page, level, "Type parameters", comment.Elements("typeparam"), static element => MarkdownText.Code(Name(element)));
        IReadOnlyList<IParameterSymbol> parameters = method?.Parameters ?? (symbol as IPropertySymbol)?.Parameters ?? [];
        WriteList(page, level, "Parameters", parameters.Select(parameter => Of(comment, parameter)), element =>
            $"{MarkdownText.Code(Name(element))} {links.Type(parameters.First(parameter => parameter.Name == Name(element)).Type)}:");
        if (method is { ReturnsVoid: false, MethodKind: not MethodKind.Constructor })
        {
            page.Add($"**Returns** {links.Type(method.ReturnType)}: {text.Blocks(comment.Element("returns"))}".TrimEnd(' ', ':'));
        }
        else if (symbol is IPropertySymbol property)
        {
            string value = text.Blocks(comment.Element("value") ?? comment.Element("returns"));
            string type = links.Type(property.Type);
            bool isLink = type.Contains("](", StringComparison.Ordinal);
            page.Add(value.Length > 0 || isLink ? $"**Value** {type}: {value}".TrimEnd(' ', ':') : string.Empty);
        }

        WriteList(page, level, "Exceptions", comment.Elements("exception"), static element => string.Empty, Thrown);
        WriteNamed(page, level, "Remarks", Join(comment, "remarks"));
        WriteNamed(page, level, "Example", Join(comment, "example"));
        WriteList(page, level, "See also", comment.Elements("seealso"), static element => string.Empty, element =>
            text.Item(text.Blocks(new XElement("x", element)), null));
    }

    /// <summary>Says that a symbol is obsolete or experimental; empty for others.</summary>
    /// <param name="symbol">The symbol.</param>
    public static string Notice(ISymbol symbol)
    {
        foreach (AttributeData attribute in symbol.GetAttributes())
        {
            string argument = attribute.ConstructorArguments is [{ Kind: not TypedConstantKind.Array, Value: string value }, ..]
                ? value
                : string.Empty;
            switch (attribute.AttributeClass?.Name)
            {
                case "ObsoleteAttribute":
                    return $"::: warning Obsolete\n{MarkdownText.Escape(argument)}\n:::";
                case "ExperimentalAttribute":
                    return "::: warning Experimental\nIt may change or go with any version. The compiler reports "
                        + $"{MarkdownText.Code(argument)} until you suppress it.\n:::";
                default:
                    break;
            }
        }

        return string.Empty;
    }

    /// <summary>Whether the compiler refuses a call of a member: it stands there for its message.</summary>
    /// <param name="member">The member.</param>
    public static bool IsRefused(ISymbol member) => member.GetAttributes().Any(static attribute =>
        attribute is { AttributeClass.Name: "ObsoleteAttribute", ConstructorArguments: [_, { Value: true }] });

    private static string Heading(ISymbol member) => member.ContainingType.ExtensionParameter is { } extended
        ? $"{Names.OfType(extended.Type)}.{Names.OfMember(member)}"
        : Names.OfMember(member);

    private static XElement Of(XElement comment, IParameterSymbol parameter) =>
        comment.Elements("param").FirstOrDefault(element => Name(element) == parameter.Name)
            ?? new XElement("param", new XAttribute("name", parameter.Name));

    private static string Name(XElement element) => (string?)element.Attribute("name") ?? string.Empty;

    private string Thrown(XElement exception) =>
        text.Item(text.Blocks(new XElement("x", new XElement("see", exception.Attribute("cref")))) + ":", exception);

    private string Join(XElement comment, string name) => string.Join("\n\n", comment.Elements(name).Select(text.Blocks));

    private void WriteList(
        PageWriter page,
        int level,
        string title,
        IEnumerable<XElement> elements,
        Func<XElement, string> head,
        Func<XElement, string>? item = null)
    {
        string[] items = [.. elements.Select(item ?? (element => text.Item(head(element), element)))];
        if (items.Length > 0)
        {
            WriteNamed(page, level, title, string.Join('\n', items));
        }
    }

    private static void WriteNamed(PageWriter page, int level, string title, string content)
    {
        if (content.Trim().Length == 0)
        {
            return;
        }

        // Below a member these are no headings: an outline with "Parameters" for each member shows nothing.
        page.Add(level == 2 ? $"## {title}" : $"**{title}**");
        page.Add(content.Trim());
    }
}
