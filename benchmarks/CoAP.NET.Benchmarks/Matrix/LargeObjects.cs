using System.Diagnostics;
using System.Globalization;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Running;
using CoAP.NET.Bench;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// Methods whose result has an object of the large object heap (from 85,000 bytes on), and the same where a process has raised the
/// threshold (<c>System.GC.LOHThreshold</c>), which it can only at its start: each in a process of its own.
/// </summary>
internal static class LargeObjects
{
    /// <summary>What tells the process to measure.</summary>
    public const string Switch = "--large-objects";

    // 16 MiB, as the runtime reads it: in hexadecimal digits.
    private const string Threshold = "1000000";

    private static readonly Way[] s_ways = [.. Way.All.Where(way => way.KeepsBytes)];

    /// <summary>Measures both.</summary>
    /// <returns>The rows of a table.</returns>
    public static async Task<IReadOnlyList<string>> MeasureAsync()
    {
        Dictionary<string, string> usual = await RunAsync();
        Dictionary<string, string> raised = await RunAsync(("DOTNET_GCLOHThreshold", Threshold));
        return
        [
            $"| options | payload |{Head("")}{Head("raised: ")}", "|---|---|---|---|---|---|---|---|",
            .. usual.Select(row => $"{row.Key}{row.Value}{raised[row.Key]} |"),
        ];
    }

    /// <summary>Measures in this process, and prints a line for each message.</summary>
    /// <param name="config">How.</param>
    public static void Run(ManualConfig config)
    {
        config.AddFilter(new NameFilter(name => s_ways.Any(way => way.Name == name)));
        foreach ((MatrixCase one, MatrixFigures measured) in MatrixFigures.From(BenchmarkRunner.Run<LargeMatrix>(config)))
        {
            string times = string.Concat(s_ways.Select(way => $" | {MatrixReport.Text(measured.Microseconds[way.Name])}"));
            Console.WriteLine($"{Switch}| {one.Options:N0} | {one.Payload:N0}{Switch}{times}");
        }
    }

    private static string Head(string prefix) => string.Concat(s_ways.Select(way => $" {prefix}`{way.Name}`, µs |"));

    private static async Task<Dictionary<string, string>> RunAsync(params (string Name, string Value)[] variables)
    {
        using Process process = OwnProcess.Start([Switch], variables);
        string output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"The process that measures large objects ended with {process.ExitCode}:\n{output}");
        }

        return output.Split('\n').Where(line => line.StartsWith(Switch, StringComparison.Ordinal))
            .Select(line => line.TrimEnd().Split(Switch)).ToDictionary(parts => parts[1], parts => parts[2]);
    }
}
