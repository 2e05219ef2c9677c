using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace CoAP.NET.Site.Reference;

/// <summary>The compiled libraries as symbols, with everything they stand on and the comments of all.</summary>
internal sealed class Library
{
    private readonly Compilation _compilation;
    private readonly Dictionary<string, ISymbol> _ids = new(StringComparer.Ordinal);

    private Library(Compilation compilation, IReadOnlyList<LibraryPackage> packages)
    {
        _compilation = compilation;
        Packages = packages;
        foreach (LibraryPackage package in packages)
        {
            AddIds(package.Assembly.GlobalNamespace);
        }
    }

    /// <summary>The packages in the order of <see cref="ShippedPackage.All"/>.</summary>
    public IReadOnlyList<LibraryPackage> Packages { get; }

    /// <summary>All public types of all packages.</summary>
    public IEnumerable<INamedTypeSymbol> Types => Packages.SelectMany(static package => package.Types);

    /// <summary>Loads packages from the files that this program was compiled against.</summary>
    /// <param name="packages">The packages.</param>
    /// <exception cref="FileNotFoundException">A package is none of these files.</exception>
    public static Library Load(IReadOnlyList<ShippedPackage> packages) => Load(packages, References());

    /// <summary>Loads packages from files.</summary>
    /// <param name="packages">The packages.</param>
    /// <param name="files">Assemblies: those of the packages, and those that they stand on. Comments stand beside them as XML.</param>
    /// <exception cref="FileNotFoundException">A package is none of these files.</exception>
    public static Library Load(IReadOnlyList<ShippedPackage> packages, IEnumerable<string> files)
    {
        Dictionary<string, PortableExecutableReference> references = files.ToDictionary(
            static file => Path.GetFileNameWithoutExtension(file),
            static file => MetadataReference.CreateFromFile(file, documentation: new CommentFile(Path.ChangeExtension(file, ".xml"))),
            StringComparer.OrdinalIgnoreCase);

        // Members that nothing outside sees are loaded too: they tell record structs from others.
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Reference",
            references: references.Values,
            options: new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, metadataImportOptions: MetadataImportOptions.All));
        return new Library(compilation, [.. packages.Select(package => new LibraryPackage(package, Assembly(package)))]);

        IAssemblySymbol Assembly(ShippedPackage package) =>
            references.TryGetValue(package.Name, out PortableExecutableReference? reference)
                ? (IAssemblySymbol)compilation.GetAssemblyOrModuleSymbol(reference)!
                : throw new FileNotFoundException(
                    $"{package.Name} is packed, but the site does not refer to it. Add it to the references of CoAP.NET.Site.csproj.");
    }

    /// <summary>Finds what an id of a comment names, in the libraries or in what they stand on.</summary>
    /// <param name="id">An id, such as <c>T:CoAP.NET.CoapClient</c>.</param>
    public ISymbol? Find(string id) =>
        _ids.TryGetValue(id, out ISymbol? symbol) ? symbol : DocumentationCommentId.GetFirstSymbolForDeclarationId(id, _compilation);

    /// <summary>Whether a symbol is of one of the packages.</summary>
    /// <param name="symbol">The symbol.</param>
    public bool IsOurs(ISymbol symbol) =>
        Packages.Any(package => SymbolEqualityComparer.Default.Equals(package.Assembly, symbol.ContainingAssembly));

    /// <summary>The files that this program was compiled against.</summary>
    public static string[] References()
    {
        using Stream stream = typeof(Library).Assembly.GetManifestResourceStream("references.txt")
            ?? throw new InvalidOperationException("The program was built without its list of references. Build it with dotnet build.");
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
    }

    private void AddIds(INamespaceOrTypeSymbol container)
    {
        foreach (ISymbol member in container.GetMembers())
        {
            if (member.GetDocumentationCommentId() is { } id)
            {
                _ids.TryAdd(id, member);
            }

            if (member is INamespaceOrTypeSymbol inner)
            {
                AddIds(inner);
            }
        }
    }
}
