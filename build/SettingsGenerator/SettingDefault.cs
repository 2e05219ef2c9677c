using System;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Build.Settings;

/// <summary>Reads the default of a setting.</summary>
internal static class SettingDefault
{
    /// <summary>Returns it as text; null if its comment has to say it.</summary>
    public static string? Of(
        IPropertySymbol property, PropertyDeclarationSyntax declaration, SemanticModel model, SettingRange range,
        CancellationToken cancellationToken)
    {
        ExpressionSyntax? initial = declaration.Initializer?.Value;
        ITypeSymbol type = property.Type;
        if (type.TypeKind == TypeKind.Enum)
        {
            string? member = initial is null
                ? type.GetMembers().OfType<IFieldSymbol>().FirstOrDefault(one => IsZero(one.ConstantValue))?.Name
                : (model.GetSymbolInfo(initial, cancellationToken).Symbol as IFieldSymbol)?.Name;
            return member is null ? null : $"<see cref=\"{type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)}.{member}\"/>";
        }

        if (initial is null)
        {
            return type.SpecialType == SpecialType.System_Boolean ? range.Format(false) : null;
        }

        if (type.Name == nameof(TimeSpan))
        {
            return Seconds(initial, model, cancellationToken) is { } seconds
                ? double.IsInfinity(seconds) ? SettingText.Infinite : SettingText.Time(seconds)
                : null;
        }

        Optional<object?> constant = model.GetConstantValue(initial, cancellationToken);
        return constant is { HasValue: true, Value: { } value } && !(value is string) ? range.Format(value) : null;
    }

    private static bool IsZero(object? value) => value is IConvertible number && number.ToInt64(null) == 0;

    // TimeSpan.FromSeconds(2), Timeout.InfiniteTimeSpan, TimeSpan.Zero; infinite for the second one.
    private static double? Seconds(ExpressionSyntax expression, SemanticModel model, CancellationToken cancellationToken)
    {
        ISymbol? symbol = model.GetSymbolInfo(expression, cancellationToken).Symbol;
        switch (symbol)
        {
            case IFieldSymbol { Name: "InfiniteTimeSpan" }:
                return double.PositiveInfinity;
            case IFieldSymbol { Name: "Zero" }:
                return 0;
            case IMethodSymbol method when expression is InvocationExpressionSyntax { ArgumentList.Arguments: { Count: 1 } arguments }
                && model.GetConstantValue(arguments[0].Expression, cancellationToken) is { HasValue: true, Value: IConvertible count }:
                double factor = method.Name switch
                {
                    "FromDays" => 86_400,
                    "FromHours" => 3600,
                    "FromMinutes" => 60,
                    "FromSeconds" => 1,
                    "FromMilliseconds" => 0.001,
                    _ => double.NaN,
                };
                return double.IsNaN(factor) ? null : count.ToDouble(null) * factor;
            default:
                return null;
        }
    }
}
