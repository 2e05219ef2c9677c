using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes the pages that list types: of all packages, of a package, of a namespace.</summary>
/// <param name="library">The libraries.</param>
/// <param name="comments">The comments of types.</param>
/// <param name="text">Writes them.</param>
/// <param name="addresses">Where the pages of types are.</param>
internal sealed class IndexPages(Library library, Comments comments, CommentText text, Addresses addresses)
{
    /// <summary>Writes the page that lists the packages.</summary>
    public string WriteAll()
    {
        PageWriter page = new("API reference", "Every public type of every package.");
        page.AddHeading(1, "API reference");
        page.Add("Every public type of every package. Search finds types and members by their names.");
        page.Add("| Package | Types | Description |\n|---|---|---|\n" + string.Join('\n', library.Packages.Select(static package =>
            $"| [{package.Package.Name}]({Addresses.OfPackage(package.Package)}) | {package.Types.Count} "
            + $"| {MarkdownText.Escape(package.Package.Description)} |")));
        return page.ToString();
    }

    /// <summary>Writes the page of a package.</summary>
    /// <param name="package">The package.</param>
    public string WritePackage(LibraryPackage package)
    {
        PageWriter page = new(package.Package.Name, package.Package.Description);
        page.AddHeading(1, package.Package.Name);
        page.Add(MarkdownText.Escape(package.Package.Description));
        page.Add(MarkdownText.CodeBlock($"dotnet add package {package.Package.Name}", "sh"));
        page.Add("No package is published yet: [make the packages from a clone](/getting-started.md#packages-from-a-clone) first.");
        foreach (string name in package.Namespaces)
        {
            page.Add($"## [{name}]({Addresses.OfNamespace(package.Package, name)}) {{#{Anchor(name)}}}");
            page.Add(Table(package.TypesOf(name)));
        }

        return page.ToString();
    }

    /// <summary>Writes the page of a namespace of a package.</summary>
    /// <param name="package">The package.</param>
    /// <param name="name">The namespace.</param>
    public string WriteNamespace(LibraryPackage package, string name)
    {
        PageWriter page = new($"{name} ({package.Package.Name})", string.Empty);
        page.AddHeading(1, $"{name} namespace");
        page.Add($"Package [{package.Package.Name}]({Addresses.OfPackage(package.Package)})");
        (string Kind, string Title)[] kinds = [
            ("class", "Classes"), ("record", "Records"), ("struct", "Structs"), ("record struct", "Record structs"),
            ("interface", "Interfaces"), ("enum", "Enums"), ("delegate", "Delegates")];
        foreach ((string kind, string title) in kinds)
        {
            INamedTypeSymbol[] types = [.. package.TypesOf(name).Where(type => Names.KindOf(type) == kind)];
            if (types.Length > 0)
            {
                page.AddHeading(2, title);
                page.Add(Table(types));
            }
        }

        return page.ToString();
    }

    private static string Anchor(string name) => "n-" + name.ToLowerInvariant().Replace('.', '-');

    private string Table(IEnumerable<INamedTypeSymbol> types) =>
        "| Type | Description |\n|---|---|\n" + string.Join('\n', types.Select(type =>
        $"| [{MarkdownText.Escape(Names.OfType(type))}]({addresses.OfType(type)}) "
        + $"| {MarkdownText.Cell(text.Blocks(comments.Of(type).Element("summary")))} |"));
}
