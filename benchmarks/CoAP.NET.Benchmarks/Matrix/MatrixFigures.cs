using BenchmarkDotNet.Reports;

namespace CoAP.NET.Benchmarks;

/// <summary>What was measured of one case.</summary>
/// <param name="Microseconds">The median of each method, by its name.</param>
/// <param name="Bytes">What each method allocates.</param>
internal sealed record MatrixFigures(IReadOnlyDictionary<string, double> Microseconds, IReadOnlyDictionary<string, long> Bytes)
{
    /// <summary>Takes the figures out of a run, case by case in their order.</summary>
    public static IReadOnlyDictionary<MatrixCase, MatrixFigures> From(Summary summary) => summary.Reports
        .GroupBy(static report => (MatrixCase)report.BenchmarkCase.Parameters[nameof(SerializerMatrix.Case)])
        .ToDictionary(static group => group.Key, static group => new MatrixFigures(
            group.ToDictionary(NameOf,
                static report =>
                    (report.ResultStatistics
                        ?? throw new InvalidOperationException($"{report.BenchmarkCase.DisplayInfo} was not measured.")).Median / 1000),
            group.ToDictionary(NameOf, static report => report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0)));

    private static string NameOf(BenchmarkReport report) => report.BenchmarkCase.Descriptor.WorkloadMethod.Name;
}
