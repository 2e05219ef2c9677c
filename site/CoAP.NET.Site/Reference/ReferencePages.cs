using CoAP.NET.Site.Pages;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>All pages of the reference, and the lists beside them.</summary>
internal sealed class ReferencePages
{
    private readonly Library _library;
    private readonly CommentText _text;
    private readonly Addresses _addresses;

    /// <summary>Writes the pages of libraries.</summary>
    /// <param name="library">The libraries.</param>
    public ReferencePages(Library library)
    {
        _library = library;
        _addresses = new Addresses(library);
        Comments comments = new(library);
        SymbolLinks links = new(_addresses);
        _text = new CommentText(library, links);
        TypePage types = new(library, comments, _text, links, _addresses);
        IndexPages indexes = new(library, comments, _text, _addresses);
        Dictionary<string, string> pages = new(StringComparer.OrdinalIgnoreCase) { ["/reference/index.md"] = indexes.WriteAll() };
        foreach (LibraryPackage package in library.Packages)
        {
            pages.Add(Addresses.OfPackage(package.Package), indexes.WritePackage(package));
            foreach (string name in package.Namespaces)
            {
                pages.Add(Addresses.OfNamespace(package.Package, name), indexes.WriteNamespace(package, name));
            }

            foreach (INamedTypeSymbol type in package.Types)
            {
                pages.Add(_addresses.OfType(type), types.Write(package.Package, type));
            }
        }

        Pages = pages;
    }

    /// <summary>The pages by their addresses from the root of the site, as <c>/reference/index.md</c>.</summary>
    public IReadOnlyDictionary<string, string> Pages { get; }

    /// <summary>References of comments that name nothing.</summary>
    public IReadOnlyCollection<string> Unresolved => _text.Unresolved;

    /// <summary>Lists what stands beside the pages of each folder: types beside those of a namespace, packages beside all others.</summary>
    /// <returns>Entries by the address of the folder.</returns>
    public IReadOnlyDictionary<string, IReadOnlyList<SidebarEntry>> Sidebars()
    {
        Dictionary<string, IReadOnlyList<SidebarEntry>> sidebars = new(StringComparer.Ordinal)
        {
            ["/reference/"] = [new SidebarEntry("API reference", "/reference/", [.. _library.Packages.Select(PackageEntry)])],
        };
        foreach (LibraryPackage package in _library.Packages)
        {
            foreach (string name in package.Namespaces)
            {
                SidebarEntry[] entries =
                [
                    PackageEntry(package) with { Items = [.. package.Namespaces.Select(other => NamespaceEntry(package, other))] },
                    new SidebarEntry(name, null, [.. package.TypesOf(name).Select(TypeEntry)]),
                ];
                sidebars.Add($"/reference/{package.Package.Folder}/{name}/", entries);
            }
        }

        return sidebars;
    }

    private SidebarEntry TypeEntry(INamedTypeSymbol type) => new(Names.OfType(type), Html(_addresses.OfType(type)));

    private static SidebarEntry PackageEntry(LibraryPackage package) =>
        new(package.Package.Name, Html(Addresses.OfPackage(package.Package)));

    private static SidebarEntry NamespaceEntry(LibraryPackage package, string name) =>
        new(name, Html(Addresses.OfNamespace(package.Package, name)));

    private static string Html(string address) => address.Replace("/index.md", "/", StringComparison.Ordinal)
        .Replace(".md", ".html", StringComparison.Ordinal);
}
