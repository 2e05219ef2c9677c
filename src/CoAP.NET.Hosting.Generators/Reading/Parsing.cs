using System;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>Which method of the library reads a type.</summary>
internal static class Parsing
{
    private const string Parsers = "global::CoAP.NET.Binding.CoapParsers.";
    private const string Readers = "global::CoAP.NET.Binding.CoapOptionArguments.";

    /// <summary>What reads a type from text; null when there is nothing.</summary>
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

    /// <summary>Whether what <see cref="Text"/> gave reads numbers with a fraction.</summary>
    public static bool IsNumber(string? parser) => parser is not null && parser.StartsWith(Parsers + "Number<", StringComparison.Ordinal);

    /// <summary>What reads a type from the value of an option; null when there is nothing.</summary>
    public static string? Option(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_String } => Readers + "Text",
        { SpecialType: >= SpecialType.System_SByte and <= SpecialType.System_UInt64 } => $"{Readers}Number<{type.WithoutQuestionMark()}>",
        _ when type.IsByteArray() => Readers + "Bytes",
        _ when type.IsByteMemory() => Readers + "Memory",
        _ => type.FullName() switch
        {
            "CoAP.NET.CoapETag" => Readers + "EntityTag",
            "CoAP.NET.CoapContentFormat" => Readers + "Format",
            _ => null,
        },
    };

    // Their IParsable takes commas for separators of thousands, so that 31,5 would be 315.
    private static string Number(ITypeSymbol type) => $"{Parsers}Number<{type.WithoutQuestionMark()}>";
}
