namespace CoAP.NET.Load.Reporting;

/// <summary>Round numbers: 1, 2 and 5 times powers of ten.</summary>
internal static class AxisTicks
{
    // More do not fit beside each other.
    private const int Most = 9;

    /// <summary>Returns the step that gives some five ticks from 0 to a value.</summary>
    public static double Step(double largest) => largest > 0 ? RoundUp(largest / 5) : 0.2;

    /// <summary>Returns the least round number that is not below a value.</summary>
    public static double RoundUp(double value)
    {
        double power = PowerOf(value);
        double part = value / power;
        return (part <= 1 + 1e-9 ? 1 : part <= 2 + 1e-9 ? 2 : part <= 5 + 1e-9 ? 5 : 10) * power;
    }

    /// <summary>Returns the largest round number that is not above a value.</summary>
    public static double RoundDown(double value)
    {
        double power = PowerOf(value);
        double part = value / power;
        return (part >= 10 - 1e-9 ? 10 : part >= 5 - 1e-9 ? 5 : part >= 2 - 1e-9 ? 2 : 1) * power;
    }

    /// <summary>
    /// Returns the ticks of a logarithmic axis: all round numbers if they are few, otherwise powers of ten, with gaps if necessary.
    /// </summary>
    public static IReadOnlyList<double> Logarithmic(double first, double last)
    {
        List<double> all = [];
        int begin = (int)Math.Floor(Math.Log10(first) + 1e-9);
        int end = (int)Math.Ceiling(Math.Log10(last) - 1e-9);
        for (int exponent = begin; exponent <= end; exponent++)
        {
            foreach (int part in (ReadOnlySpan<int>)[1, 2, 5])
            {
                double value = part * Math.Pow(10, exponent);
                if (value >= first * (1 - 1e-9) && value <= last * (1 + 1e-9))
                {
                    all.Add(value);
                }
            }
        }

        if (all.Count <= Most)
        {
            return all;
        }

        List<double> powers = [.. all.Where(static value => Math.Abs(Math.Log10(value) - Math.Round(Math.Log10(value))) < 1e-9)];
        int each = (powers.Count + Most - 1) / Most;
        return [.. powers.Where((_, i) => i % each == 0)];
    }

    private static double PowerOf(double value) => Math.Pow(10, Math.Floor(Math.Log10(value) + 1e-12));
}
