using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>A whole number.</summary>
internal sealed class NumberKind(long min, long max) : ValueKind<long>(Range(min, max))
{
    public override bool TryParse(string text, out long value) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value) && value >= min && value <= max;

    public override string Format(long value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Range(long min, long max) =>
        max == long.MaxValue
            ? string.Create(CultureInfo.InvariantCulture, $"whole number, {min} or more")
            : string.Create(CultureInfo.InvariantCulture, $"whole number, {min} to {max}");
}
