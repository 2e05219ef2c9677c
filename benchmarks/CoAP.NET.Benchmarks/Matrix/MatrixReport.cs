using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;
using System.Text;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using CoAP.NET.Bench;
using Perfolizer.Horology;

namespace CoAP.NET.Benchmarks;

/// <summary>Runs the whole matrix and sets it beside what was published, as tables in Markdown.</summary>
internal static class MatrixReport
{
    /// <summary>Measures and writes.</summary>
    /// <param name="quick">Whether a glance is enough: one short iteration, and no extreme case.</param>
    /// <param name="charts">The folder of the charts; null for none.</param>
    /// <returns>The tables.</returns>
    public static async Task<string> RunAsync(bool quick, string? charts)
    {
        ManualConfig config = Configure(quick);
        IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> streams = MatrixFigures.From(BenchmarkRunner.Run<StreamMatrix>(config));
        IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> datagrams = MatrixFigures.From(BenchmarkRunner.Run<DatagramMatrix>(config));

        StringBuilder text = new();
        text.Append($"{Environment.ProcessorCount} processors{Processor.Model}, {RuntimeInformation.OSDescription.Trim()}, ")
            .Append($"{RuntimeInformation.FrameworkDescription}; ")
            .AppendLine(quick
                ? "a glance, not a measurement."
                : $"medians of 9 iterations of 50 ms after 4 to warm up, all in one process; {Collector}.");
        if (charts is not null)
        {
            MatrixCharts.Write(charts, streams);
            text.AppendLine().AppendLine($"![Reading: time beside the published one]({MatrixCharts.Reading})")
                .AppendLine().AppendLine($"![Writing: the same]({MatrixCharts.Writing})");
        }

        AppendMatrix(text, [("RFC 8323", streams), ("RFC 7252", datagrams)]);
        if (!quick)
        {
            await AppendLargeAsync(text);
        }

        return text.ToString();
    }

    /// <summary>Writes the goals, what the run makes of them, and tables of some messages.</summary>
    /// <param name="text">Where to.</param>
    /// <param name="formats">The formats, and the figures of each; the first one has tables.</param>
    public static void AppendMatrix(
        StringBuilder text, IReadOnlyList<(string Format, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> Rows)> formats)
    {
        text.AppendLine().AppendLine("### Goals").AppendLine();
        AppendList(text, MatrixGoals.Texts);
        text.AppendLine().AppendLine("| format | cells | of them meet the second goal | reading takes | writing takes |")
            .AppendLine("|---|---|---|---|---|");
        List<string> misses = [];
        List<string> excepted = [];
        foreach ((string format, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows) in formats)
        {
            (int cells, int fast, IReadOnlyList<string> missed, IReadOnlyList<string> spared) = MatrixGoals.Judge(format, rows);
            text.AppendLine($"| {format} | {cells} | {fast} | {Range(rows, reads: true)} | {Range(rows, reads: false)} |");
            misses.AddRange(missed);
            excepted.AddRange(spared);
        }

        text.AppendLine().AppendLine("### Goals missed").AppendLine();
        AppendList(text, misses.Count == 0 ? ["None."] : misses);
        if (excepted.Count > 0)
        {
            text.AppendLine().AppendLine("Slower than published, and excepted:").AppendLine();
            AppendList(text, excepted);
        }

        // A few messages of the first format show what there is to see; all cells are judged above.
        (string first, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> all) = formats[0];
        (MatrixCase Case, MatrixFigures Figures)[] shown =
            [.. all.Where(row => row.Case.Options is 0 or 1024 or 131_072 && row.Case.Payload is 0 or 131_072)];
        AppendPublished(text, first, shown);
        AppendOthers(text, first, shown);
    }

    /// <summary>How it is measured.</summary>
    /// <param name="quick">Whether a glance is enough.</param>
    public static ManualConfig Configure(bool quick)
    {
        Job job = Job.Default.WithToolchain(InProcessEmitToolchain.Instance)
            .WithWarmupCount(quick ? 1 : 4).WithIterationCount(quick ? 1 : 9)
            .WithIterationTime(TimeInterval.FromMilliseconds(quick ? 5 : 50));
        return ManualConfig.CreateEmpty().AddJob(job).AddDiagnoser(MemoryDiagnoser.Default)
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddLogger(quick ? NullLogger.Instance : ConsoleLogger.Default).WithOptions(ConfigOptions.DisableOptimizationsValidator);
    }

    /// <summary>A measured time or a ratio as the tables have it: two digits, because runs and machines vary by a tenth.</summary>
    public static string Text(double measured)
    {
        string digits = measured.ToString("E1");
        decimal rounded = decimal.Parse(digits, NumberStyles.Float);
        return rounded.ToString(rounded < 1000 ? "G" : "N0");
    }

    /// <summary>A published time, with its digits.</summary>
    public static string PublishedText(double microseconds) =>
        microseconds.ToString(microseconds < 10 ? "0.000" : microseconds < 1000 ? "0.0" : "N0");

    // Whether the collector is concurrent decides much of what a large object costs.
    private static string Collector => (GCSettings.IsServerGC ? "server" : "workstation")
        + $" collector, {(GCSettings.LatencyMode == GCLatencyMode.Batch ? "not " : "")}concurrent";

    // A time as a part of the published one; a longer time as a multiple of it.
    private static string Part(double time, double published) =>
        time <= published ? $"1/{Text(published / time)}" : $"{Text(time / published)} times";

    private static string Range(IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows, bool reads)
    {
        (double Time, double Published)[] cells =
        [
            .. rows.SelectMany(_ => Way.All.Where(way => way.Reads == reads),
                    (row, way) => (Time: row.Figures.Microseconds[way.Name], Published: way.Time(Published.Of[row.Case])))
                .OrderByDescending(cell => cell.Time / cell.Published),
        ];
        return $"{Part(cells[0].Time, cells[0].Published)} to {Part(cells[^1].Time, cells[^1].Published)}";
    }

    private static void AppendList(StringBuilder text, IEnumerable<string> lines)
    {
        foreach (string line in lines)
        {
            text.AppendLine($"- {line}");
        }
    }

    private static void AppendPublished(
        StringBuilder text, string format, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows)
    {
        foreach (Way[] pair in new Way[][] { [Way.All[0], Way.All[1]], [Way.All[2], Way.All[3]] })
        {
            text.AppendLine().AppendLine($"### {(pair[0].Reads ? "Reading" : "Writing")}, {format}").AppendLine();
            text.AppendLine(
                $"| options | payload | a copy, µs | `{pair[0].Name}`: published µs | µs | | published B | B | `{pair[1].Name}`: published "
                    + "µs | µs | | published B | B |");
            text.AppendLine("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
            foreach ((MatrixCase one, MatrixFigures measured) in rows)
            {
                Published published = Published.Of[one];
                text.Append($"| {one.Options:N0} | {one.Payload:N0} | {Text(measured.Microseconds[nameof(SerializerMatrix.Copy)])} |");
                foreach (Way way in pair)
                {
                    double time = measured.Microseconds[way.Name];
                    text.Append($" {PublishedText(way.Time(published))} | {Text(time)} | {Part(time, way.Time(published))} "
                            + $"| {way.Memory(published):N0} | {measured.Bytes[way.Name]:N0} |");
                }

                text.AppendLine();
            }
        }
    }

    // Not beside the published figures: these methods do something else.
    private static void AppendOthers(StringBuilder text, string format, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows)
    {
        text.AppendLine().AppendLine($"### Other methods, {format}").AppendLine();
        text.AppendLine("| options | payload | `Deserialize(Stream)`, µs | B | `DeserializeAsync` to it | `Serialize(Stream)`, µs | B "
            + "| `SerializeAsync` to it | every option as a typed object, µs | B |");
        text.AppendLine("|---|---|---|---|---|---|---|---|---|---|");
        foreach ((MatrixCase one, MatrixFigures measured) in rows)
        {
            text.Append($"| {one.Options:N0} | {one.Payload:N0} |");
            foreach (Way way in Way.All)
            {
                if (way.Synchronous is { } name)
                {
                    double time = measured.Microseconds[name];
                    text.Append($" {Text(time)} | {measured.Bytes[name]:N0} | {Text(measured.Microseconds[way.Name] / time)} |");
                }
            }

            text.AppendLine($" {Text(measured.Microseconds[nameof(SerializerMatrix.DeserializeTyped)])} "
                + $"| {measured.Bytes[nameof(SerializerMatrix.DeserializeTyped)]:N0} |");
        }
    }

    private static async Task AppendLargeAsync(StringBuilder text)
    {
        text.AppendLine().AppendLine("### Results that are large objects").AppendLine();
        foreach (string row in await LargeObjects.MeasureAsync())
        {
            text.AppendLine(row);
        }

        text.AppendLine().AppendLine("### 100,000 options and 1,000,000,000 bytes of payload").AppendLine()
            .AppendLine("The fastest of 5.").AppendLine();
        MatrixFigures extreme = await ExtremeCase.MeasureAsync();
        text.AppendLine("| | published ms | ms | published MB | MB |").AppendLine("|---|---|---|---|---|");
        foreach (Way way in Way.All)
        {
            text.AppendLine($"| `{way.Name}` | {way.Time(Published.Extreme) / 1000:N0} | {Text(extreme.Microseconds[way.Name] / 1000)} "
                    + $"| {way.Memory(Published.Extreme) / 1e6:N0} | {extreme.Bytes[way.Name] / 1e6:N1} |");
        }

        text.AppendLine(
            $"| every option as a typed object | | {Text(extreme.Microseconds[nameof(SerializerMatrix.DeserializeTyped)] / 1000)} | "
                + $"| {extreme.Bytes[nameof(SerializerMatrix.DeserializeTyped)] / 1e6:N1} |");
        text.AppendLine($"| a copy of the bytes | | {Text(extreme.Microseconds[nameof(SerializerMatrix.Copy)] / 1000)} | | 0 |");
    }
}
