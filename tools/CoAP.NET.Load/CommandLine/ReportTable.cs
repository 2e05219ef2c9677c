using System.Globalization;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Reporting;
using CoAP.NET.Load.Workers;
using Spectre.Console;

namespace CoAP.NET.Load.CommandLine;

/// <summary>The report as a plain table: a row for each run, with the errors below it.</summary>
internal static class ReportTable
{
    // Rows do not wrap: in a narrow terminal the user scrolls.
    private const int Width = 1000;

    // The text of an empty cell.
    private const string None = "-";

    public static void Write(TextWriter output, LoadReport report)
    {
        IReadOnlyList<LoadResult> runs = report.Runs;
        if (runs.Count == 0)
        {
            output.WriteLine("There were no runs.");
            return;
        }

        List<(string Head, string[] Cells)> columns = Columns(runs);
        Table table = new() { Border = TableBorder.Markdown };
        foreach ((string head, _) in columns)
        {
            table.AddColumn(new TableColumn(head).RightAligned().NoWrap());
        }

        for (int i = 0; i < runs.Count; i++)
        {
            table.AddRow([.. columns.Select(column => new Text(column.Cells[i]))]);
        }

        using StringWriter rows = new();
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(rows)
        });
        console.Profile.Width = Width;
        console.Write(table);

        // Without the lines around the table, which are as wide as the console claims to be.
        foreach (string row in rows.ToString().Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            output.WriteLine(row);
        }

        foreach (LoadResult run in runs)
        {
            foreach ((string kind, long count) in run.Errors.OrderByDescending(static error => error.Value))
            {
                // The report may come from a stranger.
                string what = DistributedRunException.Clean(kind);
                output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{RunLabels.Peers(run.Plan)}: {count} x {what}"));
            }

            if (run.Count == 0 && run.Lost == 0 && run.ErrorCount == 0)
            {
                output.WriteLine(
                    $"{RunLabels.Peers(run.Plan)}: {(run.Plan.Loop == LoadPacing.Observe ? "nothing was notified: did the resource change?" : "what was asked in the warm-up was not answered until the end, so nothing was asked in the measured time.")}");
            }

            if (run.OwnDrops > 0)
            {
                output.WriteLine(string.Create(CultureInfo.InvariantCulture,
                    $"{RunLabels.Peers(run.Plan)}: this program lost {run.OwnDrops} datagrams in its own receive buffers, which is not "
                        + $"the fault of the server: use fewer peers, or more workers."));
            }
        }
    }

    // Without the columns that are empty for all runs.
    private static List<(string Head, string[] Cells)> Columns(IReadOnlyList<LoadResult> runs)
    {
        LoadHistogram[] times = [.. runs.Select(static run => run.Histogram())];
        LoadHistogram[] changes = [.. runs.Select(static run => LoadResult.ToHistogram(run.ChangeTimes))];
        List<(string Head, string[] Cells)> columns =
        [
            ("peers", Cells(static run => Text(run.Plan.Peers, "0"))),
            ("loop", Cells(static run => RunLabels.Loop(run.Plan.Loop))),
            ("workers", runs.Any(static run => run.Workers > 1) ? Cells(static run => Text(run.Workers, "0")) : Cells(static _ => None)),
            (RunLabels.Counted(runs) + "/s", Cells(static run => Text(run.PerSecond, run.PerSecond < 100 ? "0.##" : "0"))),
            ("shortest ms", Times(times, 0)),
            ("p50 ms", Times(times, 0.5)),
            ("p90 ms", Times(times, 0.9)),
            ("p95 ms", Times(times, 0.95)),
            ("p99 ms", Times(times, 0.99)),
            ("p99.9 ms", Times(times, 0.999)),
            ("longest ms", Times(times, 1)),
            ("changes", Cells(static run => run.Plan is { Loop: LoadPacing.Observe, Rate: > 0 } ? Text(run.Changes, "0") : None)),
            ("to last p50 ms", Times(changes, 0.5)),
            ("to last p99 ms", Times(changes, 0.99)),
            ("converged", Cells(static run => run.Converged is { } converged
                ? string.Create(CultureInfo.InvariantCulture, $"{converged} of {run.Plan.Peers}")
                : None)),
            ("lost", Cells(static run => Text(run.Lost, "0"))),
            ("lost here", Cells(static run => run.OwnDrops > 0 ? Text(run.OwnDrops, "0") : None)),
            ("errors", Cells(static run => Text(run.ErrorCount, "0"))),
            ("server CPU us", Cells(static run => Text(run.ServerMicroseconds, "0.00"))),
            ("server RSS MiB", Cells(static run => Text(run.ServerResidentBytes / 1048576.0, "0.0"))),
            ("own CPU", Cells(static run => run.Seconds > 0 ? Text(run.OwnProcessorSeconds / run.Seconds * 100, "0") + " %" : None)),
        ];
        columns.RemoveAll(static column => column.Cells.All(static cell => cell == None));
        return columns;

        string[] Cells(Func<LoadResult, string> cell) => [.. runs.Select(cell)];

        static string[] Times(LoadHistogram[] of, double part) => [.. of.Select(histogram => Milliseconds(histogram, part))];
    }

    private static string Milliseconds(LoadHistogram times, double part) =>
        times.Count == 0 ? None : Text(times.Microseconds(part) / 1000, "0.000");

    private static string Text(double? value, string format) => value?.ToString(format, CultureInfo.InvariantCulture) ?? None;
}
