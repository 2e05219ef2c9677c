namespace CoAP.NET.Simulation.Fuzz;

/// <summary>What came of one target.</summary>
/// <param name="Target">Its name.</param>
/// <param name="Summary">What it is.</param>
/// <param name="Executions">How many inputs were run.</param>
/// <param name="Seconds">How long that took on one core.</param>
/// <param name="Corpus">How many inputs were worth keeping.</param>
/// <param name="Features">How many kinds of behaviour were seen.</param>
/// <param name="Blocks">How many places of the library were reached by it first.</param>
/// <param name="AllBlocks">How many were reached by all targets.</param>
/// <param name="Digest">A number made of everything that was run.</param>
/// <param name="Findings">What was found.</param>
internal sealed record FuzzRow(
    string Target, string Summary, long Executions, double Seconds, int Corpus, int Features, long Blocks, long AllBlocks, ulong Digest,
    IReadOnlyList<string> Findings)
{
    private const int Fields = 9;

    public static string[] Pack(FuzzRunner runner, List<FuzzFinding> findings, CoverageMap? coverage) =>
    [
        runner.Target.Name, runner.Target.Summary, Text(runner.Executions),
        Text(runner.Ticks / (double)TimeProvider.System.TimestampFrequency), Text(runner.Corpus.Count), Text(runner.Features),
        Text(runner.Blocks),
        Text(coverage?.Reached ?? 0), Text(runner.Digest), .. findings.Select(finding => finding.ToString()),
    ];

    public static FuzzRow Unpack(string[] row) => new(
        row[0], row[1], (long)Number(row[2]), Number(row[3]), (int)Number(row[4]), (int)Number(row[5]), (long)Number(row[6]),
        (long)Number(row[7]), ulong.Parse(row[8]), row[Fields..]);

    private static string Text(object number) => $"{number}";

    private static double Number(string text) => double.Parse(text);
}
