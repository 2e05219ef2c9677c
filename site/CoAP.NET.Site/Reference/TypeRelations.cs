using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>What types derive from, implement and extend.</summary>
internal static class TypeRelations
{
    /// <summary>The base class of a type, when it is another than every such type has.</summary>
    /// <param name="type">The type.</param>
    public static INamedTypeSymbol? BaseOf(INamedTypeSymbol type) =>
        type.TypeKind == TypeKind.Class && type.BaseType is { SpecialType: not SpecialType.System_Object } parent ? parent : null;

    /// <summary>All base classes of a type, the nearest first, without <see cref="object"/>.</summary>
    /// <param name="type">The type.</param>
    public static IEnumerable<INamedTypeSymbol> BasesOf(INamedTypeSymbol type)
    {
        for (INamedTypeSymbol? parent = BaseOf(type); parent is not null; parent = BaseOf(parent))
        {
            yield return parent;
        }
    }

    /// <summary>The interfaces that a declaration names: visible ones, and none that another of them or the base class implies.</summary>
    /// <param name="type">The type.</param>
    public static IEnumerable<INamedTypeSymbol> DirectInterfaces(INamedTypeSymbol type)
    {
        bool isRecord = Surface.IsRecord(type);
        INamedTypeSymbol[] visible = [.. type.Interfaces.Where(face => Surface.IsVisible(face)
            && !(isRecord && face is { Name: "IEquatable", TypeArguments: [{ } argument] } && Same(argument, type)))];
        return visible.Where(face => !visible.Any(other => other.AllInterfaces.Any(implied => Same(implied, face))));
    }

    /// <summary>The types of our libraries that derive from a type or implement it, by name.</summary>
    /// <param name="library">The libraries.</param>
    /// <param name="type">A class or an interface.</param>
    public static IEnumerable<INamedTypeSymbol> DerivedFrom(Library library, INamedTypeSymbol type) => library.Types
        .Where(other => type.TypeKind switch
        {
            TypeKind.Class => BaseOf(other) is { } parent && Same(parent.OriginalDefinition, type),
            TypeKind.Interface => DirectInterfaces(other).Any(face => Same(face.OriginalDefinition, type)),
            _ => false,
        })
        .OrderBy(Names.OfType, StringComparer.Ordinal);

    /// <summary>The type that a member extends; null when it is no extension, or extends any type.</summary>
    /// <param name="member">A member of a static class or of an extension block.</param>
    public static INamedTypeSymbol? ExtendedBy(ISymbol member)
    {
        ITypeSymbol? extended = member.ContainingType.ExtensionParameter?.Type
            ?? (member is IMethodSymbol { IsExtensionMethod: true } method ? method.Parameters[0].Type : null);
        return extended switch
        {
            INamedTypeSymbol named => named.OriginalDefinition,
            ITypeParameterSymbol { ConstraintTypes: [INamedTypeSymbol constraint, ..] } => constraint.OriginalDefinition,
            _ => null,
        };
    }

    /// <summary>The member of a base class or an interface that a member replaces or implements; for a type what it derives from.</summary>
    /// <param name="symbol">The member or type.</param>
    public static ISymbol? InheritedFrom(ISymbol symbol) => (symbol switch
    {
        INamedTypeSymbol type => BaseOf(type) ?? type.Interfaces.FirstOrDefault(),
        IMethodSymbol { MethodKind: MethodKind.Constructor } method => method.ContainingType.BaseType?.InstanceConstructors
            .FirstOrDefault(other => other.Parameters.Select(static parameter => parameter.Type)
                .SequenceEqual(method.Parameters.Select(static parameter => parameter.Type), SymbolEqualityComparer.Default)),
        IMethodSymbol method => method.OverriddenMethod ?? method.ExplicitInterfaceImplementations.FirstOrDefault() ?? Implemented(method),
        IPropertySymbol property => property.OverriddenProperty ?? property.ExplicitInterfaceImplementations.FirstOrDefault()
            ?? Implemented(property),
        IEventSymbol member => member.OverriddenEvent ?? member.ExplicitInterfaceImplementations.FirstOrDefault() ?? Implemented(member),
        _ => null,
    })?.OriginalDefinition;

    private static ISymbol? Implemented(ISymbol member) => member.ContainingType.AllInterfaces
        .SelectMany(face => face.GetMembers(member.Name))
        .FirstOrDefault(declared => Same(member.ContainingType.FindImplementationForInterfaceMember(declared), member));

    private static bool Same(ISymbol? one, ISymbol? other) => SymbolEqualityComparer.Default.Equals(one, other);
}
