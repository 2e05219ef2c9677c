using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>A number with a decimal point.</summary>
/// <param name="min">The minimum.</param>
/// <param name="max">The maximum; infinite for no limit, which may be written <c>infinite</c>.</param>
/// <param name="isAbove">Whether the minimum itself is excluded.</param>
internal sealed class FactorKind(double min, double max, bool isAbove) : ValueKind<double>(Range(min, max, isAbove))
{
    private const string Infinite = "infinite";

    public override bool TryParse(string text, out double value)
    {
        if (double.IsPositiveInfinity(max) && text.Equals(Infinite, StringComparison.OrdinalIgnoreCase))
        {
            value = double.PositiveInfinity;
            return true;
        }

        return double.TryParse(text, NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture,
            out value)
            && value >= min && value <= max && !(isAbove && value == min);
    }

    public override string Format(double value) =>
        double.IsPositiveInfinity(value) ? Infinite : value.ToString(CultureInfo.InvariantCulture);

    private static string Range(double min, double max, bool isAbove)
    {
        string least = string.Create(CultureInfo.InvariantCulture, $"number {(isAbove ? "above " : "")}{min}");
        return double.IsPositiveInfinity(max) ? $"{least}, or {Infinite}"
            : max == double.MaxValue ? least
            : string.Create(CultureInfo.InvariantCulture, $"{least}{(isAbove ? ", up to" : " to")} {max}");
    }
}
