using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>A number of bytes, with or without a unit.</summary>
internal sealed class BytesKind(long min, long max) : ValueKind<long>(Range(min, max))
{
    private static readonly (string Name, long Factor)[] s_units = [("GiB", 1L << 30), ("MiB", 1L << 20), ("KiB", 1L << 10), ("B", 1)];

    public override bool TryParse(string text, out long value)
    {
        long factor = 1;
        ReadOnlySpan<char> number = text;
        foreach ((string name, long unit) in s_units)
        {
            if (text.EndsWith(name, StringComparison.OrdinalIgnoreCase))
            {
                factor = unit;
                number = text.AsSpan(0, text.Length - name.Length).TrimEnd();
                break;
            }
        }

        if (!long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out value) || value > long.MaxValue / factor)
        {
            return false;
        }

        value *= factor;
        return value >= min && value <= max;
    }

    public override string Format(long value) => Text(value);

    private static string Text(long value)
    {
        foreach ((string name, long unit) in s_units)
        {
            if (value >= unit && value % unit == 0 && unit > 1)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{value / unit} {name}");
            }
        }

        return value.ToString(CultureInfo.InvariantCulture);
    }

    private static string Range(long min, long max) =>
        max == long.MaxValue ? $"bytes (B, KiB, MiB, GiB), {Text(min)} or more" : $"bytes (B, KiB, MiB, GiB), {Text(min)} to {Text(max)}";
}
