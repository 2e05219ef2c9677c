using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Reporting;

/// <summary>Plots the distribution of times: a line for each run that has times.</summary>
internal static class DistributionPlots
{
    public static IEnumerable<Plot> Of(IReadOnlyList<LoadResult> runs)
    {
        string what = runs.Any(static run => run.Plan.Loop == LoadPacing.Observe)
            ? "Distribution of times; when observing, from a change to each observer"
            : "Distribution of times";
        return new[]
        {
            Make(what, runs, static run => run.Times),
            Make("Distribution of times from a change to the last observer", runs, static run => run.ChangeTimes)
        }.OfType<Plot>();
    }

    private static Plot? Make(string title, IReadOnlyList<LoadResult> runs, Func<LoadResult, IReadOnlyList<long[]>> times)
    {
        IReadOnlyList<string> names = RunLabels.Of(runs);
        PlotLine[] lines = [.. runs.Select((run, i) => new PlotLine(names[i], Points(times(run)), IsStepped: true))
            .Where(static line => line.Points.Count > 0)];
        if (lines.Length == 0)
        {
            return null;
        }

        PlotAxis time = PlotAxis.Logarithmic(
            "time", lines.SelectMany(static line => line.Points).Select(static point => point.X), FigureFormatter.Time);
        PlotAxis part = PlotAxis.Linear("part that took no longer", [1], FigureFormatter.Percent);
        return new Plot(title, time, part, lines);
    }

    private static List<PlotPoint> Points(IReadOnlyList<long[]> pairs)
    {
        LoadHistogram histogram = LoadResult.ToHistogram(pairs);
        List<PlotPoint> points = [];
        long seen = 0;
        foreach ((long nanoseconds, long count) in histogram.Filled)
        {
            // Clocks do not resolve less than a nanosecond.
            double time = Math.Max(1, nanoseconds) / 1000.0;
            if (seen == 0)
            {
                points.Add(new PlotPoint(time, 0));
            }

            seen += count;
            points.Add(new PlotPoint(time, (double)seen / histogram.Count));
        }

        return points;
    }
}
