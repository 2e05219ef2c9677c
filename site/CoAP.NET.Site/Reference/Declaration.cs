using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>Writes types and members as C# declares them.</summary>
internal static class Declaration
{
    // Beyond this many columns a declaration has a line for each parameter.
    private const int MaxColumns = 88;

    private const SymbolDisplayMiscellaneousOptions Words = SymbolDisplayMiscellaneousOptions.UseSpecialTypes
        | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier
        | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers
        | SymbolDisplayMiscellaneousOptions.AllowDefaultLiteral
        | SymbolDisplayMiscellaneousOptions.UseErrorTypeSymbolName;

    private const SymbolDisplayGenericsOptions Generics = SymbolDisplayGenericsOptions.IncludeTypeParameters
        | SymbolDisplayGenericsOptions.IncludeTypeConstraints | SymbolDisplayGenericsOptions.IncludeVariance;

    private const SymbolDisplayParameterOptions Parameters = SymbolDisplayParameterOptions.IncludeType
        | SymbolDisplayParameterOptions.IncludeName | SymbolDisplayParameterOptions.IncludeDefaultValue
        | SymbolDisplayParameterOptions.IncludeExtensionThis | SymbolDisplayParameterOptions.IncludeModifiers;

    private static readonly SymbolDisplayFormat s_type = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameOnly,
        genericsOptions: Generics,
        delegateStyle: SymbolDisplayDelegateStyle.NameAndSignature,
        parameterOptions: Parameters,
        miscellaneousOptions: Words);

    private static readonly SymbolDisplayFormat s_member = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: Generics,
        memberOptions: SymbolDisplayMemberOptions.IncludeAccessibility | SymbolDisplayMemberOptions.IncludeModifiers
            | SymbolDisplayMemberOptions.IncludeType | SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeRef
            | SymbolDisplayMemberOptions.IncludeConstantValue,
        parameterOptions: Parameters,
        propertyStyle: SymbolDisplayPropertyStyle.ShowReadWriteDescriptor,
        kindOptions: SymbolDisplayKindOptions.IncludeMemberKeyword,
        miscellaneousOptions: Words);

    /// <summary>Writes a type: attributes, modifiers, name, what it derives from, constraints.</summary>
    /// <param name="type">The type.</param>
    public static string OfType(INamedTypeSymbol type)
    {
        StringBuilder text = new(Attributes(type));
        text.Append(Accessibility(type)).Append(Modifiers(type)).Append(Names.KindOf(type)).Append(' ');
        string[] nameAndConstraints = type.ToDisplayString(s_type).Split(" where ");
        if (type.TypeKind == TypeKind.Delegate)
        {
            return text.Append(Wrap(type.ToDisplayString(s_type))).Append(';').ToString();
        }

        text.Append(nameAndConstraints[0]);
        string[] bases = [.. Bases(type)];
        string line = bases.Length == 0 ? string.Empty : $" : {string.Join(", ", bases)}";
        text.Append(line.Length > MaxColumns ? $"\n    : {string.Join(",\n      ", bases)}" : line);
        foreach (string constraint in nameAndConstraints[1..])
        {
            text.Append("\n    where ").Append(constraint);
        }

        return text.ToString();
    }

    /// <summary>Writes a member: attributes, modifiers, type, name, parameters with their defaults, constraints.</summary>
    /// <param name="member">The member.</param>
    public static string OfMember(ISymbol member)
    {
        // A default value that is of an enum has the name of its type, as in source.
        string text = string.Concat(member.ToDisplayParts(s_member).Select(static part =>
            part is { Kind: SymbolDisplayPartKind.EnumMemberName, Symbol.ContainingType: { } type }
                ? $"{type.Name}.{part}"
                : part.ToString()));
        if (member is IPropertySymbol)
        {
            // What only the library sets is read only for its users.
            foreach (string hidden in (string[])["private", "internal", "private protected"])
            {
                text = text.Replace($" {hidden} set;", "", StringComparison.Ordinal)
                    .Replace($" {hidden} init;", "", StringComparison.Ordinal)
                    .Replace($" {hidden} get;", "", StringComparison.Ordinal);
            }
        }

        string block = member.ContainingType.ExtensionParameter is { } extended
            ? $"extension({(member.IsStatic ? Names.OfType(extended.Type) : extended.ToDisplayString(s_member))})\n"
            : string.Empty;
        bool isComplete = member is IPropertySymbol || (member is IFieldSymbol && member.ContainingType.TypeKind == TypeKind.Enum);
        return block + Attributes(member) + Wrap(text) + (isComplete ? string.Empty : ";");
    }

    private static string Accessibility(INamedTypeSymbol type) => type.DeclaredAccessibility switch
    {
        Microsoft.CodeAnalysis.Accessibility.Protected => "protected ",
        Microsoft.CodeAnalysis.Accessibility.ProtectedOrInternal => "protected internal ",
        _ => "public ",
    };

    private static string Modifiers(INamedTypeSymbol type) => type switch
    {
        { IsStatic: true } => "static ",
        { TypeKind: TypeKind.Class, IsAbstract: true } => "abstract ",
        { TypeKind: TypeKind.Class, IsSealed: true } => "sealed ",
        { TypeKind: TypeKind.Struct } => (type.IsReadOnly ? "readonly " : string.Empty) + (type.IsRefLikeType ? "ref " : string.Empty),
        _ => string.Empty,
    };

    private static IEnumerable<string> Bases(INamedTypeSymbol type)
    {
        if (type.TypeKind == TypeKind.Enum)
        {
            return type.EnumUnderlyingType!.SpecialType == SpecialType.System_Int32 ? [] : [Names.OfType(type.EnumUnderlyingType)];
        }

        IEnumerable<ITypeSymbol> bases = TypeRelations.DirectInterfaces(type);
        return (TypeRelations.BaseOf(type) is { } parent ? bases.Prepend(parent) : bases).Select(Names.OfType);
    }

    private static string Attributes(ISymbol symbol)
    {
        StringBuilder text = new();
        foreach (AttributeData attribute in symbol.GetAttributes())
        {
            string? written = attribute.AttributeClass?.Name switch
            {
                "FlagsAttribute" => "[Flags]",
                "RequiresUnreferencedCodeAttribute" => "[RequiresUnreferencedCode]",
                "RequiresDynamicCodeAttribute" => "[RequiresDynamicCode]",
                "ObsoleteAttribute" or "ExperimentalAttribute" or "SupportedOSPlatformAttribute" or "UnsupportedOSPlatformAttribute" =>
                    $"[{attribute.AttributeClass.Name[..^"Attribute".Length]}({Arguments(attribute)})]",
                _ => null,
            };
            if (written is not null)
            {
                text.Append(written.Replace("()", "", StringComparison.Ordinal)).Append('\n');
            }
        }

        return text.ToString();

        static string Arguments(AttributeData attribute) =>
            string.Join(", ", attribute.ConstructorArguments.Select(static argument => argument.Value switch
            {
                string value => $"\"{value}\"",
                bool value => value ? "true" : "false",
                object value => Convert.ToString(value, CultureInfo.InvariantCulture),
                null => "null",
            }));
    }

    /// <summary>Writes a long declaration with a line for each parameter and constraint.</summary>
    private static string Wrap(string text)
    {
        int where = text.IndexOf(" where ", StringComparison.Ordinal);
        string constraints = where < 0 ? string.Empty : text[where..].Replace(" where ", "\n    where ", StringComparison.Ordinal);
        string head = where < 0 ? text : text[..where];
        int open = ParameterList(head);
        if (head.Length <= MaxColumns || open < 0)
        {
            return head + constraints;
        }

        StringBuilder wrapped = new(head[..(open + 1)]);
        wrapped.Append("\n    ");
        int depth = 0;
        bool isInText = false;
        foreach (char character in head[(open + 1)..])
        {
            isInText ^= character == '"';
            depth += isInText ? 0 : character switch { '(' or '<' or '[' => 1, ')' or '>' or ']' => -1, _ => 0 };
            wrapped.Append(character);
            if (character == ',' && depth == 0 && !isInText)
            {
                wrapped.Append("\n   ");
            }
        }

        return wrapped.Append(constraints).ToString();
    }

    // The last one at the top: a tuple that is returned has parentheses too, and so has a default value.
    private static int ParameterList(string head)
    {
        int end = head.LastIndexOf(')');
        int depth = 0;
        for (int i = end; i >= 0; i--)
        {
            depth += head[i] switch { ')' => 1, '(' => -1, _ => 0 };
            if (depth == 0)
            {
                return i;
            }
        }

        return -1;
    }
}
