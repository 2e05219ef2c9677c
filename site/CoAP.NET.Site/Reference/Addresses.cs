using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Where the pages of types and the sections of members are.</summary>
/// <param name="library">The libraries.</param>
internal sealed class Addresses(Library library)
{
    private readonly Dictionary<ISymbol, string> _anchors = new(SymbolEqualityComparer.Default);
    private readonly HashSet<ISymbol> _anchored = new(SymbolEqualityComparer.Default);

    /// <summary>The page of a package, from the root of the site.</summary>
    /// <param name="package">The package.</param>
    public static string OfPackage(ShippedPackage package) => $"/reference/{package.Folder}/index.md";

    /// <summary>The page of a namespace of a package.</summary>
    /// <param name="package">The package.</param>
    /// <param name="name">The namespace.</param>
    public static string OfNamespace(ShippedPackage package, string name) => $"/reference/{package.Folder}/{name}/index.md";

    /// <summary>The page of a type of ours.</summary>
    /// <param name="type">The type.</param>
    public string OfType(INamedTypeSymbol type)
    {
        LibraryPackage package = library.Packages.First(
            package => SymbolEqualityComparer.Default.Equals(package.Assembly, type.ContainingAssembly));
        StringBuilder name = new();
        for (INamedTypeSymbol? current = type.OriginalDefinition; current is not null; current = current.ContainingType)
        {
            name.Insert(0, current.MetadataName.Replace('`', '-')).Insert(0, '.');
        }

        return $"/reference/{package.Package.Folder}/{Surface.NamespaceOf(type)}/{name.Remove(0, 1)}.md";
    }

    /// <summary>The page, and for a member the section, that describes a symbol; null when none does.</summary>
    /// <param name="symbol">A namespace, a type or a member.</param>
    public string? Of(ISymbol symbol)
    {
        if (symbol is INamespaceSymbol)
        {
            string name = symbol.ToDisplayString();
            return library.Packages.FirstOrDefault(package => package.Namespaces.Contains(name)) is { } first
                ? OfNamespace(first.Package, name)
                : null;
        }

        ISymbol original = symbol.OriginalDefinition;
        if (original is not (INamedTypeSymbol or IMethodSymbol or IPropertySymbol or IFieldSymbol or IEventSymbol)
            || !library.IsOurs(original) || !Surface.IsVisible(original))
        {
            return null;
        }

        if (original is INamedTypeSymbol type)
        {
            return type.TypeKind == TypeKind.Extension ? null : OfType(type);
        }

        INamedTypeSymbol page = PageOf(original);
        return AnchorOf(original) is { } anchor ? $"{OfType(page)}#{anchor}" : OfType(page);
    }

    /// <summary>The anchor of a member on the page of its type; null for one without a section.</summary>
    /// <param name="member">A member of a type of ours.</param>
    public string? AnchorOf(ISymbol member)
    {
        INamedTypeSymbol page = PageOf(member);
        if (_anchored.Add(page))
        {
            HashSet<string> taken = new(StringComparer.Ordinal);
            foreach (ISymbol described in Surface.MembersOf(page)
                .OrderBy(static other => other.GetDocumentationCommentId(), StringComparer.Ordinal))
            {
                string anchor = Slug(described);
                for (int number = 2; !taken.Add(anchor); number++)
                {
                    anchor = string.Create(CultureInfo.InvariantCulture, $"{Slug(described)}-{number}");
                }

                _anchors.Add(described, anchor);
            }
        }

        return _anchors.GetValueOrDefault(member);
    }

    private static INamedTypeSymbol PageOf(ISymbol member) =>
        member.ContainingType.TypeKind == TypeKind.Extension ? member.ContainingType.ContainingType : member.ContainingType;

    private static string Slug(ISymbol member)
    {
        string text = member is IMethodSymbol { MethodKind: MethodKind.Constructor } ? $"new {Names.OfMember(member)}"
            : member.Name.StartsWith("op_", StringComparison.Ordinal) ? $"{member.Name} {Names.OfMember(member)}"
            : Names.OfMember(member);
        StringBuilder slug = new("m-");
        foreach (char character in text.ToLowerInvariant())
        {
            if (char.IsAsciiLetterOrDigit(character))
            {
                slug.Append(character);
            }
            else if (slug[^1] != '-')
            {
                slug.Append('-');
            }
        }

        return slug.ToString().TrimEnd('-');
    }
}
