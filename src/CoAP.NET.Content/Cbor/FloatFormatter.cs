using System.Globalization;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Formats floating-point numbers in diagnostic notation (RFC 8949 section 8): the shortest digits that restore the value, always with a
/// point or an exponent to distinguish them from integers.
/// </summary>
internal static class FloatFormatter
{
    public static string Of(double value)
    {
        if (double.IsNaN(value))
        {
            return "NaN";
        }

        if (double.IsInfinity(value))
        {
            return value > 0 ? "Infinity" : "-Infinity";
        }

        string text = value.ToString("R", CultureInfo.InvariantCulture);
        int exponent = text.IndexOf('E', StringComparison.Ordinal);
        string mantissa = exponent < 0 ? text : text[..exponent];
        if (!mantissa.Contains('.', StringComparison.Ordinal))
        {
            mantissa += ".0";
        }

        return exponent < 0 ? mantissa : $"{mantissa}e{text[exponent + 1]}{text[(exponent + 2)..].TrimStart('0')}";
    }
}
