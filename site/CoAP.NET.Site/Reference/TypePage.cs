using System.Globalization;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes the page of a type.</summary>
/// <param name="library">The libraries.</param>
/// <param name="comments">The comments.</param>
/// <param name="text">Writes them.</param>
/// <param name="links">Links to symbols.</param>
/// <param name="addresses">Where pages are.</param>
internal sealed class TypePage(Library library, Comments comments, CommentText text, SymbolLinks links, Addresses addresses)
{
    private readonly MemberSection _sections = new(comments, text, links, addresses);
    private readonly ILookup<ISymbol, ISymbol> _extensions = library.Types.Where(static type => type.IsStatic)
        .SelectMany(Surface.MembersOf)
        .Select(static member => (Member: member, Type: TypeRelations.ExtendedBy(member)))
        .Where(static entry => entry.Type is not null && !MemberSection.IsRefused(entry.Member))
        .ToLookup(static entry => (ISymbol)entry.Type!, static entry => entry.Member, SymbolEqualityComparer.Default);

    /// <summary>Writes the page.</summary>
    /// <param name="package">The package of the type.</param>
    /// <param name="type">The type.</param>
    public string Write(ShippedPackage package, INamedTypeSymbol type)
    {
        XElement comment = comments.Of(type);
        string title = $"{Names.OfType(type)} {Names.KindOf(type)}";
        PageWriter page = new(title, PlainSummary(comment));
        page.AddHeading(1, title);
        string name = Surface.NamespaceOf(type);
        page.Add($"Package [{package.Name}]({Addresses.OfPackage(package)}), namespace [{name}]({Addresses.OfNamespace(package, name)})");
        page.Add(MemberSection.Notice(type));
        page.Add(text.Blocks(comment.Element("summary")));
        page.Add(MarkdownText.CodeBlock(Declaration.OfType(type)));
        page.Add(Relations(type));
        _sections.WriteParts(page, type, level: 2);
        if (type.TypeKind == TypeKind.Enum)
        {
            WriteValues(page, type);
        }
        else if (type.TypeKind != TypeKind.Delegate)
        {
            WriteMembers(page, type);
        }

        WriteExtensions(page, type);
        return page.ToString();
    }

    private static string PlainSummary(XElement comment)
    {
        XElement summary = new(comment.Element("summary") ?? new XElement("summary"));
        foreach (XElement reference in summary.Descendants().Where(static element => !element.Nodes().Any()).ToArray())
        {
            reference.ReplaceWith(((string?)reference.Attribute("cref") ?? (string?)reference.FirstAttribute ?? string.Empty)
                .Split('(')[0].Split('.', ':')[^1].Split('`')[0]);
        }

        string text = string.Join(' ', summary.Value.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        return text.Length > 200 ? text[..200].TrimEnd() + "…" : text;
    }

    private string Relations(INamedTypeSymbol type)
    {
        List<string> lines = [];
        if (TypeRelations.BasesOf(type).Reverse().ToArray() is { Length: > 0 } bases)
        {
            lines.Add($"Inherits {string.Join(" → ", bases.Select(links.Type))}");
        }

        bool implements = type.TypeKind is TypeKind.Class or TypeKind.Struct or TypeKind.Interface;
        Add("Implements", type.AllInterfaces.Where(face =>
            implements && Surface.IsVisible(face) && (face.Name != "IEquatable" || !Surface.IsRecord(type))));
        Add("Derived", TypeRelations.DerivedFrom(library, type));
        return string.Join("  \n", lines);

        void Add(string head, IEnumerable<INamedTypeSymbol> types)
        {
            string[] shown = [.. types.Select(links.Type)];
            if (shown.Length > 0)
            {
                lines.Add($"{head} {string.Join(", ", shown)}");
            }
        }
    }

    private void WriteMembers(PageWriter page, INamedTypeSymbol type)
    {
        ILookup<string, ISymbol> groups = Surface.MembersOf(type)
            .OrderBy(static member => member.Name, StringComparer.Ordinal)
            .ThenBy(static member => member is IMethodSymbol method ? method.Parameters.Length : 0)
            .ThenBy(static member => member.GetDocumentationCommentId(), StringComparer.Ordinal)
            .ToLookup(GroupOf);
        foreach (string group in (string[])["Constructors", "Fields", "Properties", "Methods", "Operators", "Events", "Extension members"])
        {
            WriteGroup(page, group, groups[group]);
        }

        WriteNested(page, type.GetTypeMembers()
            .Where(static nested => nested.TypeKind != TypeKind.Extension && Surface.IsVisible(nested)));
        IEnumerable<INamedTypeSymbol> faces = type.TypeKind == TypeKind.Interface ? type.AllInterfaces : [];
        foreach (INamedTypeSymbol parent in TypeRelations.BasesOf(type).Concat(faces).Where(library.IsOurs))
        {
            string[] members = [.. Surface.MembersOf(parent.OriginalDefinition)
                .Where(static member => member is not IMethodSymbol { MethodKind: MethodKind.Constructor } && !member.IsStatic)
                .DistinctBy(static member => member.Name)
                .OrderBy(static member => member.Name, StringComparer.Ordinal)
                .Select(member =>
                    links.To(member, MarkdownText.Code(member is IPropertySymbol { IsIndexer: true } ? "this[]" : member.Name)))];
            if (members.Length > 0)
            {
                page.AddHeading(2, $"Inherited from {Names.OfType(parent)}");
                page.Add(string.Join(", ", members));
            }
        }
    }

    private static string GroupOf(ISymbol member) => member switch
    {
        { ContainingType.TypeKind: TypeKind.Extension } => "Extension members",
        IMethodSymbol { MethodKind: MethodKind.Constructor } => "Constructors",
        IMethodSymbol { MethodKind: MethodKind.UserDefinedOperator or MethodKind.Conversion } => "Operators",
        IMethodSymbol => "Methods",
        IPropertySymbol => "Properties",
        IEventSymbol => "Events",
        _ => "Fields",
    };

    private void WriteGroup(PageWriter page, string title, IEnumerable<ISymbol> members)
    {
        bool isFirst = true;
        foreach (ISymbol member in members)
        {
            if (isFirst)
            {
                page.AddHeading(2, title);
                isFirst = false;
            }

            _sections.Write(page, member);
        }
    }

    private void WriteValues(PageWriter page, INamedTypeSymbol type)
    {
        bool isFlags = type.GetAttributes().Any(static attribute => attribute.AttributeClass?.Name == "FlagsAttribute");
        page.AddHeading(2, "Values");
        IEnumerable<IFieldSymbol> fields = Surface.MembersOf(type).OfType<IFieldSymbol>();
        page.Add("| Name | Value | Description |\n|---|---|---|\n" + string.Join('\n', fields.Select(field =>
            $"| <a id=\"{addresses.AnchorOf(field)}\"></a>{MarkdownText.Code(field.Name)} | {Value(field)} | {Description(field)} |")));

        string Value(IFieldSymbol field) => isFlags
            ? string.Create(CultureInfo.InvariantCulture, $"0x{field.ConstantValue:X}")
            : Convert.ToString(field.ConstantValue, CultureInfo.InvariantCulture)!;

        string Description(IFieldSymbol field)
        {
            XElement comment = comments.Of(field);
            string[] parts = [text.Blocks(comment.Element("summary")), text.Blocks(comment.Element("remarks"))];
            return MarkdownText.Cell(string.Join("\n\n", parts.Where(static part => part.Length > 0)));
        }
    }

    // Those of its base classes and interfaces too: a caller writes client.GetAsync(...) without knowing which type it extends. The
    // namespace is the one to import. Overloads share a row, which leads to the first of them.
    private void WriteExtensions(PageWriter page, INamedTypeSymbol type)
    {
        string[] rows = [.. TypeRelations.BasesOf(type).Concat(type.AllInterfaces).Prepend(type)
            .Select(static extended => extended.OriginalDefinition)
            .Distinct<INamedTypeSymbol>(SymbolEqualityComparer.Default)
            .SelectMany(extended => _extensions[extended])
            .OrderBy(static member => member.Name, StringComparer.Ordinal)
            .ThenBy(static member => member.GetDocumentationCommentId()!.Length)
            .ThenBy(static member => member.GetDocumentationCommentId(), StringComparer.Ordinal)
            .DistinctBy(static member => (member.Name, member.ContainingNamespace.ToDisplayString()))
            .Select(member => $"| {links.To(member, MarkdownText.Code(member.Name))} "
                + $"| {MarkdownText.Code(member.ContainingNamespace.ToDisplayString())} "
                + $"| {MarkdownText.Cell(text.Blocks(comments.Of(member).Element("summary")))} |")];
        if (rows.Length > 0)
        {
            page.AddHeading(2, "Extension methods");
            page.Add($"| Name | Namespace | Description |\n|---|---|---|\n{string.Join('\n', rows)}");
        }
    }

    private void WriteNested(PageWriter page, IEnumerable<INamedTypeSymbol> types)
    {
        string[] rows = [.. types
            .OrderBy(static type => type.Name, StringComparer.Ordinal)
            .Select(type => $"| {links.To(type, MarkdownText.Escape(Names.OfType(type)))} "
                + $"| {MarkdownText.Cell(text.Blocks(comments.Of(type).Element("summary")))} |")];
        if (rows.Length > 0)
        {
            page.AddHeading(2, "Nested types");
            page.Add($"| Name | Description |\n|---|---|\n{string.Join('\n', rows)}");
        }
    }
}
