using BenchmarkDotNet.Reports;

namespace CoAP.NET.Benchmarks;

/// <summary>The figures of one case.</summary>
/// <param name="Microseconds">The median of each method, by its name.</param>
/// <param name="Bytes">The bytes that each method allocates.</param>
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
