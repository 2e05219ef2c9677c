using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>Checks whether generated code can name a type.</summary>
internal static class TypeAccessibilityCheck
{
    /// <summary>Whether the compiler does not know a type or a part of it, and reports that.</summary>
    public static bool IsUnresolved(ITypeSymbol? type) => type switch
    {
        null or { TypeKind: TypeKind.Error } => true,
        IArrayTypeSymbol array => IsUnresolved(array.ElementType),
        INamedTypeSymbol named => named.TypeArguments.Any(IsUnresolved) || (named.ContainingType is { } outer && IsUnresolved(outer)),
        _ => false,
    };

    /// <summary>Finds why generated code cannot name a type.</summary>
    /// <returns>The diagnostic; null if it can name the type.</returns>
    public static Diagnostic? Find(ITypeSymbol type, Compilation compilation, Location location)
    {
        switch (type)
        {
            case ITypeParameterSymbol parameter:
                return Diagnostic.Create(Descriptors.OpenType, location,
                    parameter.DeclaringMethod?.Name ?? parameter.DeclaringType?.Name ?? "The handler", parameter.Name);
            case IArrayTypeSymbol array:
                return Find(array.ElementType, compilation, location);
            case INamedTypeSymbol { IsAnonymousType: true }:
                return Diagnostic.Create(Descriptors.CannotAnswer, location, "an anonymous type",
                    "generated code cannot name it; return a record");
            case INamedTypeSymbol named:
                return named.IsFileLocal || !compilation.IsSymbolAccessibleWithin(named, compilation.Assembly)
                    ? Diagnostic.Create(Descriptors.Inaccessible, location, named.Plain())
                    : named.TypeArguments.Select(argument => Find(argument, compilation, location))
                        .FirstOrDefault(found => found is not null)
                        ?? (named.ContainingType is { } outer ? Find(outer, compilation, location) : null);
            default:
                return null;
        }
    }
}
