using CoAP.NET.Diagnostics;

namespace CoAP.NET.Load.Reporting;

/// <summary>One axis of a plot: its range of values, and its ticks.</summary>
internal sealed class PlotAxis
{
    private readonly bool _isLog;

    private PlotAxis(string label, bool isLog, double first, double last, IReadOnlyList<double> ticks, Func<double, string> format)
    {
        Label = label;
        _isLog = isLog;
        First = first;
        Last = last;
        Ticks = ticks;
        Format = format;
    }

    public string Label { get; }

    /// <summary>The value at its beginning.</summary>
    public double First { get; }

    /// <summary>The value at its end.</summary>
    public double Last { get; }

    /// <summary>The values of the ticks.</summary>
    public IReadOnlyList<double> Ticks { get; }

    /// <summary>Formats their labels, with the unit.</summary>
    public Func<double, string> Format { get; }

    /// <summary>Creates an axis from 0 to a round number that no value exceeds.</summary>
    public static PlotAxis Linear(string label, IEnumerable<double> values, Func<double, string> format)
    {
        double step = AxisTicks.Step(values.Where(double.IsFinite).DefaultIfEmpty(0).Max());
        double largest = values.Where(double.IsFinite).DefaultIfEmpty(0).Max();
        int steps = Math.Max(1, (int)Math.Ceiling((largest / step) - 1e-9));
        return new PlotAxis(label, false, 0, steps * step, [.. Enumerable.Range(0, steps + 1).Select(i => i * step)], format);
    }

    /// <summary>Creates an axis from 0 to the largest value itself, because elapsed time needs no margin at its end.</summary>
    public static PlotAxis Elapsed(string label, IEnumerable<double> values, Func<double, string> format)
    {
        PlotAxis round = Linear(label, values, format);
        double largest = values.Where(double.IsFinite).DefaultIfEmpty(0).Max();
        return largest > 0 ? new PlotAxis(label, false, 0, largest, [.. round.Ticks.Where(tick => tick <= largest)], format) : round;
    }

    /// <summary>
    /// Creates a logarithmic axis that begins and ends at 1, 2 or 5 times a power of ten. Values without a logarithm do not count.
    /// </summary>
    public static PlotAxis Logarithmic(string label, IEnumerable<double> values, Func<double, string> format)
    {
        double[] some = [.. values.Where(IsOnLog)];
        (double smallest, double largest) = some.Length == 0 ? (1, 10) : (some.Min(), some.Max());
        double first = AxisTicks.RoundDown(smallest);
        double last = AxisTicks.RoundUp(largest);
        if (last <= first * 1.5)
        {
            (first, last) = (AxisTicks.RoundDown(first * 0.99), AxisTicks.RoundUp(last * 1.01));
        }

        return new PlotAxis(label, true, first, last, AxisTicks.Logarithmic(first, last), format);
    }

    public bool Has(double value) => _isLog ? IsOnLog(value) : double.IsFinite(value);

    /// <summary>Returns the place of a value, from 0 to 1.</summary>
    public double Place(double value) =>
        Math.Clamp(_isLog ? Math.Log(value / First) / Math.Log(Last / First) : (value - First) / (Last - First), 0, 1);

    private static bool IsOnLog(double value) => value > 0 && double.IsFinite(value);
}
