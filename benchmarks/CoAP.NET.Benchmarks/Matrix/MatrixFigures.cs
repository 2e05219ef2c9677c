using BenchmarkDotNet.Reports;

namespace CoAP.NET.Benchmarks;

/// <summary>What was measured of one case.</summary>
/// <param name="Microseconds">The median of each method, by its name.</param>
/// <param name="Bytes">What each method allocates.</param>
internal sealed record MatrixFigures(IReadOnlyDictionary<string, double> Microseconds, IReadOnlyDictionary<string, long> Bytes)
{
    /// <summary>Takes the figures out of a run, case by case: by options, then by payload.</summary>
    public static IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> From(Summary summary) => [.. summary.Reports
        .GroupBy(static report => (MatrixCase)report.BenchmarkCase.Parameters[nameof(SerializerMatrix.Case)])
        .OrderBy(static group => group.Key.Options).ThenBy(static group => group.Key.Payload)
        .Select(static group => (group.Key, new MatrixFigures(
            group.ToDictionary(NameOf,
                static report =>
                    (report.ResultStatistics
                        ?? throw new InvalidOperationException($"{report.BenchmarkCase.DisplayInfo} was not measured.")).Median / 1000),
            group.ToDictionary(NameOf, static report => report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0))))];

    private static string NameOf(BenchmarkReport report) => report.BenchmarkCase.Descriptor.WorkloadMethod.Name;
}
