using CoAP.NET.Load.Figures;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Load.Progress;

/// <summary>The live table of one run, with the rates of its last minute as a curve below it.</summary>
internal sealed class LoadView(Profile profile)
{
    private const int MostRates = 60;

    private const string Ending = "ending";

    // Width of the curve's label and the rate beside it.
    private const int Beside = 24;

    private readonly Queue<double> _rates = new();
    private LoadProgress? _tick;

    /// <summary>Adds the next tick.</summary>
    public void Add(LoadProgress tick)
    {
        if (tick.Phase == Ending && _tick is { } last)
        {
            // The load has ended, so the rate did not break down. The final table shows the last second with load.
            _tick = tick with { PerSecond = last.PerSecond, P50 = last.P50, P99 = last.P99 };
            return;
        }

        _tick = tick;

        _rates.Enqueue(tick.PerSecond);
        while (_rates.Count > Math.Clamp(profile.Width - Beside, 1, MostRates))
        {
            _rates.Dequeue();
        }
    }

    public IRenderable Draw()
    {
        Table table = new() { Border = profile.Capabilities.Unicode ? TableBorder.Rounded : TableBorder.Ascii };
        table.AddColumn(new TableColumn(new Text("phase")));
        foreach (string name in (string[])["time", "peers", "per second", "p50", "p99", "errors", "lost"])
        {
            table.AddColumn(new TableColumn(new Text(name)).RightAligned().NoWrap());
        }

        if (_tick is not { } tick)
        {
            return table;
        }

        table.AddRow(
            new Text(tick.Phase),
            new Text(LoadProgressFormatter.Time(tick)),
            new Text(LoadProgressFormatter.Peers(tick)),
            new Text(LoadProgressFormatter.Rate(tick.PerSecond), new Style(Color.Green)),
            new Text(LoadProgressFormatter.Duration(tick.P50)),
            new Text(LoadProgressFormatter.Duration(tick.P99)),
            Trouble(tick.Errors),
            Trouble(tick.Lost));
        return new Rows(table,
            new Text($" rate {Sparkline.Draw(_rates, profile.Capabilities.Unicode)} up to {LoadProgressFormatter.Rate(_rates.Max())}/s"));
    }

    private static Text Trouble(long count) => new(LoadProgressFormatter.Count(count), count > 0 ? new Style(Color.Red) : Style.Plain);
}

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
