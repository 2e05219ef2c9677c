using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>Writes the names of types, for generated code and for messages.</summary>
internal static class TypeNameFormatter
{
    private static readonly SymbolDisplayFormat s_declared =
        SymbolDisplayFormat.FullyQualifiedFormat.AddMiscellaneousOptions(
            SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    // The format for messages.
    private static readonly SymbolDisplayFormat s_plain = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes);

    /// <summary>The type with its namespaces and question marks.</summary>
    public static string Declared(this ITypeSymbol type) => type.ToDisplayString(s_declared);

    /// <summary>The type with its namespaces, without a question mark at its end.</summary>
    public static string WithoutQuestionMark(this ITypeSymbol type) =>
        type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString(s_declared);

    /// <summary>Returns the readable name of a type.</summary>
    public static string Plain(this ITypeSymbol type) =>
        type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString(s_plain);

    /// <summary>Returns namespace and name of the type or its generic definition, such as <c>System.Threading.Tasks.Task</c>.</summary>
    public static string FullName(this ITypeSymbol type) =>
        type.ContainingType is null && type.ContainingNamespace is { IsGlobalNamespace: false } space
            ? $"{space.ToDisplayString()}.{type.MetadataName}"
            : type.MetadataName;

    /// <summary>Returns the underlying type of a Nullable; otherwise the type itself.</summary>
    public static ITypeSymbol WithoutNullable(this ITypeSymbol type) =>
        type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable
            ? nullable.TypeArguments[0]
            : type;

    public static bool IsNullableValue(this ITypeSymbol type) => type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T;

    public static bool IsByteArray(this ITypeSymbol type) =>
        type is IArrayTypeSymbol { Rank: 1, ElementType.SpecialType: SpecialType.System_Byte };

    public static bool IsByteMemory(this ITypeSymbol type) =>
        type is INamedTypeSymbol { TypeArguments.Length: 1 } memory && memory.TypeArguments[0].SpecialType == SpecialType.System_Byte
            && type.FullName() == "System.ReadOnlyMemory`1";

    public static bool IsOrDerivesFrom(this ITypeSymbol? type, string fullName)
    {
        for (; type is not null; type = type.BaseType)
        {
            if (type.FullName() == fullName)
            {
                return true;
            }
        }

        return false;
    }

    public static bool Implements(this ITypeSymbol type, string genericInterface) =>
        type.AllInterfaces.Any(face => face.FullName() == genericInterface && face.TypeArguments.Length == 1
            && SymbolEqualityComparer.Default.Equals(face.TypeArguments[0], type));
}
