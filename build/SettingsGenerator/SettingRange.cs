using System;
using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Build.Settings;

/// <summary>The values that a setting accepts, as code that checks one and as text.</summary>
internal sealed class SettingRange
{
    private const string Guard = "global::CoAP.NET.Settings.ValueGuard.";

    private SettingRange(string check, string? text = null, Func<object, string>? format = null) =>
        (Check, Text, Format) = (check, text, format ?? (static value => Convert.ToString(value, CultureInfo.InvariantCulture)));

    /// <summary>The expression that returns a value which is right.</summary>
    public string Check { get; }

    /// <summary>The range, such as "1 to 1,000"; null without one.</summary>
    public string? Text { get; }

    /// <summary>Writes a value in its unit.</summary>
    public Func<object, string> Format { get; }

    public static SettingRange Of(IPropertySymbol property)
    {
        AttributeData? range = property.GetAttributes().FirstOrDefault(
            one => one.AttributeClass?.BaseType?.Name == "SettingRangeAttribute");
        bool IsSaid(string name) => range!.NamedArguments.Any(one => one.Key == name && one.Value.Value is true);
        switch (range?.AttributeClass!.Name)
        {
            case "NumberRangeAttribute":
                return Numbers(property, (long)range.ConstructorArguments[0].Value!, (long)range.ConstructorArguments[1].Value!,
                    IsSaid("IsBytes"));
            case "FactorRangeAttribute":
                return Factors(property.Name, (double)range.ConstructorArguments[0].Value!, (double)range.ConstructorArguments[1].Value!,
                    IsSaid("IsMinExcluded"));
            case "DefinedMemberAttribute":
                return new SettingRange($"{Guard}Defined(value, nameof({property.Name}))", "a member of the enumeration");
            case "TimeRangeAttribute":
                return Times(property.Name, (double)range.ConstructorArguments[0].Value!, (double)range.ConstructorArguments[1].Value!,
                    IsSaid("IsMinExcluded"), IsSaid("OrInfinite"));
        }

        ITypeSymbol type = property.Type;
        return type.IsReferenceType && property.NullableAnnotation == NullableAnnotation.NotAnnotated
            ? new SettingRange($"{Guard}NotNull(value, nameof({property.Name}))")
            : new SettingRange("value", null,
                static value => value is bool yes ? $"<see langword=\"{(yes ? "true" : "false")}\"/>" : SettingText.Of(value));
    }

    private static SettingRange Numbers(IPropertySymbol property, long min, long max, bool isBytes)
    {
        // The range of an int is that of its type where the declaration says long.MaxValue.
        ITypeSymbol type = property.Type is INamedTypeSymbol { IsGenericType: true } nullable ? nullable.TypeArguments[0] : property.Type;
        bool isInt = type.SpecialType == SpecialType.System_Int32;
        max = isInt ? Math.Min(max, int.MaxValue) : max;
        Func<object, string> format = isBytes ? SettingText.Bytes : SettingText.Of;
        string unit = isInt ? "" : "L";
        return new SettingRange($"{Guard}InRange(value, {min}{unit}, {max}{unit}, nameof({property.Name}))",
            TextOf(format(min), max == (isInt ? int.MaxValue : long.MaxValue) ? null : format(max), false), format);
    }

    private static SettingRange Factors(string name, double min, double max, bool isMinExcluded) => new SettingRange(
        $"{Guard}Factor(value, {SettingText.Code(min)}, {SettingText.Code(max)}, {(isMinExcluded ? "true" : "false")}, nameof({name}))",
        TextOf(SettingText.Of(min), max == double.MaxValue || double.IsInfinity(max) ? null : SettingText.Of(max), isMinExcluded),
        SettingText.Of);

    private static SettingRange Times(string name, double min, double max, bool isMinExcluded, bool orInfinite)
    {
        bool hasMax = max < double.MaxValue;
        string most = hasMax ? $"new global::System.TimeSpan({SettingText.Ticks(max)}L)" : "global::System.TimeSpan.MaxValue";
        string text = TextOf(SettingText.Time(min), hasMax ? SettingText.Time(max) : null, isMinExcluded)
            + (orInfinite ? $", or {SettingText.Infinite}" : "");
        return new SettingRange(
            $"{Guard}Time(value, new global::System.TimeSpan({SettingText.Ticks(min)}L), {most}, {(isMinExcluded ? "true" : "false")}, "
                + $"{(orInfinite ? "true" : "false")}, nameof({name}))",
            text, static ticks => SettingText.Time((double)ticks));
    }

    private static string TextOf(string min, string? max, bool isMinExcluded) => (isMinExcluded, max) switch
    {
        (false, null) => $"{min} or more",
        (true, null) => $"above {min}",
        (false, _) => $"{min} to {max}",
        (true, _) => $"above {min}, up to {max}",
    };
}
