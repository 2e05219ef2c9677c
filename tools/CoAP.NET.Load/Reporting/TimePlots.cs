using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Reporting;

/// <summary>Rate and p99 over the seconds of each run.</summary>
internal static class TimePlots
{
    /// <summary>Returns the plots of each run that has at least two seconds.</summary>
    public static IEnumerable<Plot> Of(IReadOnlyList<LoadResult> runs)
    {
        IReadOnlyList<string> names = RunLabels.Of(runs);
        for (int i = 0; i < runs.Count; i++)
        {
            IReadOnlyList<LoadSecond> series = runs[i].Series;
            if (series.Count < 2)
            {
                continue;
            }

            PlotAxis time = PlotAxis.Elapsed("since the measuring began", series.Select(static second => second.At),
                static seconds => FigureFormatter.Number(seconds) + " s");
            string counted = RunLabels.Counted([runs[i]]);
            PlotLine rate = new(counted, [.. series.Select(static second => new PlotPoint(second.At, second.PerSecond))]);
            yield return new Plot($"Rate, {names[i]}", time,
                PlotAxis.Linear($"{counted} a second", series.Select(static second => second.PerSecond), FigureFormatter.Short), [rate]);
            if (series.Any(static second => second.P99 > 0))
            {
                PlotLine p50 = new("p50", [.. series.Select(static second => new PlotPoint(second.At, second.P50))]);
                PlotLine p99 = new("p99", [.. series.Select(static second => new PlotPoint(second.At, second.P99))]);
                yield return new Plot($"Times of each second, {names[i]}", time,
                    PlotAxis.Logarithmic(
                        "time", series.SelectMany(static second => new[] { second.P50, second.P99 }), FigureFormatter.Time), [p50, p99]);
            }
        }
    }
}
