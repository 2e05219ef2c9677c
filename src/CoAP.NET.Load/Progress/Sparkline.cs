namespace CoAP.NET.Load;

/// <summary>A curve in one line of text.</summary>
internal static class Sparkline
{
    private const string Blocks = "▁▂▃▄▅▆▇█";
    private const string Plain = "_.-=+*#@";

    /// <summary>
    /// Draws one character for each value, from 0 to the largest: the baseline is zero, so that small variations do not look like a
    /// breakdown.
    /// </summary>
    /// <param name="values">At least 0 each.</param>
    /// <param name="unicode">Whether the terminal has block characters.</param>
    public static string Draw(IReadOnlyCollection<double> values, bool unicode)
    {
        string steps = unicode ? Blocks : Plain;
        double largest = values.DefaultIfEmpty().Max();
        return string.Concat(values.Select(value => steps[largest > 0 ? (int)Math.Round(value / largest * (steps.Length - 1)) : 0]));
    }
}
