using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>A package with its public types.</summary>
internal sealed class LibraryPackage
{
    /// <summary>Makes one of an assembly.</summary>
    /// <param name="package">What ships.</param>
    /// <param name="assembly">Its assembly.</param>
    public LibraryPackage(ShippedPackage package, IAssemblySymbol assembly)
    {
        Package = package;
        Assembly = assembly;
        Types = [.. Collect(assembly.GlobalNamespace).OrderBy(static type => type.ToDisplayString(), StringComparer.Ordinal)];
        Namespaces = [.. Types.Select(Surface.NamespaceOf).Distinct().Order(StringComparer.Ordinal)];
    }

    /// <summary>What ships.</summary>
    public ShippedPackage Package { get; }

    /// <summary>Its assembly.</summary>
    public IAssemblySymbol Assembly { get; }

    /// <summary>The types that users see, nested ones too, by name.</summary>
    public IReadOnlyList<INamedTypeSymbol> Types { get; }

    /// <summary>The namespaces of <see cref="Types"/>, by name.</summary>
    public IReadOnlyList<string> Namespaces { get; }

    /// <summary>The types of a namespace.</summary>
    /// <param name="name">The namespace.</param>
    public IEnumerable<INamedTypeSymbol> TypesOf(string name) => Types.Where(type => Surface.NamespaceOf(type) == name);

    private static IEnumerable<INamedTypeSymbol> Collect(INamespaceOrTypeSymbol container)
    {
        foreach (INamespaceOrTypeSymbol inner in container.GetMembers().OfType<INamespaceOrTypeSymbol>())
        {
            if (inner is INamedTypeSymbol type && type.TypeKind != TypeKind.Extension && Surface.IsVisible(type))
            {
                yield return type;
            }

            foreach (INamedTypeSymbol nested in Collect(inner))
            {
                yield return nested;
            }
        }
    }
}
