using System.Xml.Linq;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Reporting;

/// <summary>The table of the runs, without empty columns.</summary>
internal static class RunTable
{
    public static XElement Of(IReadOnlyList<LoadResult> runs)
    {
        LoadHistogram[] times = [.. runs.Select(static run => run.Histogram())];
        LoadHistogram[] changes = [.. runs.Select(static run => LoadResult.ToHistogram(run.ChangeTimes))];
        List<(string Head, string?[] Cells)> columns =
        [
            ("run", Cells((_, i) => $"{i + 1}")),
            ("peers", Cells((run, _) => FigureFormatter.Number(run.Plan.Peers))),
            ("workers", runs.Any(static run => run.Workers > 1) ? Cells((run, _) => FigureFormatter.Number(run.Workers))
                : new string?[runs.Count]),
            ("seconds", Cells((run, _) => FigureFormatter.Number(run.Seconds))),
            (RunLabels.Counted(runs), Cells((run, _) => FigureFormatter.Number(run.Count))),
            ("a second", Cells((run, _) => FigureFormatter.Number(run.PerSecond))),
            ("min", Time(times, 0)),
            ("p50", Time(times, 0.5)),
            ("p95", Time(times, 0.95)),
            ("p99", Time(times, 0.99)),
            ("p99.9", Time(times, 0.999)),
            ("max", Time(times, 1)),
            ("lost", Cells((run, _) => FigureFormatter.Number(run.Lost))),
            ("lost here", Cells((run, _) => run.OwnDrops > 0 ? FigureFormatter.Number(run.OwnDrops) : null)),
            ("errors", Cells((run, _) => FigureFormatter.Number(run.ErrorCount))),
            ("changes",
                Cells((run, _) => run.Plan.Loop == LoadPacing.Observe && run.Plan.Rate > 0 ? FigureFormatter.Number(run.Changes) : null)),
            ("to the last observer, p50", Time(changes, 0.5)),
            ("p99", Time(changes, 0.99)),
            ("observers with the last state", Cells((run, _) => run.Converged is { } converged ? FigureFormatter.Number(converged) : null)),
            ("server's time for one", Cells((run, _) => run.ServerMicroseconds is { } time ? FigureFormatter.Time(time) : null)),
            ("server's processors",
                Cells((run, _) => run.ServerProcessorSeconds is { } seconds ? FigureFormatter.Percent(seconds / run.Seconds) : null)),
            ("server's memory", Cells((run, _) => run.ServerResidentBytes is { } bytes ? FigureFormatter.Memory(bytes) : null)),
            ("own processors", Cells((run, _) => FigureFormatter.Percent(run.OwnProcessorSeconds / run.Seconds))),
            ("loop and resource", Cells((run, _) => RunLabels.Kind(run.Plan))),
        ];
        columns.RemoveAll(static column => column.Cells.All(static cell => cell is null));
        return new XElement(
            "table",
            new XElement("thead",
                new XElement("tr", columns.Select((column, i) => Mark(new XElement("th", column.Head), i == columns.Count - 1)))),
            new XElement("tbody",
                runs.Select((_, row) =>
                    new XElement("tr",
                        columns.Select(
                            (column, i) => Mark(HtmlElements.Cell(column.Cells[row] ?? FigureFormatter.None), i == columns.Count - 1))))));

        string?[] Cells(Func<LoadResult, int, string?> cell) => [.. runs.Select(cell)];

        string?[] Time(LoadHistogram[] of, double part) =>
            [.. of.Select(histogram => histogram.Count > 0 ? FigureFormatter.Time(histogram.Microseconds(part)) : null)];
    }

    /// <summary>Returns the errors, by run and kind; null for none.</summary>
    public static XElement? Errors(IReadOnlyList<LoadResult> runs)
    {
        IReadOnlyList<string> names = RunLabels.Of(runs);
        XElement[] rows =
        [
            .. runs.SelectMany((run, i) =>
                run.Errors.OrderByDescending(static error => error.Value).ThenBy(static error => error.Key, StringComparer.Ordinal)
                    .Select(error =>
                        new XElement("tr", HtmlElements.Cell($"{i + 1}"), Mark(HtmlElements.Cell(names[i]), true),
                            Mark(HtmlElements.Cell(error.Key), true),
                            HtmlElements.Cell(FigureFormatter.Number(error.Value))))),
        ];
        return rows.Length == 0 ? null : new XElement(
            "table",
            new XElement("thead",
                new XElement("tr", new XElement("th", "run"), Mark(new XElement("th", "peers"), true),
                    Mark(new XElement("th", "error"), true), new XElement("th", "times"))),
            new XElement("tbody", rows));
    }

    private static XElement Mark(XElement cell, bool isText) => isText ? cell.With(new XAttribute("class", "text")) : cell;
}
