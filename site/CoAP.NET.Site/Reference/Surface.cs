using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>What users of a library see: which symbols, and which members of a type.</summary>
internal static class Surface
{
    /// <summary>Whether users see a symbol: it and its containers are public, or protected in a type that can be derived from.</summary>
    /// <param name="symbol">The symbol.</param>
    public static bool IsVisible(ISymbol symbol)
    {
        for (ISymbol? current = symbol; current is not null and not INamespaceSymbol; current = current.ContainingSymbol)
        {
            bool isVisible = current switch
            {
                INamedTypeSymbol { TypeKind: TypeKind.Extension } => true,
                _ => IsAccessible(current),
            };
            if (!isVisible)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The members of a type that have a description: no accessors, nothing that the compiler adds by itself.</summary>
    /// <param name="type">The type.</param>
    public static IEnumerable<ISymbol> MembersOf(INamedTypeSymbol type)
    {
        INamedTypeSymbol[] extensions = [.. type.GetTypeMembers().Where(static nested => nested.TypeKind == TypeKind.Extension)];

        // A member of an extension block is compiled to a static method beside it, which users do not call by that name.
        HashSet<ISymbol> hidden = new(
            extensions.SelectMany(static block => block.GetMembers()).OfType<IMethodSymbol>()
                .Select(static method => method.AssociatedExtensionImplementation).OfType<ISymbol>(),
            SymbolEqualityComparer.Default);
        return type.GetMembers()
            .Where(static member => member is not INamedTypeSymbol)
            .Concat(extensions.SelectMany(static block => block.GetMembers()))
            .Where(member => !hidden.Contains(member) && IsVisible(member) && IsDescribed(member));
    }

    /// <summary>The namespace of a type as text.</summary>
    /// <param name="type">The type.</param>
    public static string NamespaceOf(INamedTypeSymbol type) => type.ContainingNamespace.ToDisplayString();

    /// <summary>Whether a type is a record.</summary>
    /// <param name="type">The type.</param>
    public static bool IsRecord(INamedTypeSymbol type) => type.IsRecord
        || (type.TypeKind == TypeKind.Struct && type.GetMembers("PrintMembers").Any(IsMadeByCompiler));

    /// <summary>Whether the compiler wrote a symbol, such as the equality of a record.</summary>
    /// <param name="symbol">The symbol.</param>
    public static bool IsMadeByCompiler(ISymbol symbol) => symbol.IsImplicitlyDeclared || symbol.GetAttributes()
        .Any(static attribute => attribute.AttributeClass?.Name == "CompilerGeneratedAttribute");

    private static bool IsAccessible(ISymbol symbol) => symbol.DeclaredAccessibility switch
    {
        Accessibility.Public => true,
        Accessibility.Protected or Accessibility.ProtectedOrInternal =>
            symbol.ContainingType is { IsSealed: false, TypeKind: not TypeKind.Struct },
        _ => false,
    };

    private static bool IsDescribed(ISymbol member) => member switch
    {
        IMethodSymbol { MethodKind: MethodKind.Constructor, Parameters.Length: 0, ContainingType.IsValueType: true } => false,
        IMethodSymbol { MethodKind: MethodKind.Constructor } method => !IsCopyOfRecord(method),
        IMethodSymbol method => method.MethodKind is MethodKind.Ordinary or MethodKind.UserDefinedOperator or MethodKind.Conversion
            && !IsMadeByCompiler(method),
        IFieldSymbol field => field.AssociatedSymbol is null && field.CanBeReferencedByName,
        IPropertySymbol or IEventSymbol => !IsMadeByCompiler(member),
        _ => false,
    };

    private static bool IsCopyOfRecord(IMethodSymbol constructor) => IsMadeByCompiler(constructor) && constructor.Parameters is [{ } only]
        && SymbolEqualityComparer.Default.Equals(only.Type, constructor.ContainingType);
}
