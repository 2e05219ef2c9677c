using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Short names of symbols, as headings and links show them.</summary>
internal static class Names
{
    private static readonly SymbolDisplayFormat s_short = new(
        globalNamespaceStyle: SymbolDisplayGlobalNamespaceStyle.Omitted,
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        memberOptions: SymbolDisplayMemberOptions.IncludeParameters,
        parameterOptions: SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeParamsRefOut,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes
            | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier
            | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers);

    /// <summary>How a type is written where its namespace is known: with its type parameters, and with the type that contains it.</summary>
    public static SymbolDisplayFormat TypeFormat { get; } = new(
        globalNamespaceStyle: SymbolDisplayGlobalNamespaceStyle.Omitted,
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes
            | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier
            | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers);

    /// <summary>The name of a type, such as <c>CoapSeam&lt;T&gt;</c>.</summary>
    /// <param name="type">The type.</param>
    public static string OfType(ITypeSymbol type) => type.ToDisplayString(TypeFormat);

    /// <summary>What a type is: class, record, delegate and so on.</summary>
    /// <param name="type">The type.</param>
    public static string KindOf(INamedTypeSymbol type) => type.TypeKind switch
    {
        TypeKind.Struct => Surface.IsRecord(type) ? "record struct" : "struct",
        TypeKind.Interface => "interface",
        TypeKind.Enum => "enum",
        TypeKind.Delegate => "delegate",
        _ => Surface.IsRecord(type) ? "record" : "class",
    };

    /// <summary>A member with the types of its parameters, such as <c>GetAsync(string, CancellationToken)</c>.</summary>
    /// <param name="member">The member.</param>
    public static string OfMember(ISymbol member) => member.ToDisplayString(s_short);

    /// <summary>A member with the type that a reader finds it at, as links to it from elsewhere say.</summary>
    /// <param name="symbol">The member, or a type.</param>
    public static string Qualified(ISymbol symbol) => symbol switch
    {
        INamespaceSymbol => symbol.ToDisplayString(),
        ITypeSymbol type => OfType(type),
        IMethodSymbol { MethodKind: MethodKind.Constructor } method => OfType(method.ContainingType),
        IMethodSymbol { MethodKind: MethodKind.Ordinary } => $"{Owner(symbol)}.{symbol.Name}",
        _ => $"{Owner(symbol)}.{OfMember(symbol)}",
    };

    private static string Owner(ISymbol member) =>
        OfType(member.ContainingType.ExtensionParameter?.Type ?? member.ContainingType);
}
