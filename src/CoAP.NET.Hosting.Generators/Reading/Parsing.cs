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
        { SpecialType: SpecialType.System_DateTime } => Parsers + "DateAndTime",
        { TypeKind: TypeKind.Enum } => Parsers + (type.GetAttributes().Any(attribute => attribute.AttributeClass?.FullName() == "System.FlagsAttribute") ? "Flags<" : "Enumeration<") + type.WithoutQuestionMark() + ">",
        _ => type.FullName() switch
        {
            "System.DateTimeOffset" => Parsers + "PointInTime",
            "System.Uri" => Parsers + "AnyUri",
            _ => type.Implements("System.IParsable`1") ? $"{Parsers}Parsable<{type.WithoutQuestionMark()}>" : null,
        },
    };

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
}
