using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Perfolizer.Horology;

namespace CoAP.NET.Benchmarks;

/// <summary>Runs the whole matrix and sets it beside what was published, as tables in Markdown.</summary>
internal static class MatrixReport
{
    // What a case may take: the larger of a tenth of what was published and one and a half copies of the message; a quarter of its memory,
    // the result not counted.
    private const double LessTime = 10;
    private const double Copies = 1.5;
    private const double LessMemory = 4;
    private const long OptionSize = 257;

    // What an asynchronous method may take more than its synchronous twin on a stream that completes at once.
    private const double AsyncRatio = 1.3;

    /// <summary>Measures and writes.</summary>
    /// <param name="quick">Whether a glance is enough: one short iteration, and no extreme case.</param>
    /// <param name="charts">The folder of the charts; null for none.</param>
    /// <returns>The tables.</returns>
    public static async Task<string> RunAsync(bool quick, string? charts)
    {
        ManualConfig config = Configure(quick);
        IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> streams = MatrixFigures.From(BenchmarkRunner.Run<StreamMatrix>(config));
        IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> datagrams = MatrixFigures.From(BenchmarkRunner.Run<DatagramMatrix>(config));

        if (charts is not null)
        {
            MatrixCharts.Write(charts, streams);
        }

        StringBuilder text = new();
        text.Append(
            $"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription}, {Environment.ProcessorCount} processors; ");
        text.AppendLine(quick
            ? "a glance, not a measurement."
            : "medians of 9 iterations of 50 ms after 4 to warm up, all in one process.");
        List<string> misses = [];
        Append(text, "RFC 8323", streams, misses);
        Append(text, "RFC 7252", datagrams, misses);
        if (!quick)
        {
            text.AppendLine().AppendLine("### Reading what is a large object").AppendLine();
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

        text.AppendLine().AppendLine("### Goals missed").AppendLine();
        text.AppendLine(misses.Count == 0 ? "None." : string.Join(Environment.NewLine, misses.Select(miss => $"- {miss}")));
        return text.ToString();
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

    // As it was published.
    private static string PublishedText(double microseconds) =>
        microseconds.ToString(microseconds < 10 ? "0.000" : microseconds < 1000 ? "0.0" : "N0");

    private static void Append(StringBuilder text, string format, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> figures,
        List<string> misses)
    {
        foreach (Way[] pair in new Way[][] { [Way.All[0], Way.All[1]], [Way.All[2], Way.All[3]] })
        {
            bool reads = pair[0].Reads;
            text.AppendLine().AppendLine($"### {(reads ? "Reading" : "Writing")}, {format}").AppendLine();
            text.AppendLine(
                $"| options | payload | a copy, µs | `{pair[0].Name}`: published µs | µs | | published B | B | `{pair[1].Name}`: published "
                    + $"µs | µs | | published B | B |{(reads ? " every option as a typed object, µs | B |" : "")}");
            text.Append("|---|---|---|---|---|---|---|---|---|---|---|---|---|").AppendLine(reads ? "---|---|" : "");
            foreach ((MatrixCase one, MatrixFigures measured) in figures)
            {
                Published published = Published.Of[one];
                text.Append($"| {one.Options:N0} | {one.Payload:N0} | {Text(measured.Microseconds[nameof(SerializerMatrix.Copy)])} |");
                foreach (Way way in pair)
                {
                    double time = measured.Microseconds[way.Name];
                    text.Append($" {PublishedText(way.Time(published))} | {Text(time)} | 1/{Text(way.Time(published) / time)} "
                            + $"| {way.Memory(published):N0} | {measured.Bytes[way.Name]:N0} |");
                    Judge(way, one, format, published, measured, misses);
                }

                if (measured.Microseconds[pair[1].Name] > AsyncRatio * measured.Microseconds[pair[0].Name])
                {
                    misses.Add($"{format}, {one}: `{pair[1].Name}` takes {Text(measured.Microseconds[pair[1].Name])} µs, "
                            + $"`{pair[0].Name}` {Text(measured.Microseconds[pair[0].Name])}.");
                }

                text.AppendLine(reads
                    ? $" {Text(measured.Microseconds[nameof(SerializerMatrix.DeserializeTyped)])} "
                            + $"| {measured.Bytes[nameof(SerializerMatrix.DeserializeTyped)]:N0} |"
                    : "");
            }
        }
    }

    private static void Judge(Way way, MatrixCase one, string format, Published published, MatrixFigures measured, List<string> misses)
    {
        double most = Math.Max(way.Time(published) / LessTime, Copies * measured.Microseconds[nameof(SerializerMatrix.Copy)]);
        if (measured.Microseconds[way.Name] > most)
        {
            misses.Add($"{format}, {one}: `{way.Name}` takes {Text(measured.Microseconds[way.Name])} µs; the goal is {Text(most)}.");
        }

        // What was read has to be somewhere: all options and the payload are slices of the bytes of the message.
        long kept = way.Reads ? one.Payload + (OptionSize * one.Options) : 0;
        if (measured.Bytes[way.Name] - kept > way.Memory(published) / LessMemory)
        {
            misses.Add(
                $"{format}, {one}: `{way.Name}` allocates {measured.Bytes[way.Name] - kept:N0} B besides the bytes of the message; the "
                    + $"goal is {way.Memory(published) / LessMemory:N0}.");
        }
    }
}

/// <summary>One of the four ways of the published experiment.</summary>
/// <param name="Name">The method of <see cref="SerializerMatrix"/>.</param>
/// <param name="Reads">Whether it reads.</param>
/// <param name="Time">What was published, in microseconds.</param>
/// <param name="Memory">What was published, in bytes.</param>
internal sealed record Way(string Name, bool Reads, Func<Published, double> Time, Func<Published, long> Memory)
{
    public static IReadOnlyList<Way> All { get; } =
    [
        new(nameof(SerializerMatrix.Deserialize), true, one => one.Deserialize, one => one.DeserializeBytes),
        new(nameof(SerializerMatrix.DeserializeAsync), true, one => one.DeserializeAsync, one => one.DeserializeAsyncBytes),
        new(nameof(SerializerMatrix.Serialize), false, one => one.Serialize, one => one.SerializeBytes),
        new(nameof(SerializerMatrix.SerializeAsync), false, one => one.SerializeAsync, one => one.SerializeAsyncBytes),
    ];
}

/// <summary>What was measured of one case.</summary>
/// <param name="Microseconds">The median of each method, by its name.</param>
/// <param name="Bytes">What each method allocates.</param>
internal sealed record MatrixFigures(IReadOnlyDictionary<string, double> Microseconds, IReadOnlyDictionary<string, long> Bytes)
{
    /// <summary>Takes the figures out of a run, case by case: by options, then by payload.</summary>
    public static IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> From(Summary summary) => [.. summary.Reports
        .GroupBy(report => (MatrixCase)report.BenchmarkCase.Parameters[nameof(SerializerMatrix.Case)])
        .OrderBy(group => group.Key.Options).ThenBy(group => group.Key.Payload)
        .Select(group => (group.Key, new MatrixFigures(
            group.ToDictionary(NameOf,
                report =>
                    (report.ResultStatistics
                        ?? throw new InvalidOperationException($"{report.BenchmarkCase.DisplayInfo} was not measured.")).Median / 1000),
            group.ToDictionary(NameOf, report => report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0))))];

    private static string NameOf(BenchmarkReport report) => report.BenchmarkCase.Descriptor.WorkloadMethod.Name;
}
