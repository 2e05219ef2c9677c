using System;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>Selects the method of the library that reads a type.</summary>
internal static class ParserMethodSelector
{
    private const string Parsers = "global::CoAP.NET.Binding.CoapHandlerArgumentBinder.";

    /// <summary>Returns the parser of a type from text; null if there is none.</summary>
    public static string? Text(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_String } => Parsers + "Text",
        { SpecialType: SpecialType.System_Boolean } => Parsers + "Boolean",
        { SpecialType: SpecialType.System_Single or SpecialType.System_Double or SpecialType.System_Decimal } => Number(type),
        { SpecialType: SpecialType.System_DateTime } => Parsers + "DateAndTime",
        { TypeKind: TypeKind.Enum } =>
            Parsers + (type.GetAttributes().Any(attribute => attribute.AttributeClass?.FullName() == "System.FlagsAttribute")
                ? "Flags<"
                : "Enumeration<") + type.WithoutQuestionMark() + ">",
        _ => type.FullName() switch
        {
            "System.DateTimeOffset" => Parsers + "PointInTime",
            "System.Uri" => Parsers + "AnyUri",
            "System.Half" or "System.Runtime.InteropServices.NFloat" => Number(type),
            _ => type.Implements("System.IParsable`1") ? $"{Parsers}Parsable<{type.WithoutQuestionMark()}>" : null,
        },
    };

    /// <summary>Whether a result of <see cref="Text"/> reads numbers with a fraction.</summary>
    public static bool IsNumber(string? parser) => parser is not null && parser.StartsWith(Parsers + "Number<", StringComparison.Ordinal);

    /// <summary>Returns the reader of a type from the value of an option; null if there is none.</summary>
    public static string? Option(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_String } => Parsers + "Text",
        { SpecialType: >= SpecialType.System_SByte and <= SpecialType.System_UInt64 } => $"{Parsers}Unsigned<{type.WithoutQuestionMark()}>",
        _ when type.IsByteArray() => Parsers + "Bytes",
        _ when type.IsByteMemory() => Parsers + "Memory",
        _ => type.FullName() switch
        {
            "CoAP.NET.CoapETag" => Parsers + "EntityTag",
            "CoAP.NET.CoapContentFormat" => Parsers + "Format",
            _ => null,
        },
    };

    // Their IParsable accepts commas as thousands separators, so that 31,5 would be 315.
    private static string Number(ITypeSymbol type) => $"{Parsers}Number<{type.WithoutQuestionMark()}>";
}
