using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Reporting;

/// <summary>Plots over the number of peers: a point for each run.</summary>
internal static class PeerCountPlots
{
    private static readonly (string Name, double Part)[] s_parts = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)];

    /// <summary>Returns the plots; none if all runs have the same number of peers, because the table is enough then.</summary>
    public static IEnumerable<Plot> Of(IReadOnlyList<LoadResult> runs)
    {
        if (runs.Select(static run => run.Plan.Peers).Distinct().Count() < 2)
        {
            yield break;
        }

        PlotAxis peers = PlotAxis.Logarithmic("peers", runs.Select(static run => (double)run.Plan.Peers), FigureFormatter.Number);
        IGrouping<string, LoadResult>[] kinds = [.. runs.GroupBy(static run => RunLabels.Kind(run.Plan))];
        yield return new Plot(
            "Throughput by peers",
            peers,
            PlotAxis.Linear($"{RunLabels.Counted(runs)} a second", runs.Select(static run => run.PerSecond), FigureFormatter.Short),
            [.. kinds.Select(static kind => new PlotLine(kind.Key, Points(kind, static run => run.PerSecond)))]);
        foreach (IGrouping<string, LoadResult> kind in kinds)
        {
            PlotLine[] lines = [
                .. s_parts.Select(part => new PlotLine(part.Name, Points(kind, run => run.Histogram().Microseconds(part.Part))))];
            PlotAxis times = PlotAxis.Logarithmic(
                "time", lines.SelectMany(static line => line.Points).Select(static point => point.Y), FigureFormatter.Time);
            yield return new Plot(kinds.Length > 1 ? $"Times by peers, {kind.Key}" : "Times by peers", peers, times, lines);
        }
    }

    private static PlotPoint[] Points(IEnumerable<LoadResult> runs, Func<LoadResult, double> figure) =>
        [.. runs.OrderBy(static run => run.Plan.Peers).Select(run => new PlotPoint(run.Plan.Peers, figure(run)))];
}
