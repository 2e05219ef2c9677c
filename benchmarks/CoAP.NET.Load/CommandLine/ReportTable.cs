using System.Globalization;
using Spectre.Console;

namespace CoAP.NET.Load;

/// <summary>The report as a plain table: a row for each run, below it what went wrong.</summary>
internal static class ReportTable
{
    // Rows are not broken: whoever has a narrow terminal scrolls.
    private const int Width = 1000;

    private static readonly string[] s_columns = ["peers", "loop", "answers/s", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "longest ms", "lost", "errors", "server CPU us", "server RSS MiB", "own CPU"];

    public static void Write(TextWriter output, LoadReport report)
    {
        Table table = new() { Border = TableBorder.Markdown };
        foreach (string name in s_columns)
        {
            table.AddColumn(new TableColumn(name).RightAligned().NoWrap());
        }

        foreach (LoadResult run in report.Runs)
        {
            table.AddRow(Row(run));
        }

        using StringWriter rows = new();
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Interactive = InteractionSupport.No, Out = new AnsiConsoleOutput(rows) });
        console.Profile.Width = Width;
        console.Write(table);

        // Without the lines around the table, which are as wide as the console is said to be.
        foreach (string row in rows.ToString().Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            output.WriteLine(row);
        }

        foreach (LoadResult run in report.Runs)
        {
            foreach ((string kind, long count) in run.Errors.OrderByDescending(static error => error.Value))
            {
                output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{run.Plan.Peers} peers: {count} x {kind}"));
            }
        }
    }

    private static string[] Row(LoadResult run)
    {
        LoadHistogram times = run.Histogram();
        return [
            Text(run.Plan.Peers, "0"),
            run.Plan.Loop.ToString().ToLowerInvariant(),
            Text(run.PerSecond, "0.#"),
            Milliseconds(times, 0.5),
            Milliseconds(times, 0.9),
            Milliseconds(times, 0.99),
            Milliseconds(times, 0.999),
            Milliseconds(times, 1),
            Text(run.Lost, "0"),
            Text(run.ErrorCount, "0"),
            Text(run.ServerMicroseconds, "0.00"),
            Text(run.ServerResidentBytes / 1048576.0, "0.0"),
            Text(run.OwnProcessorSeconds / run.Seconds * 100, "0") + " %",
        ];
    }

    private static string Milliseconds(LoadHistogram times, double part) => times.Count == 0 ? "-" : Text(times.Microseconds(part) / 1000, "0.000");

    private static string Text(double? value, string format) => value?.ToString(format, CultureInfo.InvariantCulture) ?? "-";
}
