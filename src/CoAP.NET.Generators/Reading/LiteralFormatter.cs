using System;
using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace CoAP.NET.Generators.Reading;

/// <summary>Constants as expressions.</summary>
internal static class LiteralFormatter
{
    public static string Text(string text) => SymbolDisplay.FormatLiteral(text, quote: true);

    /// <summary>Returns a default value as a constant expression of its type.</summary>
    public static string Constant(object? value, ITypeSymbol type)
    {
        ITypeSymbol plain = type.WithoutNullable();
        return value is not null && plain.TypeKind == TypeKind.Enum
            ? $"({plain.WithoutQuestionMark()})({Primitive(value)})"
            : Primitive(value);
    }

    public static string Argument(TypedConstant constant) => constant switch
    {
        { IsNull: true } => "null",
        { Kind: TypedConstantKind.Type, Value: ITypeSymbol type } => $"typeof({type.WithoutQuestionMark()})",
        { Kind: TypedConstantKind.Enum, Type: { } type } => Constant(constant.Value, type),
        { Kind: TypedConstantKind.Array } => "null",
        { Type: { SpecialType: not SpecialType.System_String } type } => $"({type.WithoutQuestionMark()})({Primitive(constant.Value)})",
        _ => Primitive(constant.Value),
    };

    private static string Primitive(object? value) => value switch
    {
        null => "default",
        double.NaN => "double.NaN",
        double.PositiveInfinity => "double.PositiveInfinity",
        double.NegativeInfinity => "double.NegativeInfinity",
        float.NaN => "float.NaN",
        float.PositiveInfinity => "float.PositiveInfinity",
        float.NegativeInfinity => "float.NegativeInfinity",
        double number => number.ToString("R", CultureInfo.InvariantCulture) + "D",
        float number => number.ToString("R", CultureInfo.InvariantCulture) + "F",
        decimal number => number.ToString(CultureInfo.InvariantCulture) + "M",
        string or char or bool => SymbolDisplay.FormatPrimitive(value, quoteStrings: true, useHexadecimalNumbers: false),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture),
    };
}
